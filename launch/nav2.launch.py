# SPDX-License-Identifier: Apache-2.0
"""Start a simulation whose robots Nav2 drives, each with a Nav2 of its own.

ros2 launch potential_field_bot nav2.launch.py scenario:=leader_follower robots:='0 1'
"""

import os
import shutil
import tempfile
from types import SimpleNamespace

from launch.actions import (
    DeclareLaunchArgument,
    GroupAction,
    IncludeLaunchDescription,
    OpaqueFunction,
    RegisterEventHandler,
    SetEnvironmentVariable,
)
from launch.event_handlers import OnShutdown
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node, SetRemap

from launch import LaunchDescription

PLACE = '<robot_namespace>'  # in the parameter file, as the next
RUN = '<run_namespace>'
OMNIDIRECTIONAL = 'nav2_amcl::OmniMotionModel'

ARGUMENTS = (
    ('scenario', 'leader_follower', 'Scenario file, or name of a shipped scenario.'),
    ('robots', '', 'Ids of the robots that Nav2 drives, separated by spaces; empty: all.'),
    ('params_file', '', "Parameters of Nav2; empty: the package's config/nav2.yaml."),
    ('use_composition', 'True', 'True: the Nav2 of a robot runs in one process.'),
    ('namespace', '', 'Namespace of the run, with its own /clock and TF.'),
    ('slam', 'False', 'True: slam_toolbox makes the map and localises.'),
    ('map', '', "map.yaml that Nav2's map_server loads; empty: the simulator's /map."),
    ('use_localization', '', 'True: AMCL or SLAM localises; default: True with slam or map.'),
    ('autostart', 'True', "False: Nav2's nodes wait for their lifecycle manager."),
    ('log_level', 'info', "Log level of Nav2's nodes."),
    ('rviz', 'false', 'true: one rviz2 for each robot; ids such as 0 2: only for these robots.'),
    ('record', '', 'New directory for a recording; empty: none.'),
    ('set', '', 'Changes to other keys of the scenario: KEY=VALUE, separated by spaces.'),
)


def _robots_of(text, number, argument='robots'):
    """Return the ids that an argument names, or raise."""
    if not text.strip():
        return list(range(number))
    for word in text.split():
        if not word.isdecimal() or int(word) >= number:
            raise RuntimeError(f"launch argument {argument}: got '{word}', expected ids from 0 to "
                               f'{number - 1}')
    return sorted({int(word) for word in text.split()})


def _flag(name, text):
    """Return True or False of an argument, or raise."""
    if text.lower() not in ('true', 'false'):
        raise RuntimeError(f"launch argument {name}: got '{text}', expected True or False")
    return text.lower() == 'true'


def _localization_of(given):
    """Return what localises: (AMCL or SLAM, SLAM), or raise."""
    slam = _flag('slam', given['slam'])
    wanted = slam or bool(given['map'])
    if not given['use_localization']:
        return wanted, slam
    if wanted and not _flag('use_localization', given['use_localization']):
        name = 'slam' if slam else 'map'
        raise RuntimeError(f'launch argument {name} cannot be combined with '
                           'use_localization:=False')
    return _flag('use_localization', given['use_localization']), slam


def _views_of(text, robots, number):
    """Return the ids of the robots that rviz2 is started for, or raise."""
    if text.lower() in ('true', 'false'):
        return robots if text.lower() == 'true' else []
    ids = _robots_of(text, number, 'rviz')
    for i in ids:
        if i not in robots:
            raise RuntimeError(f"launch argument rviz: got '{i}', expected ids of robots that "
                               'Nav2 drives')
    return ids


def _changes_of(robots, number, more):
    """Return the changes that a scenario needs for Nav2, as the argument set has them.

    Free-running: Nav2 waits for nobody. Its commands come at 15 Hz, so that a robot must wait for
    the next for longer than that. Where there are others, lasers must see them: Nav2 knows of
    nothing else that moves.
    """
    return ' '.join([
        'cmd_vel_timeout=0.5', f'tf_namespaced={str(number > 1).lower()}',
        'cmd_vel_stamped=false', *['sensors.scan_sees_robots=true'] * (number > 1),
        *(f'robots.{i}.controller=none' for i in robots), more]).strip()


def _parameters_of(text, robot):
    """Return the text of the parameter file for one robot.

    Parameters
    ----------
    text : of the file for all
    robot : run: namespace of the run, e.g. '/arena', '': none; place: of the robot, below it:
        '/arena/robot_<i>'; radius: m, of its collision circle; pose: x, y (m), yaw (rad) of its
        start; is_holonomic: whether it moves to the side; own_map: whether Nav2 has a map of its
        own, in the robot's namespace

    """
    import yaml
    values = yaml.safe_load(text.replace(PLACE, robot.place).replace(RUN, robot.run))
    map_topic = f'{robot.place if robot.own_map else robot.run}/map'
    for costmap in ('local_costmap', 'global_costmap'):
        if costmap in values:
            parameters = values[costmap][costmap]['ros__parameters']
            parameters['robot_radius'] = robot.radius
            if robot.own_map and 'static_layer' in parameters:
                parameters['static_layer']['map_topic'] = map_topic
    if 'amcl' in values:
        x, y, yaw = robot.pose
        values['amcl']['ros__parameters'].update({
            'map_topic': map_topic, 'set_initial_pose': True,
            'initial_pose': {'x': x, 'y': y, 'z': 0.0, 'yaw': yaw}})
        if robot.is_holonomic:
            values['amcl']['ros__parameters']['robot_model_type'] = OMNIDIRECTIONAL

    class Dumper(yaml.SafeDumper):
        def ignore_aliases(self, data):
            return True  # rcl refuses a file with aliases
    return yaml.dump(values, Dumper=Dumper)


def _included(file, arguments, remaps=()):
    """Return a launch file with arguments, and remaps of its nodes, that nothing after it sees."""
    return GroupAction([*(SetRemap(*pair) for pair in remaps), IncludeLaunchDescription(
        PythonLaunchDescriptionSource(file), launch_arguments=arguments.items())])


def _bringup(file, parameters, robot, given):
    """Return Nav2 for one robot; its TF is below its place.

    Zones are those of Nav2 1.4, which starts them unless told not to; 1.3 does not know them.
    """
    remaps = [('/clock', f'{robot.run}/clock')] if robot.run else []
    if given['slam']:  # slam_toolbox has an absolute name for scans
        remaps.append(('/scan', f'{robot.place}/base_scan'))
    return _included(file, {
        'namespace': robot.place.lstrip('/'), 'use_namespace': str(bool(robot.place)),
        'use_localization': str(given['use_localization']), 'slam': str(given['slam']),
        'map': given['map'], 'use_sim_time': 'True', 'autostart': given['autostart'],
        'params_file': parameters, 'use_composition': given['use_composition'],
        'log_level': given['log_level'], 'use_keepout_zones': 'False', 'use_speed_zones': 'False',
    }, remaps)


def _rviz(view, robot):
    """Return an rviz2 that shows what one robot knows: it hears the TF of that robot alone."""
    return Node(
        package='rviz2', executable='rviz2', name='rviz2', output='screen',
        arguments=['-d', view], parameters=[{'use_sim_time': True}], namespace=robot.place,
        remappings=[(name, f'{robot.place}{name}') for name in ('/tf', '/tf_static')] + [
            ('/clock', f'{robot.run}/clock')])


def _bringup_file():
    """Return the path of nav2_bringup's launch file, or raise where it is not installed."""
    from ament_index_python.packages import PackageNotFoundError, get_package_share_directory
    try:
        share = get_package_share_directory('nav2_bringup')
    except (PackageNotFoundError, OSError):  # or no environment of ROS at all
        raise RuntimeError('nav2_bringup is not installed (apt: ros-$ROS_DISTRO-navigation2 '
                           'ros-$ROS_DISTRO-nav2-bringup)') from None
    return os.path.join(share, 'launch', 'bringup_launch.py')


def _start(context):
    """Return the actions for the arguments given."""
    from sbot.environment.running import need_package
    from sbot.ros.processes import parse_namespace
    from sbot.scenario.load import load_scenario, parse_override
    from sbot.scenario.shipped import config_directory
    from sbot_common.topics import namespace

    given = {name: LaunchConfiguration(name).perform(context) for name, _, _ in ARGUMENTS}
    file = _bringup_file()
    given['use_localization'], given['slam'] = _localization_of(given)
    _flag('autostart', given['autostart'])
    if given['map'] and not given['slam'] and not os.path.isfile(given['map']):
        raise RuntimeError(f"launch argument map: got '{given['map']}', expected a map.yaml")
    try:
        run = parse_namespace(given['namespace'], 'launch argument namespace')
        number = len(load_scenario(given['scenario']).robots)
        robots = _robots_of(given['robots'], number)
        views = _views_of(given['rviz'], robots, number)
        if views:
            need_package('rviz2', 'rviz', 'rviz:=false')
        changes = _changes_of(robots, number, given['set'])
        scenario = load_scenario(given['scenario'], dict(
            parse_override(text, 'launch argument set') for text in changes.split()))
        params_file = given['params_file'] or str(config_directory() / 'nav2.yaml')
        with open(params_file, encoding='utf-8') as stream:
            text = stream.read()
    except (ValueError, OSError) as error:
        raise RuntimeError(str(error)) from None
    folder = tempfile.mkdtemp(prefix='sbot_nav2_')
    own_map = given['use_localization'] and (given['slam'] or bool(given['map']))
    actions = [
        RegisterEventHandler(OnShutdown(on_shutdown=lambda *_: shutil.rmtree(
            folder, ignore_errors=True))),
        _included(
            os.path.join(os.path.dirname(os.path.abspath(__file__)), 'swarm.launch.py'), {
                'scenario': given['scenario'], 'lockstep': 'false', 'duration': '0',
                'rviz': 'false', 'record': given['record'], 'set': changes,
                'namespace': run, 'publish_robot_description': 'true',
                # Of several robots each has a map of its own, below its namespace.
                'publish_map': str(not own_map or number > 1).lower(),
                'publish_map_odom_tf': str(not given['use_localization']).lower()})]
    for i in robots:
        body = scenario.bodies[scenario.robots[i].body]
        robot = SimpleNamespace(
            run=run, place=run + namespace(i, number), radius=body.safety_radius,
            pose=scenario.robots[i].pose, is_holonomic=body.is_holonomic, own_map=own_map)
        path = os.path.join(folder, f'robot_{i}.yaml')
        with open(path, 'w', encoding='utf-8') as stream:
            stream.write(_parameters_of(text, robot))
        actions.append(_bringup(file, path, robot, given))
        if i in views:
            view = os.path.join(folder, f'robot_{i}.rviz')
            shown = (config_directory() / 'nav2.rviz').read_text('utf-8')
            map_of = f'{robot.place if own_map else run}/map'
            with open(view, 'w', encoding='utf-8') as stream:
                stream.write(shown.replace('<map>', map_of).replace(PLACE, robot.place).replace(
                    RUN, run))
            actions.append(_rviz(view, robot))
    return actions


def generate_launch_description():
    """Return the launch description; `--show-args` lists the arguments."""
    # Of all nodes: a group that is over puts the environment back that it found.
    local = [] if 'ROS_AUTOMATIC_DISCOVERY_RANGE' in os.environ else [
        SetEnvironmentVariable('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')]
    return LaunchDescription([
        *local,
        *(DeclareLaunchArgument(name, default_value=default, description=text)
          for name, default, text in ARGUMENTS),
        OpaqueFunction(function=_start),
    ])
