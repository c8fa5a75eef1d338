"""Controllers are known, take their parameters, and can drive their robots."""

import pytest

from sbot.scenario.load import scenario_from_mapping
from sbot_common.errors import InputError

WORLD = {'bounds': [0, 0, 10, 10]}
ROBOT = {'pose': [5, 5, 0], 'controller': 'none'}


def load(**given):
    return scenario_from_mapping({'world': WORLD, 'robots': [ROBOT], **given})


class Still:
    def step(self, observation, rng):
        return 0.0, 0.0


@pytest.mark.parametrize(('given', 'message'), [
    ({'controllers': {'navigat': {}}}, "did you mean 'navigate'"),
    ({'controllers': {'navigate': {'no_such': 1}}}, r'controllers\.navigate.*no_such'),
    ({'robots': [{**ROBOT, 'controller': 'navigate', 'parameters': {'no_such': 1}}]},
     r'robots\.0\.parameters.*no_such'),
    ({'robots': [{**ROBOT, 'controller': 'potential_field'}]}, r'robots\.0'),
    ({'robots': [{**ROBOT, 'controller': object()}]}, 'step')])
def test_a_bad_controller_is_named(given, message):
    with pytest.raises(InputError, match=message):
        load(**given)


def test_what_drives_has_its_parameters_and_what_stands_still_has_none():
    scenario = load(robots=[ROBOT, {**ROBOT, 'pose': [2, 2, 0], 'controller': Still}])
    assert list(scenario.controllers) == [scenario.robots[1].controller]


def test_a_node_of_the_users_takes_true_poses():
    with pytest.raises(InputError, match='external cannot be combined with knowledge'):
        load(robots=[{**ROBOT, 'controller': 'external'}],
             knowledge={'pose_noise_std': 0.1})
