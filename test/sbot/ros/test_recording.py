"""What `sbot up --record` keeps of a run: nothing of one that never began, its distribution."""

import json
import shlex
import sys

import pytest
import yaml
from children import run_sbot

from sbot.bag.reader import Bag
from sbot.ros.simulator import _ros_distribution
from sbot_common.wire.cdr import decode

pytestmark = [pytest.mark.ros, pytest.mark.forked]

SBOT = [sys.executable, '-m', 'sbot.cli']
DEADLINE = 240.0
SCENARIO = """
duration: 0.5
world: {bounds: [0, 0, 10, 10]}
sensors: {scan_beams: 8}
robots: [{pose: [2, 5, 0], goal: [8, 5], controller: CONTROLLER}]
"""
GIVES_UP = """
class GivesUp:
    def step(self, observation, rng):
        raise ValueError('no ideas')
"""
# A node that commands after each scan, and writes down which topics there are.
LISTS = """
import json, rclpy, sys
from geometry_msgs.msg import Twist
from sensor_msgs.msg import LaserScan
rclpy.init()
node = rclpy.create_node('lists')
publisher = node.create_publisher(Twist, 'cmd_vel', 10)
def on_scan(_):
    with open(sys.argv[1], 'w') as file:
        json.dump(sorted(name for name, _ in node.get_topic_names_and_types()), file)
    publisher.publish(Twist())
node.create_subscription(LaserScan, 'base_scan', on_scan, 10)
try:
    rclpy.spin(node)
except (KeyboardInterrupt, rclpy.executors.ExternalShutdownException):
    pass
"""


def up(folder, controller, *arguments):
    path = folder / 'scenario.yaml'
    path.write_text(SCENARIO.replace('CONTROLLER', controller))
    return run_sbot('up', path, '--record', folder / 'bag', *arguments)


def test_a_run_whose_first_tick_fails_leaves_no_bag(tmp_path):
    (tmp_path / 'idle.py').write_text(GIVES_UP)
    done = up(tmp_path, "'idle:GivesUp'")
    assert done.returncode == 1
    assert 'no ideas' in done.stderr
    assert not (tmp_path / 'bag').exists()
    assert 'recorded until then' not in done.stderr


def test_parameters_of_the_simulator_and_what_a_recording_says_of_its_run(tmp_path):
    (tmp_path / 'lists.py').write_text(LISTS)
    done = up(tmp_path, 'external', '--parameter', 'odom_covariance_floor=1e-6',
              '--parameter', 'publish_robot_description=true',
              '--node', shlex.join([str(tmp_path / 'lists.py'), str(tmp_path / 'topics.json')]))
    assert done.returncode == 0, done.stderr
    information = yaml.safe_load((tmp_path / 'bag' / 'metadata.yaml').read_text())
    assert _ros_distribution() in ('jazzy', 'kilted', 'lyrical', 'rolling')
    assert information['rosbag2_bagfile_information']['ros_distro'] == _ros_distribution()
    bag = Bag(tmp_path / 'bag')
    odom = [decode(each.payload, each.type) for each in bag.messages(['/odom'])]
    assert len(odom) == 16
    for message in odom:
        for covariance in (message.pose.covariance, message.twist.covariance):
            assert covariance.reshape(6, 6).diagonal().tolist() == [1e-6] * 6
            assert covariance.sum() == pytest.approx(6e-6)
    description, = bag.messages(['/robot_description'])
    assert '<link name="base_link">' in decode(description.payload, description.type).data
    transforms = decode(next(bag.messages(['/tf_static'])).payload, 'tf2_msgs/msg/TFMessage')
    assert [each.child_frame_id for each in transforms.transforms] == ['laser', 'base_footprint']
    names = json.loads((tmp_path / 'topics.json').read_text())
    assert {'/robot_description', '/wind/velocity'} <= set(names)
    assert '/wind/gust' not in names  # there are no gusts


@pytest.mark.parametrize(('text', 'words'), [
    ('publish_maps=true', "did you mean 'publish_map'?"),
    ('odom_covariance_floor=-1', '--parameter odom_covariance_floor: got -1, expected'),
    ('publish_map', '--parameter')])
def test_bad_parameters_are_refused(tmp_path, text, words):
    done = up(tmp_path, 'none', '--parameter', text)
    assert done.returncode == 2
    assert words in done.stderr
