import json
import math
import runpy
import shlex
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from children import python

import sbot
from sbot.cli.main import main
from sbot.controllers.registry import names
from sbot.scenario.load import load_scenario
from sbot.scenario.shipped import config_directory


def test_the_list_fits_80_columns_and_has_a_text_for_everything(capsys):
    assert main(['list']) == 0
    assert max(map(len, capsys.readouterr().out.splitlines())) < 80
    assert main(['list', '--json']) == 0
    found = json.loads(capsys.readouterr().out)
    assert list(found) == ['scenarios', 'gallery', 'maps', 'winds', 'robots', 'controllers',
                           'tasks']
    assert all(text for entries in found.values() for text in entries.values())
    assert found['maps']['maps/rooms.yaml'].startswith('Three rooms')
    assert set(names()) < set(found['controllers'])


def test_what_is_listed_can_be_used(capsys):
    assert main(['list', '--json']) == 0
    found = json.loads(capsys.readouterr().out)
    assert 'wind_blocking' in found['scenarios']
    for name in found['scenarios']:
        assert load_scenario(name).name == name
    for name in found['gallery']:
        assert f'gallery/{load_scenario(name).name}' == name
    for name in found['winds']:
        assert load_scenario('single_robot', {
            'wind.use_custom_static_wind_field': True, 'wind.custom_wind_field_path': name})
    for name in found['robots']:
        assert name in load_scenario('single_robot', {'robots.0.body': name}).bodies
    for name in found['maps']:
        assert load_scenario('rooms', {'world.map': name})


def test_one_kind(capsys):
    assert main(['list', 'winds']) == 0
    out = capsys.readouterr().out
    assert 'wind/vortex.txt' in out
    assert 'leader_follower' not in out


@pytest.mark.parametrize('controller', [False, True])
def test_a_new_scenario_runs_and_is_never_overwritten(tmp_path, capsys, controller):
    options = ['--controller'] if controller else []
    assert main(['new', str(tmp_path / 'my-first'), *options]) == 0
    assert (tmp_path / 'my_first.py').exists() == controller
    path = tmp_path / 'my-first.yaml'
    assert 'NAME' not in path.read_text()
    assert 'MODULE' not in path.read_text()
    capsys.readouterr()
    assert main(['run', str(path), '--quiet', '--json']) == 0
    summary = json.loads(capsys.readouterr().out)
    assert summary['overlaps'] == 0
    if controller:
        assert sum(robot['collisions'] for robot in summary['robots']) == 0
    with_goal = range(2 if controller else 1)
    assert all(summary['robots'][i]['goal_reached_s'] for i in with_goal)
    before = path.read_text()
    assert main(['new', str(path), *options]) == 2
    assert 'exists' in capsys.readouterr().err
    assert path.read_text() == before


@pytest.mark.forked
@pytest.mark.ros
def test_a_new_node_runs_by_the_commands_that_are_printed(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(['new', 'mine', '--node']) == 0
    *files, first, second = capsys.readouterr().out.splitlines()
    assert files == [f'mine/{name}' for name in ('README.md', 'node.py', 'scenario.yaml',
                                                 'test_node.py')]
    readme = Path('mine/README.md').read_text()
    assert len(readme.splitlines()) == 5
    change, run = first.removeprefix('try:  ').split(' && ')
    test = second.removeprefix('then: ')
    assert f'`{run}`' in readme
    assert f'`{test}`' in readme
    monkeypatch.chdir(change.removeprefix('cd '))
    done = python('-m', 'sbot.cli', *shlex.split(run)[1:], '--json')
    assert done.returncode == 0, done.stderr
    robot, = json.loads(done.stdout)['robots']
    assert robot['goal_reached_s']
    assert robot['collisions'] == 0
    assert Path('tracks.png').stat().st_size
    done = python(*shlex.split(test)[1:], '-q', '--rootdir=.')
    assert '1 passed' in done.stdout, done.stdout
    node = Path('node.py')
    node.write_text(node.read_text().replace("'speed', 0.6", "'speed', 0.59"))
    done = python(*shlex.split(test)[1:], '-q', '--rootdir=.')
    assert '1 failed' in done.stdout, done.stdout


def test_a_new_node_overwrites_nothing_and_needs_a_name_of_a_folder(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path('mine').mkdir()
    for words, message in ((['mine'], 'mine: exists already; give a new name'),
                           (['a b'], "NAME: got 'a b', expected a name of letters"),
                           (['none/mine'], "NAME: got 'none/mine', expected a name of letters"),
                           (['other', '--controller'], '--controller cannot be combined with'),
                           (['other', '--from', 'x.world'], '--from cannot be combined with')):
        assert main(['new', *words, '--node']) == 2
        assert message in capsys.readouterr().err
    assert [path.name for path in tmp_path.rglob('*')] == ['mine']


@pytest.mark.ros
@pytest.mark.parametrize('touched', [0.0, -0.1, -math.inf])
def test_the_new_node_turns_away_from_what_its_laser_touches(touched):
    """A noisy range may be 0, and one below range_min is -inf."""
    source = config_directory() / 'templates' / 'node' / 'node.py'
    driver = SimpleNamespace(pose=(0.0, 0.0, 0.0), goal=(5.0, 0.0), speed=0.6, room=0.5)
    ranges = [math.inf] * 80 + [touched] * 20 + [math.inf] * 80
    scan = SimpleNamespace(angle_min=-math.pi / 2, angle_increment=math.pi / 179, ranges=ranges)
    speed, turn = runpy.run_path(str(source))['Driver'].drive(driver, scan)
    assert speed == 0.0
    assert abs(turn) >= 1.0


@pytest.mark.parametrize('name', ['', 'a b', 'nowhere/at/all', 'class', 'a\0b'])
def test_a_bad_name_is_one_line(tmp_path, capsys, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    assert main(['new', name, '--controller']) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1
    assert not list(tmp_path.iterdir())


def test_a_world_of_stage_is_written_as_a_scenario_that_runs(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path('hall.world').write_text('position ( pose [1 2 0 90] )\nmodel ( pose [5 5 0 0] )')
    assert main(['new', 'hall', '--from', 'hall.world']) == 0
    assert capsys.readouterr().out.splitlines()[0] == 'hall.yaml'
    assert main(['run', 'hall.yaml', '--duration', '0.2', '--quiet', '--json']) == 0
    assert json.loads(capsys.readouterr().out)['ticks'] == 2
    for arguments, expected in ((['hall', '--from', 'hall.world'], 'exists already'),
                                (['b', '--from', 'hall.yaml'], '--from: got'),
                                (['b', '--from', 'none.world'], 'no such file'),
                                (['b', '--from', 'hall.world', '--controller'], 'cannot be')):
        assert main(['new', *arguments]) == 2
        assert expected in capsys.readouterr().err
    assert not Path('b.yaml').exists()


LEARNED = {'rate': 12, 'duration': 1, 'world': {'bounds': [0, 0, 9, 9]},
           'robots': [{'body': 'e-puck2', 'count': 2, 'controller': 'none'}],
           'sensors': {'scan_beams': 8, 'scan_range_max': 2, 'range_and_bearing': True}}


def drives(inputs, weights, memory, outputs, layers, dt):
    outputs[0] = outputs[1] = weights[0]


@pytest.mark.parametrize('controller', ['network', 'function_policy'])
def test_the_scenario_has_what_the_network_learned_with(tmp_path, capsys, caplog, controller):
    (tmp_path / 'nets').mkdir()
    path, inputs = tmp_path / 'nets' / 'a.json', ['scan:4', 'goal', 'neighbours']
    if controller == 'network':
        network = sbot.network('perceptron', inputs)
        sbot.save_network(path, network, np.ones(network.weight_count), scenario=LEARNED)
    else:
        sbot.save_policy(path, sbot.function_policy(drives, inputs, weights=1), [1.0],
                         scenario=LEARNED)
    assert main(['new', str(tmp_path / 'drive'), '--from', str(path)]) == 0
    scenario = sbot.load(tmp_path / 'drive.yaml')
    assert scenario.rate.hz == 12
    assert [robot.body for robot in scenario.robots] == ['e-puck2'] * 2
    assert (scenario.sensors.scan.scan_beams, scenario.sensors.scan.scan_range_max) == (8, 2)
    assert 'nets/a.json' in (tmp_path / 'drive.yaml').read_text()
    assert np.ptp(sbot.run(scenario, duration=1).poses[:, :, 0], axis=0).min() > 0.01
    assert not caplog.records


def test_a_file_without_these_is_refused(tmp_path, capsys):
    sbot.save_network(tmp_path / 'a.json', sbot.network(), np.zeros(32))
    assert main(['new', str(tmp_path / 'drive'), '--from', str(tmp_path / 'a.json')]) == 2
    assert 'a.json needs learned_with' in capsys.readouterr().err
    assert not (tmp_path / 'drive.yaml').exists()
