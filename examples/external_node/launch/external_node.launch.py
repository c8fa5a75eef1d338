"""Starts the simulation of scenario.yaml, and the node that drives its robot 1."""

from pathlib import Path

from ament_index_python.packages import get_package_share_directory
from launch.actions import DeclareLaunchArgument, IncludeLaunchDescription, Shutdown
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

from launch import LaunchDescription


def generate_launch_description():
    """Return the swarm of the scenario and the node; its end ends both."""
    simulation = Path(get_package_share_directory('potential_field_bot'))
    own = Path(get_package_share_directory('external_node'))
    return LaunchDescription([
        DeclareLaunchArgument('record', default_value='',
                              description='A new directory to write a bag to.'),
        IncludeLaunchDescription(
            PythonLaunchDescriptionSource(str(simulation / 'launch' / 'swarm.launch.py')),
            launch_arguments={'scenario': str(own / 'scenario.yaml'),
                              'record': LaunchConfiguration('record')}.items()),
        Node(package='external_node', executable='avoid', namespace='robot_1',
             parameters=[{'use_sim_time': True}], output='screen',
             on_exit=Shutdown(reason='avoid has ended'))])
