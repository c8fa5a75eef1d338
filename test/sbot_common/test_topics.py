import pytest

from sbot_common import topics
from sbot_common.topics import CMD_VEL, MARKERS, frame, namespace, run_namespace, within

TABLE = [value for value in vars(topics).values() if isinstance(value, topics.Topic)]


def test_a_single_robot_has_no_namespace_and_a_group_numbers():
    assert (namespace(0, 1), namespace(0, 2), namespace(11, 12)) == ('', '/robot_0', '/robot_11')
    assert CMD_VEL.resolve(0, 1) == '/cmd_vel'
    assert CMD_VEL.resolve(3, 4) == '/robot_3/cmd_vel'
    assert MARKERS.resolve(3, 4) == MARKERS.name  # global
    assert (frame('base_link', 0, 1), frame('base_link', 2, 3)) == ('base_link',
                                                                    'robot_2/base_link')


@pytest.mark.parametrize('run', ['', '/arena', '/a/b'])
@pytest.mark.parametrize('robots', [1, 2, 12])
def test_a_run_is_found_from_the_namespace_of_each_of_its_nodes(run, robots):
    for robot in range(robots):
        assert run_namespace(run + namespace(robot, robots), robot, robots) == run
    assert run_namespace(run + '/') == run


def test_robot_1_is_no_part_of_robot_11():
    assert run_namespace('/robot_11', 1, 12) == '/robot_11'


def test_two_runs_share_the_topics_of_the_domain_only():
    shared = {topic.name for topic in TABLE if within('/a', topic.name) == topic.name
              and topic.name.startswith('/')}
    assert shared == {'/clock', '/tf', '/tf_static', '/diagnostics'}


def test_each_name_has_one_type():
    types = {}
    for topic in TABLE:
        types.setdefault(topic.name, set()).add(topic.type)
    # Twist or TwistStamped, as a controller's node is asked for.
    assert {name for name, found in types.items() if len(found) > 1} == {'cmd_vel'}
