"""ROS 2 of this environment: discovery on this machine, unless the user says otherwise."""

from sbot.environment import discovery

RANGE = 'ROS_AUTOMATIC_DISCOVERY_RANGE'


def test_nodes_stay_on_this_machine_unless_told_otherwise(monkeypatch):
    environment = {}
    monkeypatch.setattr(discovery.os, 'environ', environment)
    discovery.stay_on_this_machine()
    assert environment == {RANGE: 'LOCALHOST'}
    environment[RANGE] = 'SUBNET'
    discovery.stay_on_this_machine()
    assert environment == {RANGE: 'SUBNET'}


def test_the_distribution_is_the_sourced_one_or_that_of_the_wheels(monkeypatch):
    installed = {'ros-kilted-rclpy'}

    def version(name):
        if name not in installed:
            raise discovery.PackageNotFoundError(name)
    monkeypatch.setattr(discovery, 'version', version)
    monkeypatch.setenv('ROS_DISTRO', 'humble')
    assert discovery.ros_distribution() == 'humble'
    monkeypatch.delenv('ROS_DISTRO')
    assert discovery.ros_distribution() == 'kilted'
    installed.clear()
    assert discovery.ros_distribution() == ''
