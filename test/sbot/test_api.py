"""``import sbot``: the public API."""

import inspect
import json
import re
import sys
from operator import attrgetter
from pathlib import Path

import numpy as np
import pytest
from children import python

import sbot
from sbot.cli.main import main

ROOT = Path(__file__).resolve().parents[2]


class Straight:
    def __init__(self, speed=0.5):
        self.speed = speed
        self.ticks = []

    def reset(self):
        self.ticks.clear()

    def step(self, observation, rng):
        self.ticks.append(observation.tick)
        return self.speed, 0.0


def scenario(**changes):
    return {'duration': 0.5, 'world': {'bounds': np.array([0, 0, 9, 9])},
            'robots': [{'pose': (2, 2, 0), 'controller': Straight},
                       {'pose': np.array([5.0, 5.0, 0.0]), 'controller': Straight(0.25)}],
            **changes}


def test_importing_it_loads_nothing_heavy():
    code = ('import sys, sbot; '
            'heavy = {"numpy", "numba", "yaml", "matplotlib", "sbot.api", "sbot.scenario"}; '
            'assert not heavy & set(sys.modules), heavy & set(sys.modules); '
            'print(*dir(sbot)); sbot.load; assert "sbot.scenario" in sys.modules')
    done = python('-c', code)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == sorted(sbot.__all__)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'runn'"):
        sbot.runn


@pytest.mark.parametrize('name', ['load', 'run', 'replay', 'session', 'sweep', 'World', 'Worlds',
                                  *(f'learn.{name}' for name in ('env', 'vector_env'))])
def test_editors_know_the_types_of_overrides(name):
    kind = inspect.signature(attrgetter(name)(sbot)).parameters['overrides'].annotation
    assert re.fullmatch(r'Unpack\[(Seeded|Sweep|)Overrides\]', kind)


def test_every_public_name_is_documented():
    page = (ROOT / 'docs' / 'python.md').read_text('utf-8')
    for name in sbot.__all__:
        assert getattr(sbot, name).__doc__
        assert f'sbot.{name}' in page, name


def test_run_gives_the_hash_that_the_command_gives(capsys):
    run = sbot.run('leader_follower', seed=3, duration=0.5)
    assert main(['run', 'leader_follower', '--seed', '3', '--duration', '0.5', '--json',
                 '--quiet']) == 0
    printed = json.loads(capsys.readouterr().out)
    assert run.summary['trajectory_sha256'] == printed['trajectory_sha256']
    assert run.poses.shape == (16, 4, 3)
    np.testing.assert_allclose(run.seconds, np.arange(16) / 30, atol=1e-8)


@pytest.mark.parametrize('form', ['name', 'path', 'text', 'dict', 'scenario'])
def test_a_scenario_comes_in_many_forms(form, tmp_path):
    complete = sbot.load('single_robot')
    path = tmp_path / 'mine.yaml'
    path.write_text(complete.to_yaml())
    source = {'name': 'single_robot', 'path': path, 'text': complete.to_yaml(),
              'dict': complete.to_dict(), 'scenario': complete}[form]
    changed = sbot.load(source, duration=2, **{'wind.wind_speed_mean': 0.25})
    assert changed.duration == 2.0
    assert changed.wind.flow.wind_speed_mean == 0.25
    assert changed.world == complete.world
    assert sbot.load(complete) is complete


def test_errors_name_the_place_and_what_was_expected():
    with pytest.raises(sbot.InputError, match=r'^scenario: duration: got -1, expected'):
        sbot.load(scenario(duration=-1))
    with pytest.raises(sbot.InputError, match=r'robots\.0\.controller: got 3, expected a name'):
        sbot.load({'robots': [{'controller': 3}]})
    with pytest.raises(sbot.InputError, match=r'scenario\.wind: got <object'):
        sbot.load(scenario(wind=object()))
    with pytest.raises(sbot.InputError, match='expected a name, a path, YAML text, a dict or a'):
        sbot.load(3)
    with pytest.raises(sbot.InputError, match="sense: got 'scans', expected 'scan', its new name"):
        sbot.run('single_robot', duration=0.1, sense=['scans'])
    with pytest.raises(sbot.InputError, match="sense: got 'scans', expected 'scan', its new name"):
        sbot.World('single_robot', sense=['scans'])
    with pytest.raises(sbot.InputError, match=r'infrared needs sensors\.infrared: true'):
        sbot.run('single_robot', duration=0.1, sense=['infrared'])


def test_a_loaded_scenario_with_another_seed_is_placed_anew():
    loaded = sbot.load('sbot_aggregation', seed=1)
    for again in (sbot.load(loaded, seed=2), sbot.load(sbot.load(loaded, seed=3), seed=2)):
        assert again == sbot.load('sbot_aggregation', seed=2)
    assert again.robots != loaded.robots


def test_worlds_need_no_file_of_a_controller_that_they_do_not_use(tmp_path, monkeypatch):
    """A scenario may name the network that is to be evolved in it."""
    monkeypatch.chdir(tmp_path)
    neural = 'neural_controller.controller:Neural'
    text = f"""
duration: 1
world: {{bounds: [0, 0, 9, 9]}}
robots: [{{pose: [2, 2, 0], controller: '{neural}', parameters: {{network: best.json}}}},
         {{pose: [4, 4, 0], controller: 'not_written_yet:Mine'}}]
"""
    (tmp_path / 'own.yaml').write_text(text)
    values = {'duration': 1, 'world': {'bounds': [0, 0, 9, 9]}, 'robots': [
        {'pose': [2, 2, 0], 'controller': neural, 'parameters': {'network': 'best.json'}},
        {'pose': [4, 4, 0], 'controller': 'not_written_yet:Mine'}]}
    for source in ('own.yaml', text, values):
        assert sbot.World(source, seed=3).robots == 2
        with pytest.raises(sbot.InputError, match=r'best\.json.*existing file'):
            sbot.run(source)
    with pytest.raises(sbot.InputError, match='duration: got -1'):
        sbot.World('own.yaml', duration=-1)
    with pytest.raises(sbot.InputError, match="did you mean 'bounds'"):
        sbot.World({**values, 'world': {'bound': [0, 0, 9, 9]}})


def test_what_cannot_work_is_refused_before_the_run(monkeypatch, tmp_path):
    monkeypatch.setattr('sbot.runner.loop.run_scenario', None)
    with pytest.raises(sbot.InputError, match=r'\.html'):
        sbot.view('single_robot', tmp_path / 'x.txt')
    with pytest.raises(sbot.InputError, match=r'\.gif'):
        sbot.plot('single_robot', tmp_path / 'x.txt')
    monkeypatch.undo()
    with pytest.raises(sbot.InputError, match='threads: got 0'):
        sbot.run('single_robot', threads=0)
    with pytest.raises(sbot.InputError, match=r"sense: got 'scan', expected a list"):
        sbot.run('single_robot', sense='scan')


def test_controllers_may_be_classes_and_objects():
    given = scenario()
    given['robots'][0]['parameters'] = {'speed': 0.125}
    first = sbot.run(given)
    assert set(first.commands[:, 0, 0]) == {0.125}
    assert set(first.commands[:, 1, 0]) == {0.25}
    assert given['robots'][1]['controller'].ticks == list(range(16))
    # An object's reset() makes the next run like the first.
    again = sbot.run(first.scenario)
    assert again.summary['trajectory_sha256'] == first.summary['trajectory_sha256']
    assert given['robots'][1]['controller'].ticks == list(range(16))


def test_two_classes_of_one_name_are_told_apart_or_refused():
    def make():
        class Straight:
            def step(self, observation, rng):
                return 0.0, 0.0
        return Straight
    robots = [{'pose': [2 * i + 1, 1, 0], 'controller': make()} for i in range(2)]
    with pytest.raises(sbot.InputError, match=r'robots\.1\.controller: two different classes'):
        sbot.load(scenario(robots=robots))
    robots = [{'pose': [2 * i + 1, 1, 0], 'controller': make()()} for i in range(3)]
    loaded = sbot.load(scenario(robots=robots))
    assert [robot.controller for robot in loaded.robots] == [
        'object:Straight', 'object:Straight_2', 'object:Straight_3']


def test_a_recording_of_objects_needs_them_again(tmp_path):
    run = sbot.run(scenario(), record=tmp_path / 'bag')
    with pytest.raises(sbot.InputError, match='was an object given from Python'):
        sbot.replay(tmp_path / 'bag')
    result = sbot.replay(tmp_path / 'bag', controllers=run.scenario.given)
    assert result.equal
    assert result.commands == 32
    slower = {**run.scenario.given, 'object:Straight': Straight(0.2)}
    assert not sbot.replay(sbot.Bag(tmp_path / 'bag'), controllers=slower).equal


def test_a_run_as_a_table():
    pytest.importorskip('pandas')
    run = sbot.run('leader_follower', duration=0.2, sense=['odometry'])
    table = run.to_dataframe()
    assert len(table) == run.poses.shape[0] * run.poses.shape[1]
    row = table[(table.tick == 3) & (table.robot == 2)].iloc[0]
    assert (row.x_m, row.y_m, row.yaw_rad) == tuple(run.poses[3, 2])
    assert (row.v_mps, 0.0, row.omega_radps) == tuple(run.commands[3, 2])
    assert row.odom_x_m == run.odometry[3, 2, 0]
    assert row.time_s == pytest.approx(0.1)


def test_without_pandas_a_table_says_what_to_install(monkeypatch):
    run = sbot.run('single_robot', duration=0.1)
    monkeypatch.setitem(sys.modules, 'pandas', None)
    with pytest.raises(sbot.InputError, match=r'pip install'):
        run.to_dataframe()


def test_plot_draws_runs_recordings_and_scenarios(tmp_path):
    run = sbot.run('single_robot', duration=0.3, record=tmp_path / 'bag')
    assert len(sbot.plot(run).axes) == 2
    for name, source in (('a.png', run), ('b.png', tmp_path / 'bag')):
        assert sbot.plot(source, tmp_path / name) == tmp_path / name
    assert (tmp_path / 'a.png').read_bytes() == (tmp_path / 'b.png').read_bytes()
    short = sbot.load('single_robot', duration=0.2)
    sbot.plot(short, tmp_path / 'c.gif')
    assert len(sbot.plot(short.to_yaml()).axes) == 2
    assert (tmp_path / 'c.gif').read_bytes()[:3] == b'GIF'
    with pytest.raises(sbot.InputError, match=r'\.png, \.svg, \.pdf'):
        sbot.plot(run, tmp_path / 'a.bmp')


def test_a_run_that_was_not_kept_has_no_picture(tmp_path):
    run = sbot.run('single_robot', duration=0.1, keep=False)
    for draw, name in ((sbot.plot, 'out.png'), (sbot.view, 'out.html')):
        with pytest.raises(sbot.InputError, match='keep=True'):
            draw(run, tmp_path / name)
