import numpy as np
import pytest
from defusedxml import ElementTree
from worlds import make_parameters, random_poses

from sbot_common import topics
from sbot_common.angles import yaw_from_quaternion
from sbot_common.wire import cdr
from sbot_sim.engine.simulation import Engine
from sbot_sim.messages import broadcast as messages
from sbot_sim.messages.broadcast import Broadcast, BroadcastOptions, Interfaces
from sbot_sim.world.bodies import NOWHERE, ROBOT
from wind_model.gust import Wind


def outgoing(robots=2, namespaced=False, **given):
    parameters = make_parameters([ROBOT] * robots)
    poses = np.array([[2.0 + 3 * i, 2.0, 0.5] for i in range(robots)])
    broadcast = Broadcast(parameters, BroadcastOptions(
        'x', [None] * robots, namespaced, interfaces=Interfaces(**given)))
    snapshot = Engine(parameters, poses, 1).snapshot
    return [*broadcast.latched(0), *broadcast.snapshot(snapshot, 0)]


def edges(messages, topic):
    return {(name, t.header.frame_id, t.child_frame_id) for name, known, payload in messages
            if known is topic for t in cdr.decode(payload, topic.type).transforms}


@pytest.mark.parametrize('namespaced', [False, True])
def test_base_footprint_and_the_description_agree(namespaced):
    messages = outgoing(namespaced=namespaced, publish_robot_description=True)
    found = edges(messages, topics.TF_STATIC)
    for i in range(2):
        name, prefix = ((f'/robot_{i}/tf_static', '') if namespaced
                        else ('/tf_static', f'robot_{i}/'))
        links = {(name, f'{prefix}base_link', f'{prefix}{link}')
                 for link in ('base_footprint', 'laser')}
        assert links <= found
        text, = (cdr.decode(payload, topic.type).data for at, topic, payload in messages
                 if at == f'/robot_{i}/robot_description')
        urdf = ElementTree.fromstring(text)
        assert urdf.get('name') == f'robot_{i}'
        assert {(name, *(prefix + joint.find(end).get('link') for end in ('parent', 'child')))
                for joint in urdf.iter('joint')} == links
        for cylinder in urdf.iter('cylinder'):
            assert float(cylinder.get('radius')) == ROBOT.radius
    assert topics.ROBOT_DESCRIPTION.latched


def test_scans_have_a_second_name_and_contacts_a_topic_where_asked_for():
    names = {name for name, _, _ in outgoing()}
    assert not any(name.endswith(('/scan', '/contact')) for name in names)
    payloads = {name: payload for name, _, payload in outgoing(publish_scan=True)}
    for i in range(2):
        assert payloads[f'/robot_{i}/scan'] == payloads[f'/robot_{i}/base_scan']
    told = [(name, cdr.decode(payload, topic.type).data)
            for name, topic, payload in outgoing(publish_contact=True) if topic is topics.CONTACT]
    assert told == [('/robot_0/contact', False), ('/robot_1/contact', False)]


def test_rab_data_is_cut_or_filled_to_ten_bytes():
    get = cdr.message_class
    for given_bytes in (3, 10, 12):
        raw = cdr.encode(get('std_msgs/msg/UInt8MultiArray')(
            layout=get('std_msgs/msg/MultiArrayLayout')(dim=[], data_offset=0),
            data=np.arange(1, given_bytes + 1, dtype=np.uint8)))
        expected = (list(range(1, given_bytes + 1)) + [0] * 10)[:10]
        assert messages.read_rab_data(raw).tolist() == expected


@pytest.fixture(scope='module')
def moved():
    parameters = make_parameters([ROBOT] * 3, infrared={'infrared': True}, rab=True,
                                 circles=[(10, 10, 1)])
    engine = Engine(parameters, random_poses(3, 2), 1)
    for _ in range(7):
        wind = Wind(np.array([0.2, 0.3, 0]), np.zeros(3))
        engine.advance(np.array([[1.0, 0.0, 0.5]] * 3), wind, engine.snapshot.rab_data)
    return parameters, engine


def compose(a, b):
    c, s = np.cos(a[2]), np.sin(a[2])
    return np.array([a[0] + c * b[0] - s * b[1], a[1] + s * b[0] + c * b[1], a[2] + b[2]])


@pytest.mark.parametrize('namespaced', [False, True])
def test_the_tree_of_frames_leads_from_map_to_where_the_robot_is(moved, namespaced):
    parameters, engine = moved
    broadcast = Broadcast(parameters, BroadcastOptions('x', [None] * 3, namespaced))
    found = {}
    for name, topic, payload in broadcast.snapshot(engine.snapshot, 10):
        if topic is topics.TF:
            for t in cdr.decode(payload, topic.type).transforms:
                q, p = t.transform.rotation, t.transform.translation
                found[name, t.header.frame_id, t.child_frame_id] = np.array(
                    [p.x, p.y, yaw_from_quaternion(q.x, q.y, q.z, q.w)])
    for i in range(3):
        name = f'/robot_{i}/tf' if namespaced else '/tf'
        prefix = '' if namespaced else f'robot_{i}/'
        at = compose(found[name, 'map', f'{prefix}odom'],
                     found[name, f'{prefix}odom', f'{prefix}base_link'])
        assert at[:2] == pytest.approx(engine.snapshot.true_pose[i, :2], abs=1e-12)
        assert np.cos(at[2] - engine.snapshot.true_pose[i, 2]) == pytest.approx(1, abs=1e-12)


def test_every_message_decodes_to_its_topics_type_and_is_canonical(moved):
    parameters, engine = moved
    broadcast = Broadcast(parameters, BroadcastOptions('name: x', [(1.0, 2.0), None, None]))
    outgoing = [*broadcast.latched(10), broadcast.clock(10),
                *broadcast.snapshot(engine.snapshot, 10),
                *broadcast.sensed_wind(engine.snapshot, 10)]
    for _, topic, payload in outgoing:
        assert cdr.encode(cdr.decode(payload, topic.type)) == payload
    names = {name for name, _, _ in outgoing}
    assert {'/scenario', '/map', '/tf_static', '/clock', '/tf', '/robot_1/base_scan',
            '/robot_2/infrared', '/robot_0/range_and_bearing', '/robot_0/wind',
            '/robot_0/odom'} <= names


def test_scans_carry_their_geometry(moved):
    parameters, engine = moved
    broadcast = Broadcast(parameters, BroadcastOptions('x', [None] * 3))
    name, topic, payload = next(o for o in broadcast.snapshot(engine.snapshot, 10)
                                if o.topic is topics.BASE_SCAN)
    scan = cdr.decode(payload, topic.type)
    assert name == '/robot_0/base_scan'
    assert np.array_equal(scan.ranges, engine.snapshot.ranges[0])
    assert scan.header.frame_id == 'robot_0/laser'
    last = np.float32(scan.angle_min + (len(scan.ranges) - 1) * scan.angle_increment)
    assert scan.angle_max == last
    assert scan.scan_time == pytest.approx(parameters.dt)


def test_odom_has_the_speed_to_the_left():
    parameters = make_parameters([ROBOT._replace(drive='omnidirectional'), ROBOT])
    engine = Engine(parameters, np.array([[4.0, 4.0, 1.0], [9.0, 9.0, 0.0]]), 1)
    engine.advance(np.array([[0.3, -0.4, 0.2], [0.3, 0.0, 0.2]]), Wind.still(),
                              engine.snapshot.rab_data)
    broadcast = Broadcast(parameters, BroadcastOptions('', [None] * 2))
    twists = [cdr.decode(payload, topic.type).twist.twist
              for _, topic, payload in broadcast.snapshot(engine.snapshot, 10)
              if topic is topics.ODOM]
    found = [(twist.linear.x, twist.angular.z, twist.linear.y) for twist in twists]
    assert found == [pytest.approx((0.3, 0.2, -0.4), abs=1e-12),
                     pytest.approx((0.3, 0.2, 0.0), abs=1e-12)]


@pytest.mark.parametrize('namespaced', [False, True])
def test_who_is_not_in_the_world_is_not_in_the_tree(namespaced):
    parameters = make_parameters([ROBOT] * 2)
    broadcast = Broadcast(parameters, BroadcastOptions('x', [None] * 2, namespaced))
    engine = Engine(parameters, np.array([[2.0, 2.0, 0.5], NOWHERE]), 1)
    alone = edges(broadcast.snapshot(engine.snapshot, 0), topics.TF)
    assert {child for _, _, child in alone} == (
        {'odom', 'base_link'} if namespaced else {'robot_0/odom', 'robot_0/base_link'})
    names = {name for name, topic, _ in broadcast.snapshot(engine.snapshot, 0)
             if topic is topics.TF}
    engine.teleport({1: (5.0, 2.0, 0.0)})
    assert len(edges(broadcast.snapshot(engine.snapshot, 0), topics.TF)) == 2 * len(alone)
    engine.teleport({1: None})
    messages = list(broadcast.snapshot(engine.snapshot, 0))
    assert edges(messages, topics.TF) == alone
    assert {name for name, topic, _ in messages if topic is topics.TF} == names
