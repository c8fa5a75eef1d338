"""What holds for every sensor: ``sbot.testing``, nothing unasked, nodes, networks, learning."""

import os
import sys

import numpy as np
import pytest
import yaml
from children import run_sbot
from every_sensor import NAMES, RECIPE, installed

import sbot
from sbot.bag.compare import Comparison
from sbot.bag.reader import Bag
from sbot.learn.episodes import Episodes
from sbot.learn.task import Task
from sbot.regression.replay import replay
from sbot.testing import _SCENE, _driven, _parts, _scene, _settings, check_sensor
from sbot_common.errors import InputError
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
        assert set(NAMES) == set(sensors())
        yield place


@each
def test_it_keeps_what_holds_for_every_sensor(name):
    assert sensors()[name].name == name
    check_sensor(sensors()[name])


@pytest.mark.parametrize(('part', 'wrong', 'words'), [
    ('decode', lambda raw: (sensors()[RECIPE].decode(raw)[0], (0.0, 0.0)), 'messages have not'),
    ('turned', lambda field, angle: field, 'turned by 90.0 degrees'),
    ('switch', 'compass_on', 'none of its settings'),
    ('kernel.value', lambda forwards, left: (left, forwards), 'value of its kernel'),
    ('kernel.sent', lambda readings: readings + 1.0, 'messages have not'),
    ('kernel.read', lambda settings, view, _: view.normals(3, 2), 'draws'),
    ('kernel.read', lambda _, view, __: np.full((len(view.pose), 2), float(len(view.pose))),
     'reads the same')])
def test_what_is_wrong_is_one_line(part, wrong, words, monkeypatch):
    sensor = sensors()[RECIPE]
    first, _, second = part.partition('.')
    other = sensor._replace(**{first: sensor.kernel._replace(**{second: wrong}) if second
                               else wrong})
    with pytest.raises(AssertionError, match=f'^sensor {RECIPE}: it is in no module'):
        check_sensor(other)
    everything = {**sensors(), RECIPE: other}
    for name in [name for name in sys.modules if name.startswith('sbot')]:
        if getattr(sys.modules[name], 'sensors', None) is sensors:
            monkeypatch.setattr(f'{name}.sensors', lambda: everything)
    with pytest.raises(AssertionError, match=f'^sensor {RECIPE}: [^\n]*{words}[^\n]*$'):
        check_sensor(other)


@pytest.fixture(scope='module')
def recorded(folder):
    """A run that every sensor drives, and its bag."""
    robots = _driven('sbot.testing:_Reader', sensors=NAMES)
    (folder / 'all.yaml').write_text(yaml.safe_dump(
        _scene(robots=robots, python_path=[str(folder)])))
    run = sbot.run(str(folder / 'all.yaml'), record=folder / 'bag', sense=NAMES)
    return run, Bag(folder / 'bag')


@each
def test_a_run_keeps_it_only_if_asked(recorded, name):
    run = recorded[0]
    assert {kept.shape[:2] for kept in _parts(getattr(run, name))} == {(len(run.poses), 4)}
    plain = sbot.run(_scene(duration=0.1))
    assert name == 'wind' or getattr(plain, name) is None  # wind is kept anyway


@pytest.mark.ros
def test_nodes_do_the_same(folder, recorded, tmp_path):
    done = run_sbot('up', '--composed', folder / 'all.yaml', '--record', tmp_path / 'live',
                    env={**os.environ, 'PYTHONPATH': os.pathsep.join(sys.path)})
    assert done.returncode == 0, done.stderr
    live = Bag(tmp_path / 'live')
    assert f'/robot_3/{RECIPE}' in live.names()
    comparison = Comparison.of(recorded[1], live)
    assert comparison.equal, comparison.first
    assert replay(live).equal


@each_switched
def test_off_it_is_nowhere(name, tmp_path):
    key = sensors()[name].switch
    values = _scene(duration=0.2, sensors=_settings(noise=True, off=[name]))
    run = sbot.run(values, record=tmp_path / 'bag')
    np.testing.assert_array_equal(run.poses, sbot.run(_scene(duration=0.2), sense=[name]).poses)
    sent = {own.rpartition('/')[2] for own in Bag(tmp_path / 'bag').names()}
    assert sensors()[name].topic.name not in sent
    for refused in (sbot.run, sbot.World):
        with pytest.raises(InputError, match=rf'sense: {name} needs sensors\.{key}: true'):
            refused(values, sense=[name])

    robots = _driven('sbot.testing:_Reader', sensors=[name])
    with pytest.raises(InputError, match=rf'observation\.{name} needs .*sensors\.{key}: true'):
        sbot.run({**values, 'robots': robots})


@each
def test_bad_settings_are_one_line_and_idle_ones_a_warning(name, caplog):
    sensor = sensors()[name]
    for spec in sensor.specs:
        with pytest.raises(InputError) as caught:
            sbot.load({**_SCENE, 'sensors': {spec.name: {}}})
        assert f'sensors.{spec.name}' in str(caught.value)
        assert '\n' not in str(caught.value)
        if sensor.switch and isinstance(spec.default, float) and not sensor.for_wakes:
            caplog.clear()
            sbot.load({**_SCENE, 'sensors': {spec.name: spec.default + 0.01 * (
                -1 if spec.maximum <= spec.default else 1)}})
            assert f'{spec.name}: has no effect without {sensor.switch}: true' in caplog.text


@each_kernel
def test_networks_and_learning_name_it(name, folder):
    columns = len(sensors()[name].kernel.columns)
    values = _scene(duration=0.5)
    inputs = (f'{name}:{columns}', 'twist')
    network = sbot.network('mlp', inputs, hidden=[3], outputs='twist', max_speed=0.6, turn=1.0)
    weights = np.random.default_rng(2).normal(size=network.weight_count)
    path = folder / f'{name}.json'
    sbot.save_network(path, network, weights)
    run = sbot.run({**values, 'robots': _driven('network', network=str(path))})
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
