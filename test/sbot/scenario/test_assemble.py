"""Assembly of a scenario: parameters of the simulator, poses, wind, hooks."""

import numpy as np
import pytest

import sbot
from sbot.runner.loop import broadcast_options
from sbot.scenario import assemble
from sbot_common.errors import InputError

SCENARIO = {'duration': 1, 'rate': 20, 'seed': 3,
            'world': {'bounds': [0, 0, 9, 9], 'circles': [{'center': [5, 5], 'radius': 1}],
                      'boxes': [{'center': [2, 7], 'radius': 0.3, 'mass': 4.0}]},
            'bodies': {'cart': {'length': 0.8, 'width': 0.6}},
            'sensors': {'imu': True, 'infrared': True, 'scan_beams': 9},
            'robots': [{'pose': [1, 1, 0.5], 'body': 'cart', 'controller': 'none'},
                       {'pose': [3, 1, 0], 'controller': 'none'}]}


def test_parameters_are_those_of_the_file():
    p = assemble.simulation_parameters(sbot.load(SCENARIO), threads=2)
    assert p.dt == 0.05
    assert len(p.bodies.radius) == 2
    assert len(p.obstacles.boxes.radius) == 1
    assert [5, 5, 1] in p.world.circles.tolist()
    assert p.sensors.lasers.columns == 9
    assert p.sensors.infrared is not None
    assert list(p.sensors.fitted) == ['imu'], 'of the sensors with a kernel those that are on'
    assert p.sensors.threads == 2
    assert p.waves is None
    assert p.inertia is None
    np.testing.assert_array_equal(assemble.initial_poses(sbot.load(SCENARIO)),
                                  [[1, 1, 0.5], [3, 1, 0]])


def test_bodies_are_the_robots_in_order():
    bodies = assemble.robot_bodies(sbot.load(SCENARIO))
    assert [body.name for body in bodies] == ['cart', 'robot']


def test_turbulence_is_drawn_from_the_seed_or_another():
    scenario = sbot.load({**SCENARIO, 'wind': {'turbulence': 'place'}})
    first, again, other = (assemble.make_turbulence(scenario, seed) for seed in (None, 3, 4))
    for one, two in zip(first, again, strict=True):
        np.testing.assert_array_equal(one, two)
    assert any(not np.array_equal(one, two) for one, two in zip(first, other, strict=True))
    assert assemble.make_turbulence(sbot.load(SCENARIO)) is None


def test_hooks_are_users_functions_by_name(tmp_path):
    (tmp_path / 'rules_of_mine.py').write_text('def half(wind, reduction):\n    return wind / 2\n')
    scenario = sbot.load({**SCENARIO, 'python_path': [str(tmp_path)],
                          'wind': {'effective_wind_function': 'rules_of_mine:half'}})
    hooks = assemble._load_hooks(scenario.wind.hooks, scenario.python_path)
    assert hooks.effective_wind(np.ones((1, 2)), None).tolist() == [[0.5, 0.5]]
    assert hooks.blocking is hooks.drive_impulse is None
    missing = scenario.wind.hooks._replace(effective_wind_function='rules_of_mine:third')
    with pytest.raises(InputError, match=r'wind\.effective_wind_function'):
        assemble._load_hooks(missing, scenario.python_path)


def test_messages_have_the_options_of_the_scenario():
    scenario = sbot.load({**SCENARIO, 'wind': {'wind_gust_speed_mean': 0.5}, 'poses_topic': True})
    options = broadcast_options(scenario)
    assert options.poses_topic
    assert options.gust
    assert not options.tf_namespaced
