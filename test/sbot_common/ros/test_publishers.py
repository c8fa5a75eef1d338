"""Two nodes publish what a controller hears: in lockstep it refuses them by name."""


import pytest
from children import passed

pytestmark = [pytest.mark.forked, pytest.mark.ros]

SCRIPT = """
import sys, time
import rclpy
from rclpy.node import Node
from potential_field_bot.node import PotentialFieldNode
from sbot_common import ros, topics
from sbot_common.errors import InputError
trigger, second = sys.argv[1:]
rclpy.init(args=['x', '--ros-args', '-p', f'trigger:={trigger}'])
others = [Node(name) for name in ('sbot_sim', second)]
publishers = [ros.advertise(node, topics.BASE_SCAN, '/base_scan') for node in others]
logged = []
class Host(PotentialFieldNode):
    def get_logger(self):
        logger = super().get_logger()
        class Logger:
            info = logger.info
            def warning(self, text):
                if 'publishers' in text:
                    logged.append(text)
        return Logger()
host = Host()
executor = ros.make_executor()
executor.add_node(host)
looks = 0
find = ros.pubsub.publishers_of
def counted(node, name):
    global looks
    looks += name == '/base_scan' and node.count_publishers(name) == 2
    return find(node, name)
ros.pubsub.publishers_of = counted
end = time.monotonic() + 200.0
try:
    while looks < 3 and time.monotonic() < end:
        executor.spin_once(timeout_sec=0.1)
    print('goes on', looks, *logged)
except InputError as error:
    print('ends', error)
rclpy.shutdown()
"""


def drive(trigger: str, second: str) -> str:
    return passed('-c', SCRIPT, trigger, second).splitlines()[-1]


def test_in_lockstep_a_foreign_publisher_ends_a_controller():
    assert drive('inputs', 'stranger') == (
        'ends /base_scan has 2 publishers (/sbot_sim, /stranger), and lockstep '
        'needs exactly one; give each run its own ROS_DOMAIN_ID')


def test_in_free_running_it_is_named_once():
    assert drive('timer', 'stranger') == (
        'goes on 3 /base_scan has 2 publishers (/sbot_sim, /stranger), expected one')


def test_a_simulator_that_waits_for_another_to_end_disturbs_nobody():
    assert drive('inputs', 'sbot_sim') == 'goes on 3'
