"""launch/swarm.launch.py, with the real `launch` where it is installed."""

import ast
import importlib.util
import re
from pathlib import Path

import pytest

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


def start(**given) -> list:
    """Return the actions that the launch file would run."""
    from launch import LaunchContext
    module = load()
    context = LaunchContext()
    defaults = {name: default for name, default, _ in module.ARGUMENTS}
    context.launch_configurations.update({**defaults, **given})
    return module.start(context)


def nodes(**given) -> list:
    from launch_ros.actions import Node
    return [action for action in start(**given) if isinstance(action, Node)]


def test_arguments_are_documented():
    documented = set(re.findall(r'^\| `(\w+)` \|', (ROOT / 'docs' / 'ros2.md').read_text().split(
        '## Launch arguments')[1].split('\n## ')[0], re.MULTILINE))
    assert documented == set(arguments())
    assert {'scenario', 'rviz', 'lockstep', 'record'} <= documented
    assert all(text.endswith('.') for text in arguments().values())


@needs_launch
def test_description_declares_the_arguments():
    from launch.actions import DeclareLaunchArgument
    declared = {entity.name: entity.description for entity in
                load().generate_launch_description().entities
                if isinstance(entity, DeclareLaunchArgument)}
    assert declared == arguments()


@needs_launch
def test_one_process_a_robot_in_its_namespace():
    executables = [node.node_executable for node in nodes(scenario='leader_follower')]
    assert executables == ['sbot_sim', 'wind_model', *['potfield_bot'] * 4]
    single = nodes(scenario='single_robot', rviz='true')
    assert [node.node_executable for node in single] == [
        'sbot_sim', 'wind_model', 'potfield_bot', 'rviz2']


@needs_launch
@pytest.mark.parametrize('given', [
    {'scenario': 'nonsense'}, {'lockstep': 'maybe'}, {'rviz': 'perhaps'}, {'duration': 'x'},
    {'duration': '-1'}, {'seed': '-3'}, {'set': 'nothing'}, {'record': str(ROOT)}])
def test_bad_arguments_are_one_line(given):
    with pytest.raises(RuntimeError) as error:
        start(**{'scenario': 'single_robot', **given})
    assert '\n' not in str(error.value)
    assert next(iter(given.values())) in str(error.value)
