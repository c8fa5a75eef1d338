"""The lean executor, in processes of its own, as ROS reads its domain from the environment."""


import pytest
from children import passed

pytestmark = [pytest.mark.forked, pytest.mark.ros]

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
def awaited(name):
    return lambda: heard.count(name) < heard.count('/last')
early, late = (hear(name, wakes=False, awaited=awaited(name)) for name in ('/early', '/late'))
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

# One tick lacks its companion; those of later ticks come alone, before what wakes the node.
LACKING = SCENE + """
from sbot_common.ros.executor import LeanExecutor
woken_by, wait = [], LeanExecutor._wait
def recorded(self, *given):
    ready = wait(self, *given)
    woken_by.append((len(heard), ready))
    return ready
LeanExecutor._wait = recorded
companion = hear('/companion', wakes=False,
                 awaited=lambda: heard.count('/companion') < heard.count('/last') - 1)
last = hear('/last')
last.publish(write_twist(1.0, 0.0, 0.0))
sent = 1
def tick():
    global sent
    if len(heard) == sent < 41:
        sent += 1
        (last if sent % 2 else companion).publish(write_twist(1.0, 0.0, 0.0))
talker.create_timer(0.001, tick)
spin(lambda: len(heard) == 41)
pointer = next(s.handle.pointer for s in listener.subscriptions if s.topic_name == '/companion')
assert not [count for count, ready in woken_by if count > 3 and pointer in ready]
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
    return passed('-c', text).split()


@pytest.mark.parametrize('scene', [COMPANIONS, LACKING, UNEXPECTED, SERVICE, LATER], ids=[
    'companions before and behind what wakes', 'a companion that never comes',
    'nothing that wakes', 'clients and services',
    'a subscription made later'])
def test_everything_arrives(scene):
    assert run(scene) == ['LeanExecutor']


@pytest.mark.forked(False)  # the server has looked at rclpy's internals already
def test_unknown_internals_leave_the_work_to_rclpy():
    assert run(UNKNOWN) == ['SingleThreadedExecutor']
