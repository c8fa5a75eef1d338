"""URDF of a robot: disc or box, and where its laser is."""

from xml.etree import ElementTree

import pytest

from sbot_sim.messages.robot_description import robot_description
from sbot_sim.sensors.scan import ScanSettings, make_scan_parameters


@pytest.mark.parametrize(('rectangle', 'shape', 'ahead'), [
    (None, ('cylinder', {'radius': '0.3', 'length': '0.2'}), '0 0 0.1'),
    ((0.9, 0.4, 0.2), ('box', {'size': '0.9 0.4 0.2'}), '0.2 0 0.1')])
def test_its_body_and_its_laser(rectangle, shape, ahead):
    scan = make_scan_parameters(ScanSettings(laser_x=0.1, laser_yaw=0.5))
    root = ElementTree.fromstring(robot_description('a"b', 0.3, scan, rectangle))
    assert root.get('name') == 'a"b'
    for part in ('visual', 'collision'):
        found = root.find(f'link/{part}/geometry')[0]
        assert (found.tag, found.attrib) == shape
        assert root.find(f'link/{part}/origin').get('xyz') == ahead
    laser = root.find("joint[@name='laser_joint']/origin")
    assert (laser.get('xyz'), laser.get('rpy')) == ('0.1 0.0 0', '0 0 0.5')
