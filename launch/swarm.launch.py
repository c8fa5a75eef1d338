"""Start a scenario: the simulator, the wind, one controller a robot, rviz2 if asked for.

ros2 launch potential_field_bot swarm.launch.py scenario:=leader_follower rviz:=true
"""

import math
import os

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

ARGUMENTS = (
    ('scenario', 'leader_follower', 'Scenario file, or name of a shipped scenario.'),
    ('rviz', 'false', "Start rviz2 with the package's view."),
    ('lockstep', '', 'true or false instead of what the scenario says.'),
    ('record', '', 'New directory of a bag to write; empty: none.'),
    ('seed', '', "Seed instead of the scenario's."),
    ('duration', '', "Simulated seconds instead of the scenario's; 0: until Ctrl-C."),
    ('set', '', 'More changes: KEY=VALUE, several separated by spaces.'),
)


def flag(name, text):
    """Return true or false of an argument, or raise."""
    if text.lower() not in ('true', 'false'):
        raise RuntimeError(f"launch argument {name}: got '{text}', expected true or false")
    return text.lower() == 'true'


def seconds(text):
    """Return the argument duration as a number, or raise; None when it is not given."""
    if not text:
        return None
    try:
        duration = float(text)
    except ValueError:
        duration = math.nan
    if not 0 <= duration < math.inf:
        raise RuntimeError(f"launch argument duration: got '{text}', expected seconds, "
                           'or 0: until Ctrl-C')
    return duration


def overrides_of(arguments):
    """Return the changes to the scenario that the launch arguments ask for."""
    from sbot.scenario.overrides import parse_override
    overrides = dict(parse_override(text, 'launch argument set')
                     for text in arguments['set'].split())
    if arguments['lockstep']:
        overrides['lockstep'] = flag('lockstep', arguments['lockstep'])
    if arguments['seed']:
        key, seed = parse_override(f"seed={arguments['seed']}", 'launch argument seed')
        overrides[key] = seed
    duration = seconds(arguments['duration'])
    if duration:
        overrides['duration'] = duration
    return overrides


def recorder_of(directory, has_ros2_bag):
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


def end_with(node, name):
    """Return the action that ends everything when a node ends; an error names the node."""
    def on_exit(event, context):
        if event.returncode != 0 and not context.is_shutdown:
            raise RuntimeError(f'{name}: ended the run with exit code {event.returncode}')
        return [EmitEvent(event=Shutdown(reason=f'{name} has ended'))]
    return RegisterEventHandler(OnProcessExit(target_action=node, on_exit=on_exit))


def start(context):
    """Return the actions for the arguments given."""
    from importlib.util import find_spec

    from sbot.ros.processes import node_processes
    from sbot.runner.warm_up import warm_up
    from sbot.scenario.load import load_scenario
    from sbot.scenario.shipped import config_directory

    arguments = {name: LaunchConfiguration(name).perform(context) for name, _, _ in ARGUMENTS}
    try:
        scenario = load_scenario(arguments['scenario'], overrides_of(arguments))
    except ValueError as error:
        raise RuntimeError(str(error)) from None
    use_ros2_bag = find_spec('ros2bag') is not None and not scenario.lockstep
    record, actions = recorder_of(arguments['record'], use_ros2_bag)
    rviz = flag('rviz', arguments['rviz'])
    warm_up()
    endless = seconds(arguments['duration']) == 0
    for process in node_processes(scenario, record=record or None, endless=endless):
        node = Node(package=PACKAGE, executable=process.executable, name=process.name,
                    namespace=process.namespace, parameters=[process.parameters],
                    output='screen', emulate_tty=True)
        actions += [end_with(node, process.name), node]
    if rviz:
        view = 'sbot_single.rviz' if len(scenario.robots) == 1 else 'sbot.rviz'
        actions.append(Node(
            package='rviz2', executable='rviz2', name='rviz2', output='screen',
            arguments=['-d', str(config_directory() / view)],
            parameters=[{'use_sim_time': True}]))
    return actions


def generate_launch_description():
    """Return the launch description; `--show-args` lists the arguments."""
    local = [] if 'ROS_AUTOMATIC_DISCOVERY_RANGE' in os.environ else [
        SetEnvironmentVariable('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')]
    return LaunchDescription([
        *local,
        *(DeclareLaunchArgument(name, default_value=default, description=text)
          for name, default, text in ARGUMENTS),
        OpaqueFunction(function=start),
    ])
