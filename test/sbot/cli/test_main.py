import argparse
import json
import signal
import subprocess
import sys
import time

import pytest
from children import run_sbot

from sbot.cli.main import COMMANDS, main, make_parser
from sbot.cli.simulate import _name_awaited_nodes
from sbot.scenario.load import load_scenario

ARENA = 'world: {bounds: [0, 0, 10, 10]}\n'
ROBOT = 'robots: [{pose: [5, 5, 0], goal: [7, 7]}]\n'


def test_run_prints_one_json_object_with_the_documented_keys(capsys):
    assert main(['run', 'single_robot', '--duration', '1', '--json', '--quiet']) == 0
    summary = json.loads(capsys.readouterr().out)
    assert set(summary) == {'scenario', 'seed', 'ticks', 'sim_time_s', 'wall_time_s',
                            'real_time_factor', 'trajectory_sha256', 'overlaps', 'leader',
                            'robots'}
    assert {'id', 'pose', 'goal_reached_s', 'path_length_m', 'collisions', 'reverts',
            'max_leader_distance_m'} <= set(summary['robots'][0])
    assert summary['ticks'] == 30


def test_options_change_the_scenario(capsys):
    assert main(['run', 'single_robot', '--seed', '7', '--duration', '0.5', '--json', '--quiet',
                 '--set', 'wind.wind_speed_mean=0.5', '--set', 'robots.0.pose=[6, 12, 0]']) == 0
    summary = json.loads(capsys.readouterr().out)
    assert (summary['seed'], summary['ticks']) == (7, 15)
    assert summary['robots'][0]['pose'][0] > 6


def test_a_run_in_which_no_robot_arrives_names_what_to_look_at(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    short = ['run', 'single_robot', '--duration', '0.5']
    for options, look in (([], '--plot tracks.png shows the tracks'),
                          (['--plot', 'a.png'], 'a.png shows the tracks'),
                          (['--record', 'bag'], 'sbot view bag -o run.html shows the run')):
        assert main([*short, *options]) == 0
        assert f'0 of 1 robots with a goal arrived: {look}; --duration' in capsys.readouterr().err
    for silent in (['--quiet'], ['--set', 'robots.0.goal_tolerance=99'],
                   ['--set', 'robots.0.goal=null', '--set', 'robots.0.controller=none']):
        assert main([*short, *silent]) == 0
        assert 'arrived' not in capsys.readouterr().err


@pytest.mark.parametrize(('text', 'expected'), [
    (ARENA + ROBOT + 'duratoin: 5\n', "did you mean 'duration'"),
    (ARENA.replace('}', ', circles: [{center: [5, 5], radius: 1}]}') + ROBOT, 'world.circles.0'),
    ('a: &a [x, x]\n' + ''.join(
        f'{chr(98 + i)}: &{chr(98 + i)} [{", ".join([f"*{chr(97 + i)}"] * 9)}]\n'
        for i in range(12)), 'alias')])
def test_a_bad_scenario_gets_one_line_and_leaves_nothing(tmp_path, capsys, text, expected):
    path = tmp_path / 'bad.yaml'
    path.write_text(text)
    assert main(['run', str(path), '--record', str(tmp_path / 'bag')]) == 2
    error = capsys.readouterr().err
    assert len(error.strip().splitlines()) == 1
    assert str(path) in error
    assert expected in error
    assert [p.name for p in tmp_path.iterdir()] == ['bad.yaml']


def test_an_existing_bag_is_never_overwritten(tmp_path, capsys):
    assert main(['run', 'single_robot', '--record', str(tmp_path)]) == 2
    assert capsys.readouterr().err == (
        f'sbot: --record: {tmp_path} exists already, and a recording is never overwritten; give '
        'another name, or remove it first\n')
    assert tmp_path.is_dir()


@pytest.mark.forked
@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_a_run_with_one_line_and_a_readable_bag(tmp_path, number):
    from sbot.bag.reader import Bag
    bag = tmp_path / 'bag'
    process = subprocess.Popen([sys.executable, '-m', 'sbot.cli', 'run', 'leader_follower',
                                '--duration', '100000', '--record', str(bag)],
                               stderr=subprocess.PIPE, text=True)
    try:
        # When the first chunk is in the file, the run is under way.
        deadline = time.monotonic() + 240
        while sum(file.stat().st_size for file in bag.glob('*.mcap')) < 100_000:
            assert time.monotonic() < deadline
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(number)
        _, error = process.communicate(timeout=240)
    finally:
        process.kill()
    assert process.returncode == 1
    assert 'Traceback' not in error
    assert 'interrupted' in error
    assert f'recorded until then: {bag}' in error
    assert sum(1 for _ in Bag(bag).messages()) > 100


FAILING = """
import sys

class Bot:
    def __init__(self, when):
        self.when = when
        if when == 'made':
            sys.exit(0)

    def step(self, observation, rng):
        if observation.tick == (0 if self.when == 'begin' else 3):
            sys.exit(0) if self.when == 'exit' else self.think()
        return 0.1, 0.0

    def think(self):
        raise ValueError('no more ideas')
"""


@pytest.mark.forked
@pytest.mark.parametrize(('when', 'line', 'ended'), [
    ('exit', 'robot 0 at tick 3: Bot.step(): SystemExit: 0', 'at tick 3 of 30'),
    ('raise', 'robot 0 at tick 3: Bot.step(): ValueError: no more ideas', 'at tick 3 of 30'),
    # Nothing was recorded: the name is free for the next try.
    ('begin', 'robot 0 at tick 0: Bot.step(): ValueError: no more ideas', None),
    ('made', 'robot 0: Bot(): SystemExit: 0', None)])
def test_a_controller_that_ends_itself_fails_the_run(tmp_path, when, line, ended):
    from sbot.bag.reader import Bag
    (tmp_path / 'failing_bot.py').write_text(FAILING)
    (tmp_path / 'own.yaml').write_text(
        'duration: 1\nworld: {bounds: [0, 0, 10, 10]}\nrobots: [{pose: [3, 3, 0], controller: '
        f"'failing_bot:Bot', parameters: {{when: {when}}}}}]\n")
    bag = tmp_path / 'bag'
    done = run_sbot('run', tmp_path / 'own.yaml', '--record', bag, '--quiet')
    assert done.returncode == 1
    assert done.stdout == ''
    assert done.stderr.splitlines()[-1] == f'sbot: {line}'
    assert ('in think' in done.stderr) == (when in ('raise', 'begin'))
    assert 'sbot_common/observation.py' not in done.stderr
    assert bag.exists() == (ended is not None)
    if ended is not None:
        assert Bag(bag).cut_short == f'{ended}: {line}'
        alone = Bag(next(bag.glob('*.mcap')))
        assert alone.topics()
        assert alone.cut_short == f'{ended}: {line}'
        info = subprocess.run([sys.executable, '-m', 'sbot.cli', 'bag', 'info', str(bag)],
                              capture_output=True, text=True, check=True)
        assert f'the run was cut short: {ended}' in info.stdout


ENDLESS = """
from pathlib import Path

class Bot:
    def step(self, observation, rng):
        while observation.tick == 2:
            Path(__file__).with_name('begun').touch()
        return 0.1, 0.0
"""


@pytest.mark.forked
def test_the_second_signal_ends_a_run_with_an_endless_controller(tmp_path):
    from sbot.bag.reader import Bag
    (tmp_path / 'endless_bot.py').write_text(ENDLESS)
    (tmp_path / 'own.yaml').write_text(
        'duration: 1\nworld: {bounds: [0, 0, 10, 10]}\n'
        "robots: [{pose: [3, 3, 0], controller: 'endless_bot:Bot'}]\n")
    bag = tmp_path / 'bag'
    process = subprocess.Popen([sys.executable, '-m', 'sbot.cli', 'run',
                                str(tmp_path / 'own.yaml'), '--record', str(bag)])
    try:
        deadline = time.monotonic() + 240
        while not (tmp_path / 'begun').exists():
            assert time.monotonic() < deadline
            assert process.poll() is None
            time.sleep(0.01)
        while process.poll() is None:
            assert time.monotonic() < deadline
            process.send_signal(signal.SIGTERM)
            time.sleep(0.01)
    finally:
        process.kill()
    assert process.wait() == -signal.SIGTERM
    assert not Bag(bag).complete


@pytest.mark.parametrize('closed', ['<&-', '2>&-'])
def test_closed_streams_are_no_error(closed):
    done = subprocess.run(f'"{sys.executable}" -m sbot.cli wind --help {closed}', shell=True,
                          capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0
    assert 'Traceback' not in done.stderr


@pytest.mark.parametrize('command', [name for name, _, _ in COMMANDS])
def test_help_says_of_a_command_what_its_module_says(command):
    assert make_parser(command).format_help() == make_parser().format_help()


def test_help_imports_no_command():
    code = ('import sys; from sbot.cli.main import make_parser; make_parser().format_help(); '
            'print([name for name in ("numpy", "numba", "yaml") if name in sys.modules])')
    done = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == '[]'


def test_a_command_in_this_process_gives_the_handlers_back():
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = [signal.getsignal(number) for number in numbers]
    assert main(['list']) == 0
    assert main(['run', 'nowhere']) == 2
    assert [signal.getsignal(number) for number in numbers] == before


@pytest.mark.parametrize(('given', 'usage'), [
    (['run', 'leader_follower', '--speed', '2'], 'usage: sbot run '),
    (['bag', 'info', 'x', '--speed', '2'], 'usage: sbot bag info ')])
def test_an_unknown_option_prints_the_usage_of_its_command(given, usage, capsys):
    with pytest.raises(SystemExit) as caught:
        main(given)
    assert caught.value.code == 2
    error = capsys.readouterr().err
    assert error.startswith(usage)
    assert 'unrecognized arguments: --speed' in error


@pytest.mark.parametrize(('given', 'said'), [
    (['plot', 'bag', '-o', 'a.png', '--titl', 'x'], "--titl x; did you mean '--title'?"),
    (['run', 'single_robot', '--seeds', '1:9'],
     "--seeds 1:9; did you mean '--seed'?; for several seeds: sbot sweep SCENARIO --seeds 1:10"),
    (['sweep', 'show', 'results', '--cs', 'x'], '--cs x'), (['--vers'], '--vers')])
def test_options_are_not_abbreviated(given, said, capsys):
    with pytest.raises(SystemExit) as caught:
        main(given)
    assert caught.value.code == 2
    assert said in capsys.readouterr().err


def test_quiet_leaves_the_result_alone(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for quiet in (['--quiet'], []):
        bag = f'bag{len(quiet)}'
        for command, result in (
                (['run', 'single_robot', '--duration', '0.3', '--record', bag, '--plot', 'a.png'],
                 'trajectory '), (['replay', bag], 'agree bit for bit'),
                (['plot', bag, '-o', 'b.png'], ''), (['view', bag, '-o', 'b.html'], '')):
            assert main([*command, *quiet]) == 0
            out, err = capsys.readouterr()
            assert result in out
            assert bool(out) == bool(result)
            assert (err == '') == (bool(quiet) or command[0] == 'replay')


def test_a_run_names_the_files_that_it_wrote(tmp_path, capsys):
    bag, picture = str(tmp_path / 'bag'), str(tmp_path / 'tracks.png')
    command = ['run', 'single_robot', '--duration', '0.2', '--plot', picture]
    assert main([*command, '--record', bag]) == 0
    assert f'recording: {bag}\npicture: {picture}\n' in capsys.readouterr().err
    assert main([*command, '--quiet']) == 0
    assert 'picture' not in capsys.readouterr().err


def test_robots_that_wait_for_a_node_are_named_unless_the_command_starts_one(tmp_path, capsys):
    (tmp_path / 'two.yaml').write_text(
        'duration: 1\nworld: {bounds: [0, 0, 9, 9]}\nrobots:\n'
        '  - {pose: [2, 2, 0], controller: none}\n  - {pose: [2, 5, 0], controller: external}\n')
    two = load_scenario(str(tmp_path / 'two.yaml'))
    for node, quiet, lines in ((['a'], False, 0), ([], True, 0), ([], False, 1)):
        _name_awaited_nodes(two, argparse.Namespace(node=node, quiet=quiet))
        assert len(capsys.readouterr().err.splitlines()) == lines
    _name_awaited_nodes(two, argparse.Namespace(node=[], quiet=False))
    assert capsys.readouterr().err == (
        'robot 1: controller external: the run waits for your node; start it in another terminal, '
        'or give --node COMMAND\n')
