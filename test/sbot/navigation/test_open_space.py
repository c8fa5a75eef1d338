"""Scenes of open space: every one a scenario, another for another seed where that matters."""

import numpy as np
import pytest

from sbot.navigation.open_space import FAMILIES
from sbot.navigation.scene import rounded

SCENES = {f'{family}/{name}': scene for family, scenes in FAMILIES.items()
          for name, scene in scenes.items()}


@pytest.mark.parametrize('name', SCENES)
def test_starts_and_goals_are_free_of_walls_and_differ_by_seed(name):
    scene = SCENES[name]
    drawn = [rounded(scene.draw(np.random.default_rng(seed))) for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1]
    assert (drawn[0] != drawn[2]) == scene.seed_matters
    walls = drawn[0]['world'].get('rectangles', [])
    for robot in drawn[0]['robots']:
        for x, y in (robot[key][:2] for key in ('pose', 'goal') if key in robot):
            assert not any(abs(x - wall['center'][0]) < wall['size'][0] / 2
                           and abs(y - wall['center'][1]) < wall['size'][1] / 2
                           for wall in walls if 'yaw' not in wall), (x, y)
