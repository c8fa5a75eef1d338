"""Assembly of a scenario: parameters of the simulator, poses, wind, hooks."""

import numpy as np

import sbot
from sbot.scenario import assemble

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


def test_turbulence_is_drawn_from_the_seed_or_another():
    scenario = sbot.load({**SCENARIO, 'wind': {'turbulence': 'place'}})
    first, again, other = (assemble.make_turbulence(scenario, seed) for seed in (None, 3, 4))
    for one, two in zip(first, again, strict=True):
        np.testing.assert_array_equal(one, two)
    assert any(not np.array_equal(one, two) for one, two in zip(first, other, strict=True))
    assert assemble.make_turbulence(sbot.load(SCENARIO)) is None
