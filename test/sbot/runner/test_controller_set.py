"""Controllers of a run: commands of all robots, announcements, turns without a command."""

import numpy as np
import pytest

import sbot
from sbot.runner.controller_set import ControllerSet
from sbot.scenario import assemble
from sbot_common.clock import Rate
from sbot_common.topics import RAB_DATA
from sbot_sim.engine.simulation import Engine

FIRST = Rate(10, 1).stamp_ns(0)


class Steady:
    """Commands its own id; says it at the first tick."""

    def step(self, observation, rng):
        said = (b'hi',) * (observation.tick == 0)
        return (0.1 * observation.robot_id, 0.5, *said)


def make(robots, announcing=True, **more):
    scenario = sbot.load({'duration': 1, 'rate': 10, 'world': {'bounds': [0, 0, 20, 20]},
                          'sensors': {'range_and_bearing': True, 'scan_beams': 9},
                          'robots': robots, **more})
    parameters = assemble.simulation_parameters(scenario)
    engine = Engine(parameters, assemble.initial_poses(scenario), scenario.seed)
    return ControllerSet(scenario, parameters.sensors.scan, announcing=announcing), engine


def robots(*controllers):
    return [{'pose': [2.0 + 2 * i, 3.0, 0.0], 'controller': controller, 'goal': [15.0, 15.0]}
            if controller != 'none' else {'pose': [2.0 + 2 * i, 3.0, 0.0], 'controller': 'none'}
            for i, controller in enumerate(controllers)]


def test_robots_without_a_controller_stand_still():
    controllers, engine = make(robots(Steady, 'none', Steady))
    found = controllers.decide(engine.snapshot, FIRST)
    np.testing.assert_allclose(found.commands, [[0, 0, 0.5], [0, 0, 0], [0.2, 0, 0.5]])


@pytest.mark.parametrize('announcing', [True, False])
def test_what_robots_say_is_a_message_only_if_somebody_wants_it(announcing):
    controllers, engine = make(robots(Steady, 'none', Steady), announcing)
    found = controllers.decide(engine.snapshot, FIRST)
    assert list(found.broadcasts) == [0, 2]
    assert all(b'hi' in data for data in found.broadcasts.values())
    said = [message.name for message in found.announced if message.topic == RAB_DATA]
    assert said == (['/robot_0/rab_data', '/robot_2/rab_data'] if announcing else [])


def test_followers_of_equal_parameters_take_their_turns_together():
    given = robots(*['potential_field'] * 5)
    together, engine = make(given)
    assert [ids.tolist() for ids, _ in together._batches] == [[1, 2, 3, 4]]
    commands = together.decide(engine.snapshot, FIRST).commands
    given[3]['parameters'] = given[4]['parameters'] = {'goal_radius_sigma_m': 0.77}
    apart, other = make(given)
    assert [ids.tolist() for ids, _ in apart._batches] == [[1, 2], [3, 4]]
    np.testing.assert_array_equal(apart.decide(other.snapshot, FIRST).commands[:3], commands[:3])


def test_turns_without_a_command_are_counted_for_each_robot():
    class Confused(Steady):
        invalid_turns = 3

    controllers, _ = make(robots(Confused, 'none', Steady))
    assert controllers.invalid_turns().tolist() == [3, 0, 0]
