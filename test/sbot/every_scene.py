"""What every scene of the library holds, whatever its family."""

from collections.abc import Mapping

import numpy as np

from sbot.navigation.library import _rounded
from sbot.navigation.scenes import Scene


def by_name(families: Mapping[str, Mapping[str, Scene]]) -> dict[str, Scene]:
    return {f'{family}/{name}': scene for family, scenes in families.items()
            for name, scene in scenes.items()}


def check_starts_goals_and_seeds(scene: Scene) -> None:
    drawn = [_rounded(scene.draw(np.random.default_rng(seed))) for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1]
    assert (drawn[0] != drawn[2]) == scene.seed_matters
    walls = drawn[0]['world'].get('rectangles', [])
    for robot in drawn[0]['robots']:
        for x, y in (robot[key][:2] for key in ('pose', 'goal') if key in robot):
            assert not any(abs(x - wall['center'][0]) < wall['size'][0] / 2
                           and abs(y - wall['center'][1]) < wall['size'][1] / 2
                           for wall in walls if 'yaw' not in wall), (x, y)
