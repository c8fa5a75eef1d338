"""What a live view makes of messages that anybody may send."""

import json

import numpy as np
import pytest
from pictures import record

from sbot.bag.reader import Bag
from sbot.viewer.node import _Follower
from sbot.viewer.server import Live
from sbot_common import topics
from sbot_common.wire.cdr import DamagedMessage
from sbot_common.wire.messages import write_pose
from sbot_common.wire.templates import NumbersTemplate, OdometryTemplate, ScanTemplate

SECOND = 10**9


@pytest.fixture(scope='module')
def payloads(tmp_path_factory):
    """The first message of each topic of a recording of four robots."""
    first = {}
    for message in Bag(record(tmp_path_factory.mktemp('follower'))[0]).messages():
        first.setdefault(message.name, message.payload)
    return first


@pytest.fixture
def heard(payloads):
    """The follower, its page, and its callbacks after the first tick."""
    live, callbacks = Live(), {}
    follower = _Follower(live, lambda topic, name, callback: callbacks.setdefault(name, callback))
    callbacks[topics.SCENARIO.name](payloads[topics.SCENARIO.name])
    for name in list(callbacks):
        if name in payloads:
            callbacks[name](payloads[name])
    follower.show()
    assert live.counts['frame'] == 1
    return follower, live, callbacks


def odometry(*pose):
    return OdometryTemplate('map', 'base_link').fill(SECOND, *pose, 0.0, 1.0, 0.0, 0.0, 0.0)


def scan():
    return ScanTemplate('laser', 3, 0.0, 1.0, 1.0, 0.0, 0.0, 9.0).fill(
        SECOND, np.ones(3, np.float32))


@pytest.mark.parametrize(('name', 'raw'), [
    *(('base_pose_ground_truth', odometry(*pose)) for pose in (
        (np.nan, 0.0), (0.0, np.inf), (1e308, 0.0))),
    ('goal', write_pose(SECOND, 'map', np.nan, 1.0)),
    ('goal', write_pose(SECOND, 'map', 1.0, -1e308)),
    ('wind', NumbersTemplate.of_vector('map').fill(SECOND, 1e308, 0.0, 0.0)),
    ('base_scan', scan()[:-5])])
def test_what_a_page_cannot_show_is_damaged(heard, name, raw):
    follower, live, callbacks = heard
    with pytest.raises(DamagedMessage):
        callbacks[f'/robot_1/{name}'](raw)
    for robot in range(4):
        callbacks[f'/robot_{robot}/base_pose_ground_truth'](odometry(1.0 + robot, 2.0))
    follower.show()
    assert live.counts['frame'] == 2


def test_a_robot_that_is_not_in_the_world_is_nowhere_on_the_page(heard):
    follower, live, callbacks = heard
    for robot, pose in enumerate([(1.0, 2.0), (np.nan, np.nan), (3.0, 2.0), (4.0, 2.0)]):
        callbacks[f'/robot_{robot}/base_pose_ground_truth'](odometry(*pose))
    follower.show()
    assert json.loads(live._latest['frame'])['poses'][:6] == [1.0, 2.0, 0.0, None, None, 0.0]
