"""Which recorded messages are played to nodes, and in which order."""


import pytest

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
