"""A node's answer to a barrier comes after its callbacks for all that was sent before."""

import contextlib
import threading
import time

import pytest

pytestmark = pytest.mark.ros

DEADLINE = 240.0
ROUNDS = 30
TOPICS = ('one', 'two', 'three')


@pytest.fixture
def context():
    import rclpy
    context = rclpy.Context()
    rclpy.init(context=context)
    yield context
    context.try_shutdown()


def test_an_answer_comes_after_the_callbacks_and_after_what_they_published(context):
    from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
    from rclpy.node import Node
    from std_msgs.msg import String

    from sbot_common.ros.executor import LeanExecutor
    from sbot_common.ros.pubsub import Barrier
    plain, asking = Node('plain', context=context), Node('asking', context=context)
    handled, replies, counts = [], [], []
    reply = plain.create_publisher(String, 'reply', 10)

    def handle(message):
        time.sleep(0.002)  # what a callback may take
        handled.append(message)
        reply.publish(message)
    for topic in TOPICS:
        plain.create_subscription(String, topic, handle, 10)
    asking.create_subscription(String, 'reply', replies.append, 10)
    publishers = [asking.create_publisher(String, topic, 10) for topic in TOPICS]

    def speak():
        for publisher in publishers:
            publisher.publish(String())
        barrier.ask(['/plain'])

    def on_heard():
        counts.append((len(handled), len(replies)))
        if len(counts) < ROUNDS:
            speak()
    barrier = Barrier(asking, on_heard)

    def spin(node, executor):
        executor.add_node(node)
        with contextlib.suppress(ExternalShutdownException):
            executor.spin()
    threads = [threading.Thread(target=spin, args=arguments) for arguments in (
        (plain, SingleThreadedExecutor(context=context)),
        (asking, LeanExecutor(context=context)))]
    deadline = time.monotonic() + DEADLINE
    try:
        while not (barrier.is_there('/plain') and reply.get_subscription_count()
                   and all(each.get_subscription_count() for each in publishers)):
            assert time.monotonic() < deadline
            time.sleep(0.01)
        speak()
        assert barrier.silent() == ['/plain']
        for thread in threads:
            thread.start()
        while len(counts) < ROUNDS:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        assert barrier.on_wall_time('/plain')  # use_sim_time: false is the default
        assert not barrier.on_wall_time('/asking')  # it was not asked
    finally:
        context.try_shutdown()
        for thread in threads:
            if thread.ident is not None:
                thread.join()
    assert counts == [(3 * k, 3 * k) for k in range(1, ROUNDS + 1)]
