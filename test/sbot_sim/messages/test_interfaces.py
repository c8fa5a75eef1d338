"""Switches for AMCL and SLAM, base_footprint, robot_description."""

import numpy as np
import pytest
from defusedxml import ElementTree
from worlds import make_parameters

from sbot_common import topics
from sbot_common.wire import cdr
from sbot_sim.engine.simulation import Engine
from sbot_sim.messages.broadcast import Broadcast, BroadcastOptions
from sbot_sim.messages.interfaces import Interfaces
from sbot_sim.world.bodies import ROBOT


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


def test_by_default_all_is_as_ever():
    messages = outgoing()
    assert '/map' in {name for name, _, _ in messages}
    assert ('/tf', 'map', 'robot_0/odom') in edges(messages, topics.TF)
    assert not any('robot_description' in name for name, _, _ in messages)
    assert len(edges(messages, topics.TF_STATIC)) == 2


def test_map_and_localisation_may_come_from_others():
    messages = outgoing(publish_map=False, publish_map_odom_tf=False)
    assert '/map' not in {name for name, _, _ in messages}
    assert edges(messages, topics.TF) == {
        ('/tf', f'robot_{i}/odom', f'robot_{i}/base_link') for i in range(2)}


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
