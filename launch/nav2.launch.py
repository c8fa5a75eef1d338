"""Start a simulation whose robots Nav2 drives, each with a Nav2 of its own.

ros2 launch potential_field_bot nav2.launch.py scenario:=leader_follower robots:='0 1'
"""

import os
import shutil
import tempfile

from launch.actions import (
    DeclareLaunchArgument,
    GroupAction,
    IncludeLaunchDescription,
    OpaqueFunction,
    RegisterEventHandler,
)
from launch.event_handlers import OnShutdown
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import SetRemap

from launch import LaunchDescription

PLACE = '<robot_namespace>'  # in the parameter file, as the next
RUN = '<run_namespace>'

ARGUMENTS = (
    ('scenario', 'leader_follower', 'Scenario file, or name of a shipped scenario.'),
    ('robots', '', 'Ids of the robots that Nav2 drives, separated by spaces; empty: all.'),
    ('params_file', '', "Parameters of Nav2; empty: the package's config/nav2.yaml."),
    ('use_composition', 'True', 'True: one process for the Nav2 of a robot.'),
    ('namespace', '', 'Namespace of the run, with a /clock and TF of its own.'),
    ('rviz', 'false', "Start rviz2 with the package's view."),
    ('record', '', 'New directory of a bag to write; empty: none.'),
    ('set', '', 'More changes to the scenario: KEY=VALUE, several separated by spaces.'),
)


def robots_of(text, number):
    """Return the ids that the argument robots names, or raise."""
    if not text.strip():
        return list(range(number))
    for word in text.split():
        if not word.isdecimal() or int(word) >= number:
            raise RuntimeError(f"launch argument robots: got '{word}', expected ids from 0 to "
                               f'{number - 1}')
    return sorted({int(word) for word in text.split()})


def changes_of(robots, number, more):
    """Return the changes that a scenario needs for Nav2, as the argument set has them.

    Free-running: Nav2 waits for nobody. Its commands come at 20 Hz, so that a robot must wait for
    the next for longer than that.
    """
    return ' '.join([
        'cmd_vel_timeout=0.5', f'tf_namespaced={str(number > 1).lower()}',
        'cmd_vel_stamped=false', *(f'robots.{i}.controller=none' for i in robots), more]).strip()


def parameters_of(text, run, namespace, radius):
    """Return the text of the parameter file for one robot.

    Parameters
    ----------
    text : of the file for all
    run : namespace of the run, e.g. '/arena'; '': none
    namespace : of the robot, below it: '/arena/robot_<i>'
    radius : m, of its collision circle

    """
    import yaml
    values = yaml.safe_load(text.replace(PLACE, namespace).replace(RUN, run))
    for costmap in ('local_costmap', 'global_costmap'):
        if costmap in values:
            values[costmap][costmap]['ros__parameters']['robot_radius'] = radius

    class Dumper(yaml.SafeDumper):
        def ignore_aliases(self, data):
            return True  # rcl refuses a file with aliases
    return yaml.dump(values, Dumper=Dumper)


def included(file, arguments, remaps=()):
    """Return a launch file with arguments, and remaps of its nodes, that nothing after it sees."""
    return GroupAction([*(SetRemap(*pair) for pair in remaps), IncludeLaunchDescription(
        PythonLaunchDescriptionSource(file), launch_arguments=arguments.items())])


def bringup(file, parameters, run, namespace, use_composition):
    """Return Nav2 without localisation for one robot; its TF is below ``namespace``."""
    return included(file, {
        'namespace': namespace.lstrip('/'), 'use_namespace': str(bool(namespace)),
        'use_localization': 'False', 'use_sim_time': 'True', 'autostart': 'True',
        'params_file': parameters, 'use_composition': use_composition},
        [('/clock', f'{run}/clock')] if run else [])


def bringup_file():
    """Return the path of nav2_bringup's launch file, or raise where it is not installed."""
    from ament_index_python.packages import PackageNotFoundError, get_package_share_directory
    try:
        share = get_package_share_directory('nav2_bringup')
    except (PackageNotFoundError, OSError):  # or no environment of ROS at all
        raise RuntimeError('nav2_bringup is not installed (apt: ros-$ROS_DISTRO-navigation2 '
                           'ros-$ROS_DISTRO-nav2-bringup)') from None
    return os.path.join(share, 'launch', 'bringup_launch.py')


def start(context):
    """Return the actions for the arguments given."""
    from sbot.ros.processes import parse_namespace
    from sbot.scenario.load import load_scenario
    from sbot.scenario.overrides import parse_override
    from sbot.scenario.shipped import config_directory
    from sbot_common.topics import namespace

    given = {name: LaunchConfiguration(name).perform(context) for name, _, _ in ARGUMENTS}
    file = bringup_file()
    try:
        run = parse_namespace(given['namespace'], 'launch argument namespace')
        number = len(load_scenario(given['scenario']).robots)
        robots = robots_of(given['robots'], number)
        changes = changes_of(robots, number, given['set'])
        scenario = load_scenario(given['scenario'], dict(
            parse_override(text, 'launch argument set') for text in changes.split()))
        params_file = given['params_file'] or str(config_directory() / 'nav2.yaml')
        with open(params_file, encoding='utf-8') as stream:
            text = stream.read()
    except (ValueError, OSError) as error:
        raise RuntimeError(str(error)) from None
    folder = tempfile.mkdtemp(prefix='sbot_nav2_')
    actions = [
        RegisterEventHandler(OnShutdown(on_shutdown=lambda *_: shutil.rmtree(
            folder, ignore_errors=True))),
        included(
            os.path.join(os.path.dirname(os.path.abspath(__file__)), 'swarm.launch.py'), {
                'scenario': given['scenario'], 'lockstep': 'false', 'duration': '0',
                'rviz': given['rviz'], 'record': given['record'], 'set': changes,
                'namespace': run, 'publish_robot_description': 'true'})]
    for i in robots:
        place = run + namespace(i, number)
        path = os.path.join(folder, f'robot_{i}.yaml')
        with open(path, 'w', encoding='utf-8') as stream:
            stream.write(parameters_of(
                text, run, place, scenario.bodies[scenario.robots[i].body].safety_radius))
        actions.append(bringup(file, path, run, place, given['use_composition']))
    return actions


def generate_launch_description():
    """Return the launch description; `--show-args` lists the arguments."""
    return LaunchDescription([
        *(DeclareLaunchArgument(name, default_value=default, description=text)
          for name, default, text in ARGUMENTS),
        OpaqueFunction(function=start),
    ])
