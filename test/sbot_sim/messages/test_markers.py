from xml.etree import ElementTree

import numpy as np
import pytest
from worlds import make_parameters

from sbot.runner.loop import broadcast_options
from sbot.scenario.load import scenario_from_mapping
from sbot_common import topics
from sbot_common.wire import cdr, templates
from sbot_common.wire.templates import CUBE
from sbot_sim.engine.simulation import Engine
from sbot_sim.messages.broadcast import Broadcast
from sbot_sim.messages.markers import (
    FOLLOWER,
    LEADER,
    ROLE_COLOURS,
    SHELTERED,
    STOPPED,
    obstacle_markers,
    robot_description,
    robot_markers,
    robot_roles,
)
from sbot_sim.sensors.laser import ScanSettings
from sbot_sim.world.geometry import make_world

TYPE = 'visualization_msgs/msg/MarkerArray'
CYLINDER, LINE_LIST, TEXT, ADD, DELETE = 3, 5, 9, 0, 2


def swarm(n, seed=0):
    rng = np.random.default_rng(seed)
    goals = np.full((n, 2), np.nan)
    goals[0] = 3.0, 4.0
    return (rng.normal(size=(n, 3)), rng.uniform(0.05, 0.3, n), rng.integers(0, 4, n, np.int8),
            rng.normal(size=(n, 2)), goals)


def decoded(raw):
    markers = cdr.decode(raw, TYPE).markers
    return {name: [m for m in markers if m.ns == name] for name in {m.ns for m in markers}}


def xy(points):
    return np.array([(p.x, p.y) for p in points])


@pytest.mark.parametrize('n', [1, 2, 11, 100])
def test_bytes_are_those_of_an_encoder_and_hold_the_robots(n):
    pose, radius, roles, wind, goals = swarm(n)
    raw = robot_markers(5_000_000_007, pose, radius, roles, wind, goals)
    assert cdr.canonical(raw, TYPE) == raw
    found = decoded(raw)
    assert all(m.header.frame_id == 'map' and cdr.stamp_ns(m.header.stamp) == 5_000_000_007
               for markers in found.values() for m in markers)
    assert [m.id for m in found['bodies']] == list(range(n))
    assert all(m.type == CYLINDER and m.action == ADD for m in found['bodies'])
    assert (xy([m.pose.position for m in found['bodies']]) == pose[:, :2]).all()
    assert [m.scale.x for m in found['bodies']] == (2 * radius).tolist()
    colours = [(m.color.r, m.color.g, m.color.b, m.color.a) for m in found['bodies']]
    assert np.allclose(colours, np.array(ROLE_COLOURS)[roles], atol=1e-6)
    names = [f'robot_{i}' for i in range(n)] if n > 1 else ['robot']
    assert [m.text for m in found['names']] == names
    ends = xy(found['headings'][0].points).reshape(n, 3, 2, 2)
    forward = np.column_stack([np.cos(pose[:, 2]), np.sin(pose[:, 2])])
    assert (ends[:, 0, 0] == pose[:, :2]).all()
    assert np.allclose(ends[:, 0, 1] - ends[:, 0, 0], 1.5 * radius[:, None] * forward)
    ends = xy(found['wind'][0].points).reshape(n, 3, 2, 2)
    assert np.allclose(ends[:, 0, 1] - ends[:, 0, 0], 2 * wind)
    assert np.allclose(xy(found['goals'][0].points).mean(axis=0), [3.0, 4.0])


def test_obstacles_are_their_outlines():
    world = make_world([0, 0, 4, 3], [(1, 1, 2, 1.5)], [(3, 2, 0.5)], [(1, 2, 0.6, 0.4, 0.3)])
    [marker] = cdr.decode(obstacle_markers(9, world), TYPE).markers
    assert marker.type == LINE_LIST
    ends = xy(marker.points)
    segments = len(world.segments)
    assert (ends[:2 * segments].reshape(-1, 4) == world.segments).all()
    ring = ends[2 * segments:]
    assert np.allclose(np.hypot(*(ring - [3, 2]).T), 0.5)
    assert np.allclose(ring[1:-1:2], ring[2::2])  # it is closed
    assert np.allclose(ring[0], ring[-1])


def test_roles():
    twist = np.array([[0, 0, 0], [1, 0, 0], [0, 0, 0], [0, 0, 0.1], [1, 0, 0], [0, 0.0005, 0]])
    wind = np.array([[1.0, 0], [1, 0], [1, 0], [1, 0], [0.4, 0], [0.1, 0]])
    roles = robot_roles(twist, wind, np.tile([1.0, 0.0], (6, 1)))
    assert roles.tolist() == [LEADER, FOLLOWER, STOPPED, FOLLOWER, SHELTERED, STOPPED]
    assert robot_roles(twist, wind).tolist() == [LEADER, FOLLOWER, STOPPED, FOLLOWER, FOLLOWER,
                                                 STOPPED]
    assert robot_roles(twist, 0 * wind, 0 * wind)[4] == FOLLOWER  # no wind


SCENARIO = {
    'duration': 1, 'robots': [{'pose': [5, 5, 0], 'controller': 'none'}],
    'world': {'bounds': [0, 0, 10, 10], 'zones': [
        {'name': 'nest', 'center': [8, 6], 'radius': 2, 'color': 'green'},
        {'name': 'lamp', 'center': [1, 2], 'color': '#ff0080'}]}}


def sent(options, ticks):
    """Markers of each array with zones that is sent within so many ticks, with its stamp."""
    parameters = make_parameters(dt=0.1)
    snapshot = Engine(parameters, np.array([[5.0, 5.0, 0.0]]), 1).snapshot
    broadcast = Broadcast(parameters, options)
    arrays = [cdr.decode(message.payload, topics.MARKERS.type).markers
              for tick in range(ticks)
              for message in broadcast.sensed_wind(snapshot._replace(tick=tick), tick)
              if message.name == topics.MARKERS.name]
    return [array for array in arrays if any(m.ns == 'zones' for m in array)]


def test_zones_are_discs_and_points_with_names_and_come_again_for_late_subscribers():
    arrays = sent(broadcast_options(scenario_from_mapping(SCENARIO)), 51)
    assert [array[0].header.stamp.nanosec for array in arrays] == [0, 50]
    nest, nest_name, lamp, lamp_name = arrays[1]
    assert [m.type for m in arrays[1]] == [
        templates.CYLINDER, templates.TEXT, CUBE, templates.TEXT]
    assert len({(m.ns, m.id) for m in arrays[1]}) == 4
    assert (nest_name.text, lamp_name.text) == ('nest', 'lamp')
    for at, *them in (((8, 6), nest, nest_name), ((1, 2), lamp, lamp_name)):
        assert [(m.pose.position.x, m.pose.position.y) for m in them] == [at, at]
    assert (nest.scale.x, nest.scale.y) == (4, 4)
    assert (nest.color.r, nest.color.g, nest.color.b) == pytest.approx(
        (0x2e / 255, 0x9e / 255, 0x5b / 255))
    assert 0 < nest.color.a < 0.5
    assert (lamp.color.r, lamp.color.g, lamp.color.b, lamp.color.a) == pytest.approx(
        (1.0, 0.0, 0x80 / 255, 1.0))


@pytest.mark.parametrize(('rectangle', 'shape', 'ahead'), [
    (None, ('cylinder', {'radius': '0.3', 'length': '0.2'}), '0 0 0.1'),
    ((0.9, 0.4, 0.2), ('box', {'size': '0.9 0.4 0.2'}), '0.2 0 0.1')])
def test_its_body_and_its_laser(rectangle, shape, ahead):
    scan = ScanSettings(laser_x=0.1, laser_yaw=0.5).parameters()
    root = ElementTree.fromstring(robot_description('a"b', 0.3, [scan], rectangle))
    assert root.get('name') == 'a"b'
    for part in ('visual', 'collision'):
        found = root.find(f'link/{part}/geometry')[0]
        assert (found.tag, found.attrib) == shape
        assert root.find(f'link/{part}/origin').get('xyz') == ahead
    laser = root.find("joint[@name='laser_joint']/origin")
    assert (laser.get('xyz'), laser.get('rpy')) == ('0.1 0.0 0', '0 0 0.5')


def test_of_a_robot_that_is_not_there_nothing_is_shown():
    pose, radius, roles, wind, goals = swarm(3)
    goals[1] = 1.0, 2.0
    pose[1, :2] = np.nan
    found = decoded(robot_markers(0, pose, radius, roles, wind, goals))
    for name in ('bodies', 'names'):
        assert [m.action for m in found[name]] == [ADD, DELETE, ADD]
    alone = decoded(robot_markers(0, pose[::2], radius[::2], roles[::2], wind[::2], goals[::2]))
    for name in ('headings', 'wind', 'goals'):
        assert (xy(found[name][0].points) == xy(alone[name][0].points)).all()
