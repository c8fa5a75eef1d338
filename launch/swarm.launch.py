# SPDX-License-Identifier: Apache-2.0
"""Start a scenario: the simulator, the wind, one controller a robot, rviz2 if asked for.

ros2 launch potential_field_bot swarm.launch.py scenario:=leader_follower rviz:=true
"""

import math
import os
import re
import tempfile

from launch.actions import (
    DeclareLaunchArgument,
    EmitEvent,
    ExecuteProcess,
    OpaqueFunction,
    RegisterEventHandler,
    SetEnvironmentVariable,
)
from launch.event_handlers import OnProcessExit
from launch.events import Shutdown
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

from launch import LaunchDescription

PACKAGE = 'potential_field_bot'
MANY = 16  # controllers; more share one process: each of their own takes seconds to start

ARGUMENTS = (
    ('scenario', 'leader_follower', 'Scenario file, or name of a shipped scenario.'),
    ('rviz', 'false', "Start rviz2 with the package's view; lockstep then keeps to real time."),
    ('composed', '', 'true: all nodes in one process; default: with more than 16 controllers.'),
    ('namespace', '', 'Namespace of all nodes, with its own /clock and /tf.'),
    ('lockstep', '', "true or false; replaces the scenario's value."),
    ('record', '', 'New directory for a recording; empty: none.'),
    ('seed', '', "Replaces the scenario's seed."),
    ('duration', '', "Replaces the scenario's duration (simulated seconds); 0: until Ctrl-C."),
    ('set', '', 'Changes to other keys of the scenario: KEY=VALUE, separated by spaces.'),
    ('publish_map', 'true', 'false: map_server or SLAM publishes /map.'),
    ('publish_map_odom_tf', 'true', 'false: AMCL or SLAM publishes the transform map -> odom.'),
    ('publish_robot_description', 'false', 'Publish robot_description and base_footprint.'),
    ('publish_scan', 'false', 'Also publish scans on scan, their name in TurtleBot3 and Nav2.'),
    ('publish_contact', 'false', 'Publish contact: whether a robot touched something.'),
    ('publish_joint_states', 'false', 'Publish joint_states, obey joint_commands: ros2_control.'),
    ('simulation_interfaces', 'false', 'Offer the services of simulation_interfaces.'),
    ('turtlebot3', 'false', 'Every robot is a TurtleBot3 Burger: body: turtlebot3_burger.'),
)


def _flag(name, text):
    """Return true or false of an argument, or raise."""
    if text.lower() not in ('true', 'false'):
        raise RuntimeError(f"launch argument {name}: got '{text}', expected true or false")
    return text.lower() == 'true'


def _seconds(text):
    """Return the argument duration as a number, or raise; None when it is not given."""
    if not text:
        return None
    try:
        duration = float(text)
    except ValueError:
        duration = math.nan
    if not 0 <= duration < math.inf:
        raise RuntimeError(f"launch argument duration: got '{text}', expected seconds, "
                           'or 0 (until Ctrl-C)')
    return duration


def _overrides_of(arguments):
    """Return the changes to the scenario that the launch arguments ask for."""
    from sbot.scenario.load import parse_override
    overrides = {}
    if _flag('turtlebot3', arguments['turtlebot3']):
        overrides['robots.*.body'] = 'turtlebot3_burger'
    overrides.update(parse_override(text, 'launch argument set')
                     for text in arguments['set'].split())
    if arguments['lockstep']:
        overrides['lockstep'] = _flag('lockstep', arguments['lockstep'])
    if arguments['seed']:
        key, seed = parse_override(f"seed={arguments['seed']}", 'launch argument seed')
        overrides[key] = seed
    duration = _seconds(arguments['duration'])
    if duration:
        overrides['duration'] = duration
    return overrides


def _recorder_of(directory, has_ros2_bag):
    """Return (directory for the simulator's own recorder, actions that record otherwise).

    In lockstep the simulator records itself, so that no tick ends before it is kept.
    """
    if directory and os.path.exists(directory):
        raise RuntimeError(f'launch argument record: {directory} exists already; '
                           'expected the name of a new directory')
    if not directory or not has_ros2_bag:
        return directory, []
    return '', [ExecuteProcess(
        cmd=['ros2', 'bag', 'record', '--all', '--storage', 'mcap', '--output', directory],
        output='screen')]


def _check_rviz():
    """Raise an error where rviz2 is not installed, before any node starts."""
    from sbot.environment.running import need_package
    need_package('rviz2', 'rviz', 'rviz:=false')


def _place_of(context, text):
    """Return the namespace of the run and its remaps, with those of the file that includes this.

    An argument gives the run time and transforms of its own. A ``PushRosNamespace`` alone leaves
    that to a ``SetRemap``, as of any node.
    """
    from sbot.ros.processes import own_names, parse_namespace
    pushed = context.launch_configurations.get('ros_namespace', '').rstrip('/')
    run = pushed + parse_namespace(text, 'launch argument namespace')
    around = [tuple(pair) for pair in context.launch_configurations.get('ros_remaps', [])]
    return run, own_names(run) if text else [], around


def _prefix_of():
    """Return what stands before the nodes' commands: the user's, then what holds signals."""
    from sbot.ros.processes import holding_signals
    return [LaunchConfiguration('launch-prefix', default=''), ' ', ' '.join(holding_signals())]


def _composed_process(processes, remaps):
    """Return the action that runs all nodes in one process, and the file that describes them."""
    import yaml

    from sbot.ros.executables import END_WITH_PARENT
    from sbot.ros.processes import COMPOSED, NodeProcess, process_command, ros_arguments
    with tempfile.NamedTemporaryFile('w', prefix='sbot_composed_', suffix='.yaml',
                                     delete=False) as file:
        yaml.safe_dump(NodeProcess.composed(processes).parameters, file)
    return ExecuteProcess(
        cmd=process_command(COMPOSED, file.name, '--ros-args', *ros_arguments(remaps)),
        name=COMPOSED, output='screen', emulate_tty=True, prefix=_prefix_of(),
        additional_env={END_WITH_PARENT: '1'}), file.name


def _end_with(node, name, file=None):
    """Return the action that ends everything when a node ends; an error names the node.

    ``file``: is removed then.
    """
    def on_exit(event, context):
        if file is not None:
            os.unlink(file)
        if event.returncode != 0 and not context.is_shutdown:
            raise RuntimeError(f'{name}: ended the run with exit code {event.returncode}')
        return [EmitEvent(event=Shutdown(reason=f'{name} has ended'))]
    return RegisterEventHandler(OnProcessExit(target_action=node, on_exit=on_exit))


def _start(context):
    """Return the actions for the arguments given."""
    from importlib.util import find_spec

    from sbot.ros.domain import check_free, current_domain
    from sbot.ros.executables import END_WITH_PARENT
    from sbot.ros.processes import node_processes
    from sbot.runner.warm_up import warm_up
    from sbot.scenario.load import load_scenario
    from sbot.scenario.shipped import config_directory

    arguments = {name: LaunchConfiguration(name).perform(context) for name, _, _ in ARGUMENTS}
    rviz = _flag('rviz', arguments['rviz'])
    if rviz:
        _check_rviz()
    try:
        run, remaps, around = _place_of(context, arguments['namespace'])
        # rcl takes the first rule that fits.
        check_free(current_domain(), dict(reversed(around + remaps)).get('/clock', '/clock'))
        overrides = _overrides_of(arguments)
        scenario = load_scenario(arguments['scenario'], overrides)
        if rviz and 'target_real_time_factor' not in overrides and (
                scenario.target_real_time_factor == 0):  # too fast to watch
            overrides['target_real_time_factor'] = 1.0
            scenario = load_scenario(arguments['scenario'], overrides)
    except ValueError as error:
        raise RuntimeError(str(error)) from None
    use_ros2_bag = find_spec('ros2bag') is not None and not scenario.lockstep
    record, actions = _recorder_of(arguments['record'], use_ros2_bag)
    warm_up(scenario)
    endless = _seconds(arguments['duration']) == 0
    processes = node_processes(scenario, record=record or None, endless=endless, run=run)
    for process in processes[:1]:  # the simulator
        process.parameters.update({name: _flag(name, arguments[name]) for name in arguments
                                   if name.startswith(('publish_', 'simulation_'))})
    composed = (_flag('composed', arguments['composed']) if arguments['composed']
                else len(processes) - 2 > MANY)
    if composed:
        node, file = _composed_process(processes, around + remaps)
        actions += [_end_with(node, 'composed', file), node]
    prefix = _prefix_of()
    for process in [] if composed else processes:
        node = Node(package=PACKAGE, executable=process.executable, name=process.name,
                    exec_name=process.executable, namespace=process.namespace,
                    parameters=[process.parameters], remappings=remaps,
                    output='screen', emulate_tty=True, prefix=prefix,
                    additional_env={END_WITH_PARENT: '1'})
        actions += [_end_with(node, process.name), node]
    if rviz:
        view = 'sbot_single.rviz' if len(scenario.robots) == 1 else 'sbot.rviz'
        path = config_directory() / view
        shown = re.findall(r'Value: (/\S+)', path.read_text(encoding='utf-8')) if run else []
        actions.append(Node(
            package='rviz2', executable='rviz2', name='rviz2', output='screen',
            arguments=['-d', str(path)],
            parameters=[{'use_sim_time': True}], namespace=run,
            remappings=[*remaps, *((name, run + name) for name in shown)]))
    return actions


def generate_launch_description():
    """Return the launch description; `--show-args` lists the arguments."""
    local = [] if 'ROS_AUTOMATIC_DISCOVERY_RANGE' in os.environ else [
        SetEnvironmentVariable('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')]
    return LaunchDescription([
        *local,
        *(DeclareLaunchArgument(name, default_value=default, description=text)
          for name, default, text in ARGUMENTS),
        OpaqueFunction(function=_start),
    ])
