"""Observations of worlds: copies of what was asked for, a field for every sensor."""

import copy

import numpy as np
import pytest

import sbot
from sbot.controllers.neural.controller import _network_inputs
from sbot.controllers.neural.inputs import input_table
from sbot.learn import Task

SCENARIO = {'duration': 1, 'rate': 10, 'seed': 2,
            'world': {'bounds': [0, 0, 9, 9], 'boxes': [{'center': [7, 7], 'radius': 0.3}],
                      'moving': [{'radius': 0.2, 'path': [[1, 8], [3, 8]], 'speed': 0.1}]},
            'sensors': {'scan_beams': 3, 'imu': True, 'range_and_bearing': True},
            'robots': [{'pose': [1, 1, 0], 'controller': 'none'},
                       {'pose': [2, 1, 0], 'controller': 'none'}]}


@pytest.fixture(scope='module')
def worlds():
    return sbot.Worlds(sbot.load(SCENARIO), 3)


def test_every_field_has_an_axis_of_worlds_and_one_of_robots(worlds):
    seen = worlds.observe()
    shapes = {'tick': (3,), 'pose': (3, 2, 3), 'collided': (3, 2), 'scan': (3, 2, 3),
              'odometry': (3, 2, 3), 'odometry_twist': (3, 2, 3), 'twist': (3, 2, 3),
              'wind': (3, 2, 2), 'imu': (3, 2, 4), 'obstacles': (3, 1, 2), 'boxes': (3, 1, 3)}
    for name, shape in shapes.items():
        assert getattr(seen, name).shape == shape, name
    assert seen.infrared is None
    assert seen.gnss is None
    assert [rows.shape[:2] for rows in seen.neighbours] == [(3, 2)] * 5
    with pytest.raises(AttributeError):
        seen.radar


def test_a_single_world_has_none_of_the_first_axis():
    world = sbot.World(sbot.load(SCENARIO))
    seen, many = world.observe(), world.worlds.observe()
    assert seen.tick == 0
    for name in ('pose', 'scan', 'imu', 'odometry', 'boxes', 'obstacles'):
        np.testing.assert_array_equal(getattr(seen, name), getattr(many, name)[0])
    for one, all_of in zip(seen.neighbours, many.neighbours, strict=True):
        np.testing.assert_array_equal(one, all_of[0])


ALL = {'pose_noise_std': 0.02, 'pose_yaw_noise_std': 0.1, 'pose_delay': 0.1,
       'others_noise_std': 0.05, 'others_yaw_noise_std': 0.1, 'others_delay': 0.3,
       'others_range': 5.0, 'others_in_sight': True}
INPUTS = ('pose', 'goal', 'leader', 'wind', 'twist')
NEURAL = 'neural_controller.controller:Neural'
TICKS = 20


def scene(knowledge, **more):
    places = [(1, 1, 0), (4, 1, 1), (8, 5, 2), (3, 5, -2)]
    return {'duration': TICKS / 10, 'rate': 10, 'seed': 4, 'knowledge': knowledge,
            'world': {'bounds': [0, 0, 10, 6], 'rectangles': [
                {'center': [2.5, 3.5], 'size': [4, 0.2]}]},
            'wind': {'wind_speed_mean': 0.2},
            'sensors': {'wind_noise_std': 0.01} if more.pop('noisy', False) else {},
            'robots': [{'pose': list(pose), 'controller': NEURAL, 'goal': [9 - x, 5 - y],
                        'parameters': {'network': 'network.json'}}
                       for pose in places for x, y, _ in [pose]], **more}


@pytest.fixture
def network(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    made = sbot.network('ctrnn', INPUTS, hidden=[3], outputs='twist', max_speed=0.8, turn=2.0)
    weights = np.random.default_rng(5).normal(size=made.weight_count)
    sbot.save_network('network.json', made, weights)
    return made, weights


def uncontrolled(knowledge, **more):
    values = scene(knowledge, **more)
    for robot in values['robots']:
        robot['controller'] = 'none'
        del robot['parameters']
    return values


KINDS = [ALL, {'pose_noise_std': 0.1}, {'pose_yaw_noise_std': 0.3}, {'pose_delay': 0.5},
         {'others_delay': 0.4}, {'others_range': 3.0}, {'others_in_sight': True},
         {'others_noise_std': 0.3}]


@pytest.mark.parametrize('knowledge', KINDS, ids=lambda each: '+'.join(each))
def test_worlds_give_the_bits_of_runs(network, knowledge):
    scenarios = [sbot.load(uncontrolled(each, seed=4 + k))
                 for k, each in enumerate((knowledge, {}, knowledge))]
    episode = sbot.Worlds(scenarios, seeds=[4, 5, 6], threads=2).run(
        *network, TICKS, keep=['pose', 'command'])
    for k, each in enumerate((knowledge, {}, knowledge)):
        run = sbot.run(scene(each), seed=4 + k)
        assert run.poses[:TICKS].tobytes() == episode.pose[:, k].tobytes()
        assert np.ptp(run.poses[:, :, :2], axis=0).max() > 0.1
    assert sbot.run(scene({}), seed=4).poses[:TICKS].tobytes() != episode.pose[:, 0].tobytes()


def test_a_part_reset_begins_anew_and_a_saved_state_knows_its_past(network):
    made, weights = network
    scenario = sbot.load(uncontrolled(ALL))
    worlds = sbot.Worlds(scenario, 2, seeds=[4, 9])
    worlds.run(made, weights, 7)
    memoryless = sbot.network('perceptron', INPUTS, outputs='twist', max_speed=0.8, turn=2.0)
    own = np.linspace(-1.0, 1.0, memoryless.weight_count)
    state, other = worlds.save(), copy.deepcopy(worlds)
    first = worlds.run(memoryless, own, 8, keep=['pose']).pose
    assert other.run(memoryless, own, 8, keep=['pose']).pose.tobytes() == first.tobytes()
    worlds.restore(state)
    assert worlds.run(memoryless, own, 8, keep=['pose']).pose.tobytes() == first.tobytes()
    worlds.restore(state[1], [0])
    again = worlds.run(memoryless, own, 8, keep=['pose']).pose
    assert again[:, 0].tobytes() == first[:, 1].tobytes()
    worlds.reset(worlds=[1])
    fresh = sbot.Worlds(scenario, 1, seeds=[9]).run(memoryless, own, 8, keep=['pose']).pose
    again = worlds.run(memoryless, own, 8, keep=['pose']).pose
    assert again[:, 1].tobytes() == fresh[:, 0].tobytes()


class Going(Task):
    inputs = INPUTS
    hold = 3
    seconds = 2.0
    outputs = 'twist'
    max_speed, turn = 0.8, 2.0

    def reward(self, before, now):
        return np.zeros(now.seen.pose.shape[:2])


def test_environments_observe_what_is_known(network):
    """The inputs at each step are those of a run with the same commands."""
    class Told:
        """Keeps its inputs; drives as the environment does."""

        def __init__(self, actions):
            self.table, self.actions, self.inputs = input_table(INPUTS), actions, []

        def step(self, observation, rng):
            self.inputs.append(_network_inputs(network[0], self.table, observation))
            return 0.8 * 0.5, 2.0 * self.actions[observation.robot_id]

    turns = (0.125, -0.25, 0.375, 0.0)  # float32 has them
    told = [Told(turns) for _ in range(4)]
    values = scene(ALL)
    for robot, each in zip(values['robots'], told, strict=True):
        robot['controller'] = each
        del robot['parameters']
    run = sbot.run(values)
    env = sbot.learn.parallel_env(uncontrolled(ALL), task=Going())
    observed = [env.reset(seed=4)[0]]
    actions = {f'robot_{i}': np.array([0.5, turn], np.float32) for i, turn in enumerate(turns)}
    for _ in range(4):
        observed.append(env.step(actions)[0])
    for step, rows in enumerate(observed):
        for i, each in enumerate(told):
            expected = each.inputs[3 * step].astype(np.float32)
            assert np.array_equal(np.asarray(rows[f'robot_{i}'], np.float32), expected), (step, i)
    assert run.poses.shape[1] == 4
