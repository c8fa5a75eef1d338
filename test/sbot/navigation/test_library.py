"""The library: every scene is a scenario, and the same one on every machine."""

import json
import os
from pathlib import Path

import pytest

from sbot.navigation.library import (
    SHIPPED,
    VERSION,
    chosen_scenes,
    digest,
    facts,
    families,
    hidden_seeds,
    scenario_values,
)
from sbot.scenario.load import scenario_from_mapping
from sbot_common.errors import InputError

SCENES = chosen_scenes(SHIPPED, [])
KEPT = Path(__file__).with_name(f'library_{VERSION}.json')


def test_no_scene_has_changed_since_its_version():
    # A scene that changes on purpose needs another VERSION and file: rows of both differ.
    found = {name: [digest(scenario_values(name, scene, seed)) for seed in (0, 1)]
             for name, scene in SCENES.items()}
    if os.environ.get('SBOT_REFRESH') and not KEPT.exists():
        KEPT.write_text(json.dumps(found, indent=1) + '\n')
    assert found == json.loads(KEPT.read_text())


@pytest.mark.parametrize('name', SCENES)
def test_every_scene_is_a_scenario_in_which_all_can_stand(name):
    for seed in (0, 1, 2, 2**63 - 1):
        values = scenario_values(name, SCENES[name], seed)
        scenario = scenario_from_mapping(values)
        assert scenario.name == name
        assert any(robot.goal is not None for robot in scenario.robots)
        assert facts(scenario.description).get('gap') == SCENES[name].gap


def test_scenes_are_chosen_by_family_and_name():
    assert list(chosen_scenes(SHIPPED, ['doorway/1.2', 'hallway'])) == ['doorway/1.2',
                                                                       'hallway/pair']
    with pytest.raises(InputError, match=r"scene: unknown name 'dorway'.*doorway"):
        chosen_scenes(SHIPPED, ['dorway'])
    with pytest.raises(InputError, match=r'scene barn/3 needs a copy of its files; do --barn'):
        chosen_scenes(SHIPPED, ['barn/3'])


def test_hidden_seeds_follow_from_the_secret_and_the_scene():
    seeds = hidden_seeds(b'a secret', 'doorway/1.2', 3)
    assert seeds == hidden_seeds(b'a secret', 'doorway/1.2', 5)[:3]
    assert len({*seeds, *hidden_seeds(b'a secret', 'hallway/pair', 3),
                *hidden_seeds(b'another', 'doorway/1.2', 3)}) == 9
    assert all(0 <= seed < 2**63 for seed in seeds)


def test_families_of_others_are_there_only_with_their_files():
    assert 'barn' not in families()
