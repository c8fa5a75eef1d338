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
        'params_file', 'use_composition', 'slam', 'map', 'log_level')])
"""


def load():
    spec = importlib.util.spec_from_file_location('nav2_launch', FILE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def leaves(value, path=()):
    if isinstance(value, dict):
        for key, each in value.items():
            yield from leaves(each, (*path, key))
    else:
        yield path, value


@pytest.fixture(scope='module')
def parameters():
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
            elif path[-1] in ('topic', 'odom_topic', 'map_topic', 'scan_topic'):
                heard.add(value)
            elif path[-1] == 'enable_stamped_cmd_vel':
                assert value is False, node
    assert frames == FRAMES
    # Costmaps have a namespace of their own below the robot's: relative names would miss.
    assert heard == {f'/robot_3/{topics.BASE_SCAN.name}', topics.ODOM.name, topics.MAP.name,
                     topics.BASE_SCAN.name}  # AMCL has no namespace of its own
    assert parameters['collision_monitor']['cmd_vel_out_topic'] == topics.CMD_VEL.name


def test_arguments_are_documented():
    for node in ast.parse(FILE.read_text()).body:
        if isinstance(node, ast.Assign) and node.targets[0].id == 'ARGUMENTS':
            arguments = {name: text for name, _, text in ast.literal_eval(node.value)}
    page = (ROOT / 'docs' / 'ros2_nav2.md').read_text().split('\n## ')[1]
    assert set(re.findall(r'^\| `(\w+)` \|', page, re.MULTILINE)) == set(arguments)
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


def run(windows=None, **given):
    """Run the launch file dry: return the arguments of the files that it includes.

    ``windows`` gets the rviz2 that it starts: the namespace, view and remaps of each.
    """
    from launch.actions import GroupAction
    from launch.utilities import perform_substitutions

    from launch import LaunchContext
    module = load()
    context = LaunchContext()
    context.launch_configurations.update(
        {**{name: default for name, default, _ in module.ARGUMENTS}, **given})
    found = []
    for action in module._start(context):
        if type(action).__name__ == 'Node':
            action._perform_substitutions(context)
            windows.append((action.expanded_node_namespace, Path(perform_substitutions(
                context, action.cmd[2])).read_text(), dict(action.expanded_remapping_rules)))
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
        costmap = yaml.safe_load(text)['local_costmap']['local_costmap']['ros__parameters']
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
def test_lasers_see_the_other_robots(share):
    for scenario, expected in (('leader_follower', True), ('single_robot', False)):
        changes = run(scenario=scenario)[0]['set'].split()
        assert ('sensors.scan_sees_robots=true' in changes) is expected
    last = run(set='sensors.scan_sees_robots=false')[0]['set'].split()[-1]
    assert last == 'sensors.scan_sees_robots=false'  # what the user sets comes last


@needs_launch
@pytest.mark.parametrize(('set_before', 'expected'), [(None, 'LOCALHOST'), ('SUBNET', 'SUBNET')])
def test_all_nodes_stay_on_this_machine(share, monkeypatch, set_before, expected):
    # Also those that start after a group has put the environment back.
    from launch.actions import GroupAction, OpaqueFunction, SetEnvironmentVariable

    from launch import LaunchContext
    name = 'ROS_AUTOMATIC_DISCOVERY_RANGE'
    monkeypatch.delenv(name, raising=False)
    if set_before is not None:
        monkeypatch.setenv(name, set_before)
    context, seen = LaunchContext(), []
    for action in load().generate_launch_description().entities:
        if isinstance(action, SetEnvironmentVariable):
            action.execute(context)
    group = GroupAction([SetEnvironmentVariable(name, 'OFF'), OpaqueFunction(
        function=lambda inner: seen.append(inner.environment[name]))])
    for action in group.execute(context):
        action.execute(context)
    assert seen == ['OFF']
    assert context.environment[name] == expected


@needs_launch
def test_each_robot_has_a_window_with_its_scans_costmaps_and_plans(share):
    index = share.parents[1] / 'ament_index' / 'resource_index' / 'packages'
    with pytest.raises(RuntimeError, match='launch argument rviz needs the package rviz2'):
        run(rviz='true')
    (index / 'rviz2').touch()
    windows = []
    simulation, *_ = run(windows, robots='0 2', rviz='true', namespace='arena')
    assert simulation['rviz'] == 'false'
    assert [place for place, _, _ in windows] == ['/arena/robot_0', '/arena/robot_2']
    for place, view, remaps in windows:
        assert remaps['/tf'] == f'{place}/tf'
        assert remaps['/tf_static'] == f'{place}/tf_static'
        assert remaps['/clock'] == '/arena/clock'
        assert '<' not in view.replace('<Fixed Frame>', '')
        shown = set(re.findall(r'Value: (/\S+)', view))
        assert {f'{place}/base_scan', f'{place}/global_costmap/costmap', f'{place}/plan',
                f'{place}/local_costmap/costmap', '/arena/map', '/arena/markers',
                f'{place}/goal_pose'} <= shown
        assert yaml.safe_load(view)['Visualization Manager']
    run(windows := [], scenario='single_robot', rviz='true')
    (place, view, remaps), = windows
    assert remaps['/tf'] == '/tf'
    assert 'Value: /plan\n' in view
    run(windows := [], rviz='2')
    assert [place for place, _, _ in windows] == ['/robot_2']


@needs_launch
def test_amcl_and_slam_take_the_place_of_the_ground_truth(share, tmp_path):
    simulation, robot = run(scenario='single_robot')
    assert (simulation['publish_map'], simulation['publish_map_odom_tf']) == ('true', 'true')
    assert (robot['use_localization'], robot['slam'], robot['map']) == ('False', 'False', '')

    simulation, robot = run(scenario='single_robot', use_localization='True')
    assert (simulation['publish_map'], simulation['publish_map_odom_tf']) == ('true', 'false')
    amcl = yaml.safe_load(Path(robot['params_file']).read_text())['amcl']['ros__parameters']
    assert amcl['map_topic'] == '/map'
    from sbot.scenario.load import load_scenario
    x, y, yaw = load_scenario('single_robot').robots[0].pose
    assert amcl['initial_pose'] == {'x': x, 'y': y, 'z': 0.0, 'yaw': yaw}

    path = tmp_path / 'map.yaml'
    path.touch()
    simulation, robot = run(robots='1', map=str(path), autostart='False', log_level='debug')
    assert (simulation['publish_map'], simulation['publish_map_odom_tf']) == ('true', 'false')
    assert (robot['use_localization'], robot['map']) == ('True', str(path))
    assert (robot['autostart'], robot['log_level']) == ('False', 'debug')
    values = yaml.safe_load(Path(robot['params_file']).read_text())
    assert values['amcl']['ros__parameters']['map_topic'] == '/robot_1/map'
    layer = values['global_costmap']['global_costmap']['ros__parameters']['static_layer']
    assert layer['map_topic'] == '/robot_1/map'

    simulation, robot = run(scenario='single_robot', slam='True')
    assert (simulation['publish_map'], simulation['publish_map_odom_tf']) == ('false', 'false')
    assert (robot['use_localization'], robot['slam']) == ('True', 'True')
    assert robot['remaps'] == [('/scan', '/base_scan')]


@needs_launch
@pytest.mark.parametrize(('given', 'message'), [
    ({'slam': 'maybe'}, "slam: got 'maybe', expected True or False"),
    ({'slam': 'True', 'use_localization': 'False'}, 'slam cannot be combined with'),
    ({'map': '/no.yaml'}, "map: got '/no.yaml', expected a map.yaml"),
    ({'robots': '0', 'rviz': '1'}, 'expected ids of robots that Nav2 drives'),
    ({'namespace': '1 a'}, "launch argument namespace: got '1 a'"),
    ({'robots': '4'}, "robots: got '4'"), ({'scenario': 'nonsense'}, 'nonsense'),
    ({'set': 'x'}, 'set'), ({'params_file': '/nowhere.yaml'}, 'nowhere')])
def test_bad_arguments_are_one_line(share, given, message):
    with pytest.raises(RuntimeError, match=message) as error:
        run(**given)
    assert '\n' not in str(error.value)


@needs_launch
def test_without_nav2_nothing_starts(monkeypatch, tmp_path):
    monkeypatch.setenv('AMENT_PREFIX_PATH', str(tmp_path))
    with pytest.raises(RuntimeError, match='nav2_bringup is not installed'):
        run()


PACKAGES = {'controller_server': 'nav2_controller', 'smoother_server': 'nav2_smoother',
            'planner_server': 'nav2_planner', 'behavior_server': 'nav2_behaviors',
            'bt_navigator': 'nav2_bt_navigator', 'waypoint_follower': 'nav2_waypoint_follower',
            'velocity_smoother': 'nav2_velocity_smoother',
            'collision_monitor': 'nav2_collision_monitor', 'docking_server': 'nav2_docking',
            'amcl': 'nav2_amcl', 'map_server': 'nav2_map_server',
            'local_costmap': 'nav2_costmap_2d', 'global_costmap': 'nav2_costmap_2d'}
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
    # What all nodes share, and what a server of actions with a behaviour tree declares.
    util = sources('nav2_util') + sources('nav2_behavior_tree')
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
    assert set(parameters) - nodes == {'local_costmap', 'global_costmap', 'amcl', 'map_server'}
    declared = set(re.findall(r"DeclareLaunchArgument\(\s*'(\w+)'",
                              (folder / 'bringup_launch.py').read_text()))
    # Since 1.4 a namespace that is not empty is used.
    assert set(re.findall(r"'(\w+)'", STAND_IN)) <= declared | {'use_namespace'}
    if 'use_keepout_zones' in declared:
        assert 'use_speed_zones' in declared


@needs_nav2
def test_no_node_of_nav2_publishes_stamped_commands(parameters):
    # On one topic with Twist: `ros2 bag record --all` leaves out a topic of two types.
    publishing = {node for node in parameters if 'TwistPublisher' in sources(PACKAGES[node])}
    assert {'controller_server', 'docking_server', 'velocity_smoother'} <= publishing
    for node in publishing - {'local_costmap', 'global_costmap'}:
        assert parameters[node]['enable_stamped_cmd_vel'] is False, node


@needs_nav2
def test_the_defaults_that_the_files_rely_on_are_those_of_nav2():
    monitor = sources('nav2_collision_monitor')
    for name, default in (('cmd_vel_in_topic', 'cmd_vel_smoothed'), ('odom_frame_id', 'odom'),
                          ('cmd_vel_out_topic', 'cmd_vel'), ('base_frame_id', 'base_footprint')):
        assert re.search(rf'"{name}",\s*rclcpp::ParameterValue\("{default}"\)', monitor), name
    costmap = sources('nav2_costmap_2d')
    assert re.search(r'"robot_base_frame",\s*rclcpp::ParameterValue\(std::string\("base_link"\)',
                     costmap)
