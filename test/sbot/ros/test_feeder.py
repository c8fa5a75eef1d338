"""Which recorded messages are played to nodes, and in which order."""


import pytest

from sbot.bag.reader import Message
from sbot_common import topics
from sbot_sim.sensors import imu

pytestmark = pytest.mark.ros


@pytest.mark.parametrize(('name', 'robots', 'topic'), [
    ('/clock', 1, topics.CLOCK), ('/clock', 4, topics.CLOCK),
    ('/odom', 1, topics.ODOM), ('/robot_3/odom', 4, topics.ODOM),
    ('/imu', 1, imu.TOPIC), ('/robot_3/imu', 4, imu.TOPIC), ('/base_scan_0', 4, None),
    ('/robot_3/base_scan_12', 4, topics.BASE_SCAN._replace(name='base_scan_12')),
    ('//clock', 1, None), ('clock', 1, None), ('/robot_0/clock', 4, None), ('/odom', 4, None),
    ('/robot_0/odom', 1, None), ('/robot_03/odom', 4, None), ('/other', 1, None)])
def test_a_topic_is_known_by_its_exact_name(name, robots, topic):
    from sbot.ros.feeder import _topic_of
    assert _topic_of(name, robots) == topic


class NotCompared(Message):
    """A message; with many robots all comparisons with all would take most of the time."""

    def __eq__(self, other):
        raise AssertionError('compared')

    __hash__ = None


def test_a_tick_is_sorted_by_names_in_one_pass():
    from sbot.ros.feeder import Feeder
    feeder = Feeder.__new__(Feeder)
    feeder._held = {'/robot_1/scan': 1}
    names = ['/robot_1/scan', '/robot_0/wind', '/robot_0/odom', '/clock', '/robot_0/scan',
             topics.MARKERS.name]
    parts = feeder._in_order([NotCompared(*[name] * len(Message._fields)) for name in names])
    assert [[each.name for each in part] for part in parts] == [
        ['/clock'], ['/robot_0/odom', '/robot_0/scan'],
        ['/robot_0/wind', topics.MARKERS.name], ['/robot_1/scan']]


def test_who_is_missing_is_said_while_a_replay_waits(monkeypatch):
    from sbot.ros import feeder as module
    monkeypatch.setattr(module, '_REPORT', 0.0)
    said, answers = [], [['robot 1'], ['robot 1'], []]
    feeder = module.Feeder.__new__(module.Feeder)
    feeder._say, feeder._ended = said.append, lambda: ''
    feeder._spin = lambda _: None
    feeder._wait_for(lambda: answers.pop(0), 100.0)
    assert said == ['waiting for robot 1'] * 2
    with pytest.raises(module.NodeFailed, match=r'^waited 0 s for robot 2$'):
        feeder._wait_for(lambda: ['robot 2'], 0.0)
