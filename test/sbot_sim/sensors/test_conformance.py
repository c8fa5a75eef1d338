"""What holds for every sensor: same bits everywhere, turned with the scene, nothing unasked."""

import os
import subprocess
import sys

import numpy as np
import pytest
import yaml
from every_sensor import NAMES, RECIPE, SCENE, installed, settings, turned

import sbot
from sbot.bag.compare import compare
from sbot.bag.reader import Bag
from sbot.learn.episodes import Episodes
from sbot.learn.task import Task
from sbot.regression.replay import replay
from sbot_common import topics
from sbot_common.errors import InputError
from sbot_common.wire import cdr
from sbot_sim.sensors import registry
from sbot_sim.sensors.registry import sensors

DEADLINE = 240.0  # s; long, as the first run compiles
SHIPPED = sensors()
each = pytest.mark.parametrize('name', NAMES)
each_switched = pytest.mark.parametrize('name', [
    RECIPE, *(name for name, sensor in SHIPPED.items() if sensor.switch)])
each_kernel = pytest.mark.parametrize('name', [
    RECIPE, *(name for name, sensor in SHIPPED.items() if sensor.kernel is not None)])


@pytest.fixture(scope='module', autouse=True)
def folder(tmp_path_factory):
    with installed(tmp_path_factory.mktemp('every_sensor')) as place:
        yield place


@pytest.fixture(scope='module')
def recorded(folder):
    """A run that every sensor drives, its bag, and what controllers were given."""
    values = {**SCENE, 'sensors': settings(noise=True), 'python_path': [str(folder)],
              'robots': [{**robot, 'controller': 'every_reader:Reader'}
                         for robot in SCENE['robots']]}
    (folder / 'all.yaml').write_text(yaml.safe_dump(values))
    run = sbot.run(str(folder / 'all.yaml'), record=folder / 'bag', sense=NAMES)
    return run, Bag(folder / 'bag'), dict(sys.modules['every_reader'].SEEN)


def parts(value):
    """The arrays of what is kept of a sensor."""
    return list(value) if isinstance(value, tuple) else [value]


@each
def test_a_record_is_whole(name):
    sensor = sensors()[name]
    assert sensor.name == name
    assert sensor.topic.type in cdr.typestore().types  # standard messages of ROS
    assert (sensor.settings is None or not sensor.switch
            or sensor.switch in [spec.name for spec in sensor.specs])
    if sensor.kernel is not None:
        value = sensor.kernel.value(*range(len(sensor.kernel.columns)))
        assert tuple(value) == tuple(range(len(sensor.kernel.columns)))


@each
def test_messages_carry_what_controllers_are_given(recorded, name):
    run, bag, seen = recorded
    sensor, rate = sensors()[name], run.scenario.rate
    numbers = sys.modules['every_reader'].numbers
    count = 0
    for robot in range(4):
        own = topics.resolve(sensor.topic, robot, 4)
        for message in bag.messages({own}):
            stamp_ns, value = sensor.decode(message.payload)
            assert numbers(value) == seen[robot, rate.tick(stamp_ns), name]
            count += 1
    assert count == 4 * len(run.poses)
    assert len({str(found) for key, found in seen.items() if key[2] == name}) > 1  # it does read


@each
def test_a_run_keeps_it_only_if_asked(recorded, name):
    run = recorded[0]
    for kept in parts(getattr(run, name)):
        assert len(kept) == len(run.poses)
        assert kept.shape[1] == 4
    plain = sbot.run({**SCENE, 'duration': 0.1, 'sensors': settings(noise=True)})
    assert name == 'wind' or getattr(plain, name) is None  # wind is kept anyway


def test_it_is_replayed_to_the_bit(recorded):
    result = replay(recorded[1])
    assert result.equal, result.first
    assert result.commands == 4 * len(recorded[0].poses)


@pytest.mark.forked
@pytest.mark.ros
def test_nodes_do_the_same(folder, recorded, tmp_path):
    done = subprocess.run(
        [sys.executable, '-m', 'sbot.cli', 'up', '--composed', str(folder / 'all.yaml'),
         '--record', str(tmp_path / 'live')], timeout=DEADLINE, capture_output=True, text=True,
        check=False, env={**os.environ, 'PYTHONPATH': os.pathsep.join(sys.path)})
    assert done.returncode == 0, done.stderr
    live = Bag(tmp_path / 'live')
    assert f'/robot_3/{RECIPE}' in live.names()
    comparison = compare(recorded[1], live)
    assert comparison.equal, comparison.first
    assert replay(live).equal


@pytest.fixture(scope='module')
def batch(folder):
    """What three worlds and a run of each sense at each tick."""
    scenario = sbot.load({**SCENE, 'sensors': settings(noise=True)})
    worlds = sbot.Worlds(scenario, seeds=[5, 6, 7], count=3)
    seen = [worlds.observe()] + [worlds.step(np.zeros((3, 4, 2))) for _ in range(20)]
    return seen, [sbot.run(scenario, seed=seed, sense=NAMES) for seed in (5, 6, 7)]


@each
def test_a_batch_gives_the_bits_of_each_world_alone(batch, name):
    seen, runs = batch
    for k, run in enumerate(runs):
        for tick, observations in enumerate(seen):
            for ours, alone in zip(parts(getattr(observations, name)), parts(getattr(run, name)),
                                   strict=True):
                np.testing.assert_array_equal(ours[k], alone[tick])


@each
def test_a_batch_senses_what_it_is_asked_for(name):
    values = {**SCENE, 'sensors': settings(noise=True)}
    worlds = sbot.Worlds(values, 2, sense=[name])
    everything = sbot.Worlds(values, 2)
    for _ in range(3):
        one, other = (each.step(np.full((2, 4, 2), 0.3)) for each in (worlds, everything))
        for ours, theirs in zip(parts(getattr(one, name)), parts(getattr(other, name)),
                                strict=True):
            np.testing.assert_array_equal(ours, theirs)
    assert [other for other in NAMES if getattr(one, other) is not None] == [name]


def same_but_for_rounding(name, one, other):
    sensor = sensors()[name]
    columns = () if sensor.kernel is None else sensor.kernel.columns
    for a, b in zip(parts(one), parts(other), strict=True):
        finite = np.isfinite(b)
        np.testing.assert_array_equal(np.isfinite(a), finite)
        apart = np.abs(np.where(finite, a, 0.0) - np.where(finite, b, 0.0))
        for i, column in enumerate(columns):
            if column.endswith('(rad)'):
                apart[..., i] = np.abs(np.remainder(apart[..., i] + np.pi, 2 * np.pi) - np.pi)
        assert apart.max(initial=0.0) < 1e-5, name  # ranges are float32


@pytest.mark.parametrize('noise', [False, True], ids=['exact', 'noisy'])
def test_a_scene_turned_and_moved_is_sensed_the_same(noise):
    reference = sbot.run(turned(0.0, (0.0, 0.0), noise), sense=NAMES)
    compared = []
    for degrees, move in ((90.0, (0.0, 0.0)), (-140.3, (40.0, -25.0))):
        run = sbot.run(turned(degrees, move, noise), sense=NAMES)
        for name, sensor in sensors().items():
            own_frame = sensor.turned is registry._unchanged
            if sensor.turned is not None and (own_frame or not noise):
                compared.append(name)
                same_but_for_rounding(name, getattr(run, name), sensor.turned(
                    getattr(reference, name), np.deg2rad(degrees)))
    assert len(set(compared)) >= 5


@each_switched
def test_off_it_is_nowhere(name, tmp_path):
    key = sensors()[name].switch
    values = {**SCENE, 'duration': 0.2, 'sensors': settings(noise=True, off=[name])}
    run = sbot.run(values, record=tmp_path / 'bag')
    on = sbot.run({**values, 'sensors': settings(noise=True)}, sense=[name])
    np.testing.assert_array_equal(run.poses, on.poses)
    sent = {own.rpartition('/')[2] for own in Bag(tmp_path / 'bag').names()}
    assert sensors()[name].topic.name not in sent
    for refused in (lambda: sbot.run(values, sense=[name]), lambda: sbot.World(values,
                                                                              sense=[name])):
        with pytest.raises(InputError, match=rf'sense: {name} needs sensors\.{key}: true'):
            refused()

    class Asks:
        def step(self, observation, rng):
            assert not name.startswith('_')
            return getattr(observation, name)[0], 0.0

    robot = {**SCENE['robots'][0], 'controller': Asks}
    with pytest.raises(InputError, match=rf'observation\.{name} needs .*sensors\.{key}: true'):
        sbot.run({**values, 'robots': [robot]})


def test_what_is_off_draws_nothing(monkeypatch):
    drawn = []
    for draw in ('normals', 'normals_of_worlds', 'uniforms'):
        function = getattr(registry, draw)
        monkeypatch.setattr(registry, draw, lambda *arguments, call=function: (
            drawn.append(arguments[1]), call(*arguments))[1])
    kernels = [name for name, sensor in sensors().items() if sensor.kernel is not None]
    for keys in (settings(noise=False), settings(noise=True, off=kernels)):
        sbot.run({**SCENE, 'duration': 0.1, 'sensors': keys})
        sbot.Worlds({**SCENE, 'sensors': keys}, 2).step(np.zeros((2, 4, 2)))
    assert not drawn
    sbot.run({**SCENE, 'duration': 0.1, 'sensors': settings(noise=True)})
    assert len(set(drawn)) > 2  # the spy does see


@each
def test_bad_settings_are_one_line_and_idle_ones_a_warning(name, caplog):
    sensor = sensors()[name]
    for spec in sensor.specs:
        with pytest.raises(InputError) as caught:
            sbot.load({**SCENE, 'sensors': {spec.name: {}}})
        assert f'sensors.{spec.name}' in str(caught.value)
        assert '\n' not in str(caught.value)
        if sensor.switch and isinstance(spec.default, float) and not sensor.for_wakes:
            caplog.clear()
            sbot.load({**SCENE, 'sensors': {spec.name: spec.default + 0.01 * (
                -1 if spec.maximum <= spec.default else 1)}})
            assert f'{spec.name}: has no effect without {sensor.switch}: true' in caplog.text


@each_kernel
def test_networks_and_learning_name_it(name, folder, monkeypatch):
    columns = len(sensors()[name].kernel.columns)
    values = {**SCENE, 'duration': 0.5, 'sensors': settings(noise=True)}
    inputs = (f'{name}:{columns}', 'twist')
    network = sbot.network('mlp', inputs, hidden=[3], outputs='twist', max_speed=0.6, turn=1.0)
    weights = np.random.default_rng(2).normal(size=network.weight_count)
    path = folder / f'{name}.json'
    sbot.save_network(path, network, weights)
    robots = [{**robot, 'controller': 'neural_controller.controller:Neural',
               'parameters': {'network': str(path)}} for robot in SCENE['robots']]
    run = sbot.run({**values, 'robots': robots})
    kept = sbot.Worlds(values, 2, seeds=[7, 8]).run(network, weights, 10, keep=['pose']).pose
    np.testing.assert_array_equal(kept[:, 0], run.poses[:10])

    class Learn(Task):
        def reward(self, before, now):
            return np.zeros(now.seen.pose.shape[:2])

    Learn.inputs = inputs
    episodes = Episodes(values, 2, Learn(), {})
    episodes.reset()
    episodes.step(np.full((2, 4, 2), 0.5))
    read = sensors()[name].kernel.sent(getattr(episodes.now.seen, name).reshape(8, columns))
    np.testing.assert_array_equal(episodes.observation()[..., :columns].reshape(8, columns),
                                  read.astype(np.float32))
    for wrong in (f'{name}:{columns + 1}', 'smell:2', name):
        with pytest.raises(InputError, match='inputs: got'):
            sbot.Worlds(values, 2).run(sbot.network('perceptron', [wrong]), [0.0], 1)
