"""The lean executor, in processes of its own, as ROS reads its domain from the environment."""

import importlib.util
import subprocess
import sys

import pytest

pytestmark = [
    pytest.mark.forked, pytest.mark.ros,
    pytest.mark.skipif(importlib.util.find_spec('rclpy') is None, reason='rclpy is missing')]

# One node hears what the other says; both spin in one executor until `finished` or the deadline.
SCENE = """
import time
import rclpy
from rclpy.node import Node
from std_srvs.srv import Trigger
from sbot_common import ros
from sbot_common import topics
from sbot_common.wire.messages import write_twist

DEADLINE = 240.0  # s
rclpy.init(args=[])
talker, listener = Node('talker'), Node('listener')
heard = []

def hear(name, **how):
    ros.subscribe(listener, topics.CMD_VEL, name, lambda raw: heard.append(name), **how)
    publisher = ros.advertise(talker, topics.CMD_VEL, name)
    deadline = time.monotonic() + DEADLINE
    while not publisher.get_subscription_count():
        assert time.monotonic() < deadline
    return publisher

def spin(finished):
    executor = ros.make_executor()
    print(type(executor).__name__)
    for node in (talker, listener):
        executor.add_node(node)
    deadline = time.monotonic() + DEADLINE
    def watch():
        if finished() or time.monotonic() > deadline:
            rclpy.shutdown()
    talker.create_timer(0.01, watch)
    try:
        executor.spin()
    except rclpy.executors.ExternalShutdownException:
        pass
    assert finished()
"""

COMPANIONS = SCENE + """
early, late = hear('/early', wakes=False, expected=True), hear('/late', wakes=False, expected=True)
last = hear('/last')
ticks = 0
def tick():
    global ticks
    if len(heard) == 3 * ticks < 300:
        ticks += 1
        for publisher in (early, last, late):
            publisher.publish(write_twist(1.0, 0.0, 0.0))
talker.create_timer(0.001, tick)
spin(lambda: len(heard) == 300)
assert heard.count('/early') == heard.count('/late') == 100
"""

UNEXPECTED = SCENE + """
quiet = hear('/quiet', wakes=False)
for _ in range(50):
    quiet.publish(write_twist(1.0, 0.0, 0.0))
spin(lambda: len(heard) == 50)
"""

SERVICE = SCENE + """
def answer(request, response):
    response.success = True
    return response
listener.create_service(Trigger, '/ask', answer)
client = talker.create_client(Trigger, '/ask')
futures = []
def ask():
    if not futures and client.service_is_ready():
        futures.extend(client.call_async(Trigger.Request()) for _ in range(5))
talker.create_timer(0.01, ask)
spin(lambda: futures and all(future.done() for future in futures))
"""

LATER = SCENE + """
publishers = []
def begin():
    if not publishers:
        publishers.append(hear('/new'))
    elif not heard:
        publishers[0].publish(write_twist(1.0, 0.0, 0.0))
talker.create_timer(0.01, begin)
spin(lambda: bool(heard))
"""

UNKNOWN = """
from rclpy.impl.implementation_singleton import rclpy_implementation
del rclpy_implementation.Timer.is_timer_ready
""" + SCENE + """
print(type(ros.make_executor()).__name__)
"""


def run(text):
    done = subprocess.run([sys.executable, '-c', text], timeout=300, capture_output=True,
                          text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.mark.parametrize('scene', [COMPANIONS, UNEXPECTED, SERVICE, LATER], ids=[
    'companions before and behind what wakes', 'nothing that wakes', 'clients and services',
    'a subscription made later'])
def test_everything_arrives(scene):
    assert run(scene) == ['LeanExecutor']


@pytest.mark.forked(False)  # the server has looked at rclpy's internals already
def test_unknown_internals_leave_the_work_to_rclpy():
    assert run(UNKNOWN) == ['SingleThreadedExecutor']
