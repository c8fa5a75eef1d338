"""launch/swarm.launch.py, with the real `launch` where it is installed."""

import ast
import importlib.util
import re
import subprocess
from pathlib import Path

import pytest
import yaml
from ros_package import HAS_LAUNCH, environment

from sbot.ros.processes import process_command
from sbot.scenario.model import Scenario

ROOT = Path(__file__).resolve().parents[3]
FILE = ROOT / 'launch' / 'swarm.launch.py'
needs_launch = pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in ('launch', 'launch_ros')),
    reason='launch and launch_ros are missing')


def arguments() -> dict:
    """Name -> description of the launch arguments, read without importing the file."""
    for node in ast.parse(FILE.read_text()).body:
        if isinstance(node, ast.Assign) and node.targets[0].id == 'ARGUMENTS':
            return {name: text for name, _, text in ast.literal_eval(node.value)}
    raise AssertionError('no ARGUMENTS')


def load():
    spec = importlib.util.spec_from_file_location('swarm_launch', FILE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def start(*, has_rviz: bool = True, **given) -> list:
    """Return the actions that the launch file would run."""
    from launch import LaunchContext
    module = load()
    if has_rviz:
        module._check_rviz = lambda: None
    context = LaunchContext()
    defaults = {name: default for name, default, _ in module.ARGUMENTS}
    context.launch_configurations.update({**defaults, **given})
    return module._start(context)


def processes(**given) -> list:
    from launch.actions import ExecuteProcess
    return [action for action in start(**given) if isinstance(action, ExecuteProcess)]


def scenario_of(**given) -> Scenario:
    """Return the scenario that the simulator is started with."""
    from launch import LaunchContext
    module = load()
    found = []
    module._check_rviz = lambda: None
    context = LaunchContext()
    context.launch_configurations.update(
        {**{name: default for name, default, _ in module.ARGUMENTS}, **given})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr('sbot.ros.processes.node_processes',
                      lambda scenario, **_: found.append(scenario) or [])
        module._start(context)
    return found[0]


def nodes(**given) -> list:
    from launch_ros.actions import Node
    return [action for action in start(**given) if isinstance(action, Node)]


def test_arguments_are_documented():
    page = (ROOT / 'docs' / 'ros2_launch.md').read_text()
    page = page.split('## Launch arguments')[1].split('\n## ')[0]
    documented = set(re.findall(r'^\| `(\w+)` \|', page, re.MULTILINE))
    assert documented == set(arguments())
    assert {'scenario', 'rviz', 'lockstep', 'record'} <= documented
    assert all(text.endswith('.') for text in arguments().values())


@pytest.mark.skipif(not HAS_LAUNCH, reason='ros2 launch is missing')
@pytest.mark.parametrize(('file', 'argument'), [('swarm', 'composed'), ('nav2', 'params_file')])
def test_show_args(tmp_path, file, argument):
    done = subprocess.run(
        ['ros2', 'launch', 'potential_field_bot', f'{file}.launch.py', '--show-args'],
        env=environment(tmp_path), timeout=240, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    shown = set(re.findall(r"^    '(\w+)':$", done.stdout, re.MULTILINE))
    assert {'scenario', 'namespace', argument} <= shown
    assert shown == set(arguments()) or file == 'nav2'


@pytest.mark.skipif(not HAS_LAUNCH, reason='ros2 launch is missing')
@pytest.mark.parametrize(('given', 'message'), [
    ('rviz:=true', 'rviz needs the package rviz2'), ('seed:=-3', 'seed: got -3')])
def test_what_cannot_be_launched_is_said_before_any_node_starts(tmp_path, given, message):
    if 'rviz' in given and importlib.util.find_spec('rviz2') is not None:
        pytest.skip('rviz2 is installed')
    done = subprocess.run(
        ['ros2', 'launch', 'potential_field_bot', 'swarm.launch.py', given],
        env=environment(tmp_path), timeout=240, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert message in done.stdout + done.stderr
    assert 'process started' not in done.stdout + done.stderr


@needs_launch
def test_one_process_a_robot_in_its_namespace():
    executables = [node.node_executable for node in nodes(scenario='leader_follower')]
    assert executables == ['sbot_sim', 'wind_model', *['potfield_bot'] * 4]
    single = nodes(scenario='single_robot', rviz='true')
    assert [node.node_executable for node in single] == [
        'sbot_sim', 'wind_model', 'potfield_bot', 'rviz2']


@needs_launch
def test_composed_is_one_process_and_the_default_for_many(tmp_path):
    many = tmp_path / 'many.yaml'
    many.write_text('duration: 1\nworld: {bounds: [0, 0, 99, 99]}\n'
                    'robots: [{count: 17, layout: grid, area: [1, 1, 90, 90], goal: [95, 95]}]\n')
    for given in ({'scenario': 'leader_follower', 'composed': 'true'}, {'scenario': str(many)}):
        process, = processes(**given)
        words = [word[0].text for word in process.cmd]
        assert words[:5] == process_command('composed', words[4])
        described = yaml.safe_load(Path(words[4]).read_text())['nodes']
        Path(words[4]).unlink()
        assert described[0]['executable'] == 'sbot_sim'
    assert len(described) == 2 + 17
    assert len(processes(scenario=str(many), composed='false')) == 2 + 17


def names_of(action) -> tuple[str, dict]:
    from launch import LaunchContext
    action._perform_substitutions(LaunchContext())
    return action.expanded_node_namespace, dict(action.expanded_remapping_rules or [])


@needs_launch
def test_a_namespace_has_everything_in_it_and_its_own_clock():
    found = nodes(scenario='leader_follower', namespace='arena', rviz='true')
    for node, place in zip(found, ['', '', '/robot_0', '/robot_1', '/robot_2', '/robot_3', ''],
                           strict=True):
        namespace, remaps = names_of(node)
        assert namespace == f'/arena{place}'
        assert remaps['/clock'] == '/arena/clock'
        assert remaps['/tf'] == '/arena/tf'
    assert remaps['/robot_3/base_scan'] == '/arena/robot_3/base_scan'
    process, = processes(scenario='leader_follower', namespace='arena', composed='true')
    words = [word[0].text for word in process.cmd]
    assert words[5:8] == ['--ros-args', '-r', '/clock:=/arena/clock']
    described = yaml.safe_load(Path(words[4]).read_text())['nodes']
    Path(words[4]).unlink()
    assert [node['namespace'] for node in described[1:3]] == ['/arena', '/arena/robot_0']


@needs_launch
def test_what_amcl_and_slam_publish_is_left_to_them():
    from launch import LaunchContext
    sim, *_ = nodes(scenario='single_robot', publish_map='false', publish_robot_description='true')
    sim._perform_substitutions(LaunchContext())
    path = next(value for value, is_file in sim._Node__expanded_parameter_arguments if is_file)
    node, = yaml.safe_load(Path(path).read_text()).values()
    given = node['ros__parameters']
    assert given['publish_map'] is False
    assert given['publish_map_odom_tf'] is given['publish_robot_description'] is True


@needs_launch
def test_a_pushed_namespace_and_a_remap_around_the_file_count():
    pushed = {'ros_namespace': '/hall', 'ros_remaps': [('/clock', '/hall/clock')]}
    sim, _, robot, *_ = nodes(scenario='leader_follower', **pushed)
    assert names_of(sim)[0] == '/hall'
    assert names_of(robot)[0] == '/hall/robot_0'
    sim, *_ = nodes(scenario='leader_follower', namespace='arena', **pushed)
    assert names_of(sim)[0] == '/hall/arena'
    process, = processes(scenario='leader_follower', composed='true', **pushed)
    words = [word[0].text for word in process.cmd]
    assert words[5:] == ['--ros-args', '-r', '/clock:=/hall/clock']
    Path(words[4]).unlink()


@needs_launch
def test_rviz_watches_at_real_time_unless_told_otherwise():
    assert scenario_of(scenario='single_robot').target_real_time_factor == 0.0
    assert scenario_of(scenario='single_robot', rviz='true').target_real_time_factor == 1.0
    for factor in (0.0, 2.0):
        assert scenario_of(scenario='single_robot', rviz='true', set=(
            f'target_real_time_factor={factor}')).target_real_time_factor == factor


@needs_launch
@pytest.mark.parametrize('given', [{'scenario': 'nonsense'}, {'lockstep': 'maybe'},
                                   {'rviz': 'perhaps'}, {'composed': 'both'}, {'namespace': '1 2'},
                                   {'duration': 'x'}, {'duration': '-1'}, {'seed': '-3'},
                                   {'set': 'nothing'}, {'record': str(ROOT)}])
def test_bad_arguments_are_one_line(given):
    with pytest.raises(RuntimeError) as error:
        start(**{'scenario': 'single_robot', **given})
    assert '\n' not in str(error.value)
    assert next(iter(given.values())) in str(error.value)
