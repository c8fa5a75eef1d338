"""Subscribers of a topic: the remap or the quality of service for which none gets a message."""

import time

import pytest

pytestmark = [pytest.mark.forked, pytest.mark.ros]

DEADLINE = 30.0  # s
SCAN = '/robot_0/base_scan'


@pytest.fixture
def graph():
    """A node that publishes a scan, and a function that subscribes to topics as /robot_0/steer."""
    rclpy = pytest.importorskip('rclpy')
    from rclpy.node import Node
    from sensor_msgs.msg import LaserScan
    rclpy.init()
    publisher = Node('sbot_sim')
    publisher.create_publisher(LaserScan, SCAN, 10)
    steer = Node('steer', namespace='/robot_0')

    def subscribe(*topics, qos=10):
        names = [steer.create_subscription(LaserScan, topic, lambda _: None, qos).topic_name
                 for topic in topics]
        end = time.monotonic() + DEADLINE
        while not all(publisher.get_subscriptions_info_by_topic(name) for name in names):
            assert time.monotonic() < end
            rclpy.spin_once(steer, timeout_sec=0.02)
        return publisher
    yield subscribe
    rclpy.shutdown()


def why(node, *names):
    from sbot_common.ros import unheard
    found = unheard(node, names or [SCAN], '/robot_0/steer')
    return found and found[0]


def test_a_missing_remap_is_named_as_the_node_needs_it(graph):
    node = graph('scan')
    assert why(node) == (f'no node subscribes to {SCAN} (/robot_0/steer subscribes to '
                         '/robot_0/scan: -r scan:=base_scan)')
    assert why(node, SCAN, '/robot_0/scan') is None  # where both are sent
    assert why(graph('base_scan')) is None


def test_a_topic_outside_the_namespace_is_remapped_by_its_whole_name(graph):
    assert why(graph('/scan')).endswith(f'to /scan: -r /scan:={SCAN})')


def test_a_quality_of_service_that_does_not_fit_is_named(graph):
    from rclpy.qos import DurabilityPolicy, QoSProfile, qos_profile_sensor_data
    node = graph('base_scan', qos=QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL))
    assert why(node) == (
        f'/robot_0/steer subscribes to {SCAN} with a quality of service that does not fit: '
        'durability: got TRANSIENT_LOCAL, expected VOLATILE')
    assert why(graph('base_scan', qos=qos_profile_sensor_data)) is None
