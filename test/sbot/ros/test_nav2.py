"""launch/nav2.launch.py and config/nav2.yaml, held against this package and Nav2's sources.

NAV2_SOURCES: a checkout of ros-navigation/navigation2 (read in version 1.3.13).
"""

import ast
import importlib.util
import os
import re
from pathlib import Path

import pytest
import yaml

from sbot.scenario.shipped import config_directory
from sbot_common import topics

pytestmark = pytest.mark.forked

ROOT = Path(__file__).resolve().parents[3]
FILE = ROOT / 'launch' / 'nav2.launch.py'
PARAMETERS = config_directory() / 'nav2.yaml'
FRAMES = {'map', 'odom', 'base_link'}
needs_launch = pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in ('launch', 'launch_ros')),
    reason='launch and launch_ros are missing')
needs_nav2 = pytest.mark.skipif('NAV2_SOURCES' not in os.environ, reason='NAV2_SOURCES is not set')
STAND_IN = """
from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument

def generate_launch_description():
    return LaunchDescription([DeclareLaunchArgument(name) for name in (
        'namespace', 'use_namespace', 'use_localization', 'use_sim_time', 'autostart',
        'params_file', 'use_composition')])
"""


def load():
    spec = importlib.util.spec_from_file_location('nav2_launch', FILE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def leaves(value, path=()):
    """Yield (path, value) of each parameter."""
    if isinstance(value, dict):
        for key, each in value.items():
            yield from leaves(each, (*path, key))
    else:
        yield path, value


@pytest.fixture(scope='module')
def parameters():
    """Of robot 3: node -> its parameters."""
    values = yaml.safe_load(PARAMETERS.read_text().replace('<robot_namespace>', '/robot_3')
                            .replace('<run_namespace>', ''))
    return {node: (each.get(node) or each)['ros__parameters'] for node, each in values.items()}


def test_frames_and_topics_are_those_of_the_simulator(parameters):
    frames, heard = set(), set()
    for node, each in parameters.items():
        for path, value in leaves(each):
            if path[-1] in ('global_frame', 'local_frame', 'robot_base_frame', 'fixed_frame',
                            'base_frame', 'base_frame_id', 'odom_frame_id'):
                frames.add(value)
            elif path[-1] in ('topic', 'odom_topic', 'map_topic'):
                heard.add(value)
            elif path[-1] == 'enable_stamped_cmd_vel':
                assert value is False, node
    assert frames == FRAMES
    # Costmaps have a namespace of their own below the robot's: relative names would miss.
    assert heard == {f'/robot_3/{topics.BASE_SCAN.name}', topics.ODOM.name, topics.MAP.name}
    assert parameters['collision_monitor']['cmd_vel_out_topic'] == topics.CMD_VEL.name


def test_arguments_are_documented():
    for node in ast.parse(FILE.read_text()).body:
        if isinstance(node, ast.Assign) and node.targets[0].id == 'ARGUMENTS':
            arguments = {name: text for name, _, text in ast.literal_eval(node.value)}
    documented = set(re.findall(r'^\| `(\w+)` \|', (ROOT / 'docs' / 'ros2.md').read_text().split(
        '\n## Nav2')[1].split('\n## ')[0], re.MULTILINE))
    assert documented == set(arguments)
    assert all(text.endswith('.') for text in arguments.values())


@pytest.fixture
def share(tmp_path, monkeypatch):
    """A package nav2_bringup with the arguments of the real one, and no nodes."""
    index = tmp_path / 'share' / 'ament_index' / 'resource_index' / 'packages'
    index.mkdir(parents=True)
    (index / 'nav2_bringup').touch()
    folder = tmp_path / 'share' / 'nav2_bringup' / 'launch'
    folder.mkdir(parents=True)
    (folder / 'bringup_launch.py').write_text(STAND_IN)
    monkeypatch.setenv('AMENT_PREFIX_PATH', str(tmp_path))
    return folder


def run(**given):
    """Run the launch file dry: return the arguments of the files that it includes."""
    from launch.actions import GroupAction
    from launch.utilities import perform_substitutions

    from launch import LaunchContext
    module = load()
    context = LaunchContext()
    context.launch_configurations.update(
        {**{name: default for name, default, _ in module.ARGUMENTS}, **given})
    found = []
    for action in module.start(context):
        if isinstance(action, GroupAction):
            included, = (each for each in action.get_sub_entities()
                         if type(each).__name__ == 'IncludeLaunchDescription')
            remaps = [each for each in action.get_sub_entities()
                      if type(each).__name__ == 'SetRemap']
            found.append({**dict(included.launch_arguments), 'remaps': [
                tuple(perform_substitutions(context, text) for text in (each.src, each.dst))
                for each in remaps]})
            assert included.execute(context)  # the file is there, and has these arguments
    return found


@needs_launch
def test_each_robot_has_a_nav2_in_its_namespace(share):
    simulation, *robots = run(robots='0 2', set='seed=7')
    assert simulation['lockstep'] == 'false'
    for change in ('tf_namespaced=true', 'robots.0.controller=none', 'robots.2.controller=none',
                   'seed=7'):
        assert change in simulation['set'].split()
    assert 'robots.1.controller=none' not in simulation['set']
    assert [robot['namespace'] for robot in robots] == ['robot_0', 'robot_2']
    for i, robot in zip((0, 2), robots, strict=True):
        assert robot['use_namespace'] == robot['use_sim_time'] == 'True'
        assert robot['use_localization'] == 'False'
        text = Path(robot['params_file']).read_text()
        assert re.search(r'[&*]id\d', text) is None  # rcl refuses aliases
        values = yaml.safe_load(text)
        costmap = values['local_costmap']['local_costmap']['ros__parameters']
        assert costmap['robot_radius'] == 0.3  # of the body
        assert costmap['obstacle_layer']['scan']['topic'] == f'/robot_{i}/base_scan'


@needs_launch
def test_a_single_robot_has_no_namespace(share):
    simulation, robot = run(scenario='single_robot')
    assert 'tf_namespaced=false' in simulation['set'].split()
    assert (robot['namespace'], robot['use_namespace']) == ('', 'False')
    assert 'robot_namespace' not in Path(robot['params_file']).read_text()


@needs_launch
@pytest.mark.parametrize(('scenario', 'place'), [
    ('leader_follower', 'arena/robot_1'), ('single_robot', 'arena')])
def test_a_run_in_a_namespace_takes_its_nav2_along(share, scenario, place):
    robot = 1 if scenario == 'leader_follower' else 0
    simulation, found = run(scenario=scenario, robots=str(robot), namespace='arena')
    assert simulation['namespace'] == '/arena'
    assert simulation['remaps'] == []  # swarm.launch.py has its own
    assert (found['namespace'], found['use_namespace']) == (place, 'True')
    assert found['remaps'] == [('/clock', '/arena/clock')]
    values = yaml.safe_load(Path(found['params_file']).read_text())
    layers = values['global_costmap']['global_costmap']['ros__parameters']
    assert layers['static_layer']['map_topic'] == '/arena/map'
    assert layers['obstacle_layer']['scan']['topic'] == f'/{place}/base_scan'


@needs_launch
@pytest.mark.parametrize(('given', 'message'), [
    ({'namespace': '1 a'}, "launch argument namespace: got '1 a'"),
    ({'robots': '4'}, "robots: got '4'"), ({'robots': 'a'}, "robots: got 'a'"),
    ({'scenario': 'nonsense'}, 'nonsense'), ({'set': 'x'}, 'set'),
    ({'params_file': '/nowhere.yaml'}, 'nowhere')])
def test_bad_arguments_are_one_line(share, given, message):
    with pytest.raises(RuntimeError, match=message) as error:
        run(**given)
    assert '\n' not in str(error.value)


@needs_launch
def test_without_nav2_nothing_starts(monkeypatch, tmp_path):
    monkeypatch.setenv('AMENT_PREFIX_PATH', str(tmp_path))
    with pytest.raises(RuntimeError, match='nav2_bringup is not installed'):
        run()


# --- against Nav2's sources

PACKAGES = {
    'controller_server': 'nav2_controller', 'smoother_server': 'nav2_smoother',
    'planner_server': 'nav2_planner', 'behavior_server': 'nav2_behaviors',
    'bt_navigator': 'nav2_bt_navigator', 'waypoint_follower': 'nav2_waypoint_follower',
    'velocity_smoother': 'nav2_velocity_smoother', 'collision_monitor': 'nav2_collision_monitor',
    'docking_server': 'nav2_docking', 'local_costmap': 'nav2_costmap_2d',
    'global_costmap': 'nav2_costmap_2d'}
# Names that parameters give to others: of plugins, polygons, sources.
GIVEN = {'FollowPath', 'GridBased', 'progress_checker', 'general_goal_checker', 'simple_smoother',
         'scan', 'approach', 'wait_at_waypoint', 'simple_charging_dock', 'obstacle_layer',
         'static_layer', 'inflation_layer', 'spin', 'backup', 'drive_on_heading',
         'assisted_teleop', 'wait'}


def sources(package: str) -> str:
    return '\n'.join(path.read_text(errors='replace')
                     for path in sorted(Path(os.environ['NAV2_SOURCES'], package).rglob('*'))
                     if path.suffix in ('.cpp', '.hpp') and 'test' not in path.parts)


@needs_nav2
def test_every_parameter_is_declared_by_nav2(parameters):
    util = sources('nav2_util')  # what all its nodes share
    texts = {package: sources(package) for package in set(PACKAGES.values())}
    for node, each in parameters.items():
        text = texts[PACKAGES[node]] + util
        for path, value in leaves(each):
            if path[-1] == 'plugin':
                continue
            plugin = each.get(path[0], {}).get('plugin', '') if path[0] in GIVEN else ''
            own = sources(plugin.split('::')[0]) if plugin else ''
            found = re.search(rf'"\.?{path[-1]}"', text + own)
            assert found, f'{node}: {".".join(path)} = {value}'


@needs_nav2
def test_every_plugin_is_exported_by_nav2(parameters):
    for each in parameters.values():
        for path, value in leaves(each):
            if path[-1] == 'plugin':
                package, _, name = value.partition('::')
                folder = 'nav2_docking' if package == 'opennav_docking' else package
                exported = re.findall(r'PLUGINLIB_EXPORT_CLASS\(\s*([\w:]+)', sources(folder))
                assert any(text.endswith(f'::{name}') for text in exported), value


@needs_nav2
def test_the_files_start_the_same_nodes_and_take_the_same_arguments(parameters):
    folder = Path(os.environ['NAV2_SOURCES'], 'nav2_bringup', 'launch')
    navigation = (folder / 'navigation_launch.py').read_text()
    nodes = set(ast.literal_eval(re.search(
        r'lifecycle_nodes = (\[.*?\])', navigation, re.DOTALL)[1]))
    # The route server needs no parameter; costmaps are within two of the nodes.
    assert nodes - set(parameters) <= {'route_server'}
    assert set(parameters) - nodes == {'local_costmap', 'global_costmap'}
    declared = set(re.findall(r"DeclareLaunchArgument\(\s*'(\w+)'",
                              (folder / 'bringup_launch.py').read_text()))
    assert set(re.findall(r"'(\w+)'", STAND_IN)) <= declared


@needs_nav2
def test_the_defaults_that_the_files_rely_on_are_those_of_nav2():
    monitor = sources('nav2_collision_monitor')
    for name, default in (('cmd_vel_in_topic', 'cmd_vel_smoothed'), ('odom_frame_id', 'odom'),
                          ('cmd_vel_out_topic', 'cmd_vel'), ('base_frame_id', 'base_footprint')):
        assert re.search(rf'"{name}",\s*rclcpp::ParameterValue\("{default}"\)', monitor), name
    costmap = sources('nav2_costmap_2d')
    assert re.search(r'"robot_base_frame",\s*rclcpp::ParameterValue\(std::string\("base_link"\)',
                     costmap)
