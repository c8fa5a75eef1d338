"""What rviz2 and Foxglove show comes out of a recording: topics, types, QoS, frames, geometry."""

import json
import math
from functools import reduce

import numpy as np
import pytest
import yaml
from pictures import record

from sbot.bag.reader import Bag
from sbot.scenario.shipped import config_directory
from sbot_common import topics
from sbot_common.angles import yaw_from_quaternion
from sbot_common.wire.cdr import decode, stamp_ns

pytestmark = pytest.mark.forked

TYPES = {'Map': 'nav_msgs/msg/OccupancyGrid', 'MarkerArray': 'visualization_msgs/msg/MarkerArray',
         'LaserScan': 'sensor_msgs/msg/LaserScan', 'PointCloud2': 'sensor_msgs/msg/PointCloud2',
         'Pose': 'geometry_msgs/msg/PoseStamped', 'SetGoal': 'geometry_msgs/msg/PoseStamped',
         'SetInitialPose': 'geometry_msgs/msg/PoseWithCovarianceStamped'}
KNOWN = [topic for topic in vars(topics).values() if isinstance(topic, topics.Topic)]


@pytest.fixture(scope='module', params=[4, 1])
def recorded(request, tmp_path_factory):
    path, run = record(tmp_path_factory.mktemp('rviz'), request.param)
    name = 'sbot.rviz' if request.param > 1 else 'sbot_single.rviz'
    config = yaml.safe_load((config_directory() / name).read_text())['Visualization Manager']
    return path, run, config, request.param


def displayed(config):
    return [(each['Class'].rpartition('/')[2], each['Topic'])
            for each in config['Displays'] + config['Tools'] if 'Topic' in each]


def topic_named(name, robots):
    """Return the entry of the topic table that this absolute name belongs to."""
    [found] = [t for t in KNOWN for i in range(robots)
               if t.resolve(i, robots) == name and t.type != 'geometry_msgs/msg/'
               'TwistStamped'][:1]
    return found


def test_displays_have_the_names_types_and_qos_of_the_topic_table(recorded):
    _, _, config, robots = recorded
    shown = displayed(config)
    assert len(shown) >= 7
    for kind, topic in shown:
        known = topic_named(topic['Value'], robots)
        assert known.type == TYPES[kind]
        assert topic['Reliability Policy'] == 'Reliable'
        expected = 'Transient Local' if known.latched else 'Volatile'
        assert topic['Durability Policy'] == expected, topic['Value']


def test_what_is_displayed_is_recorded_with_that_qos(recorded):
    path, _, config, robots = recorded
    names = Bag(path).names()
    metadata = yaml.safe_load((path / 'metadata.yaml').read_text())
    offered = {each['topic_metadata']['name']: each['topic_metadata']['offered_qos_profiles'][0]
               if isinstance(each['topic_metadata']['offered_qos_profiles'], list)
               else yaml.safe_load(each['topic_metadata']['offered_qos_profiles'])[0]
               for each in metadata['rosbag2_bagfile_information']['topics_with_message_count']}
    scans = 0
    for kind, topic in displayed(config):
        name = topic['Value']
        if kind in ('SetGoal', 'SetInitialPose'):  # not shown: they move the leader
            tool = topics.GOAL_POSE if kind == 'SetGoal' else topics.INITIAL_POSE
            assert name == tool.resolve(0, robots)
            continue
        assert names[name] == TYPES[kind]
        assert offered[name]['reliability'] == 'reliable'
        assert offered[name]['durability'] == topic['Durability Policy'].lower().replace(' ', '_')
        scans += kind == 'LaserScan'
    assert scans == robots


def test_a_layout_of_foxglove_shows_what_is_recorded(recorded):
    path, _, _, robots = recorded
    layout = json.loads((config_directory() / 'sbot.foxglove.json').read_text())['configById']
    world, plot = layout['3D!world'], layout['Plot!speeds']
    names = {*Bag(path).names(), '/diagnostics'}  # that is not in a run of one process
    assert layout['RawMessages!diagnostics']['topicPath'] in names
    scans = [topics.BASE_SCAN.resolve(i, robots) for i in range(robots)]
    shown = [name for name in world['topics'] if not name.endswith('scan') or (
        name.startswith('/robot_') == (robots > 1))]
    assert set(scans) < set(shown) <= names
    paths = [each['value'].split('.') for each in plot['paths']
             if each['value'].startswith('/robot_') == (robots > 1)]
    assert len(paths) == 3
    for name, *fields in paths:
        message = next(Bag(path).messages([name]))
        assert math.isfinite(reduce(getattr, fields, decode(message.payload, message.type)))
    assert world['publish']['poseTopic'] == topics.GOAL_POSE.resolve(0, 4)


class Tree:
    """The transforms of a recording: child to (parent, x, y, yaw) at each stamp."""

    def __init__(self, bag):
        self.static = {}
        self.moving = {}
        for message in bag.messages(['/tf', '/tf_static']):
            for each in decode(message.payload, message.type).transforms:
                q, p = each.transform.rotation, each.transform.translation
                value = (each.header.frame_id, p.x, p.y, yaw_from_quaternion(q.x, q.y, q.z, q.w))
                if message.name == '/tf_static':
                    self.static[each.child_frame_id] = value
                else:
                    self.moving[each.child_frame_id, stamp_ns(each.header.stamp)] = value

    def to_map(self, frame, stamp):
        x = y = yaw = 0.0
        for _ in range(10):
            if frame == 'map':
                return x, y, yaw
            frame, px, py, turn = self.static.get(frame) or self.moving[frame, stamp]
            c, s = math.cos(turn), math.sin(turn)
            x, y, yaw = px + c * x - s * y, py + s * x + c * y, yaw + turn
        raise AssertionError('a loop of frames')


def outline_distance(world, points):
    """Return how far points (M, 2) are from the nearest outline (m)."""
    start, along = world.segments[:, :2], world.segments[:, 2:] - world.segments[:, :2]
    t = np.einsum('msk,sk->ms', points[:, None] - start, along) / (along ** 2).sum(axis=1)
    nearest = start + np.clip(t, 0, 1)[:, :, None] * along
    distance = np.hypot(*np.moveaxis(points[:, None] - nearest, -1, 0)).min(axis=1)
    centre = np.hypot(*np.moveaxis(points[:, None] - world.circles[:, :2], -1, 0))
    return np.minimum(distance, np.abs(centre - world.circles[:, 2]).min(axis=1))


def test_every_scan_lands_on_outlines_through_the_recorded_frames(recorded):
    path, run, config, robots = recorded
    bag = Bag(path)
    tree = Tree(bag)
    assert config['Global Options']['Fixed Frame'] == 'map'
    world = run.scenario.world.arrays()
    scans, points = 0, []
    for message in bag.messages([topics.BASE_SCAN.resolve(i, robots)
                                 for i in range(robots)]):
        scan = decode(message.payload, message.type)
        x, y, yaw = tree.to_map(scan.header.frame_id, stamp_ns(scan.header.stamp))
        ranges = scan.ranges.astype(float)
        angles = yaw + scan.angle_min + np.arange(len(ranges)) * scan.angle_increment
        seen = np.isfinite(ranges)
        points.append(np.column_stack([x + ranges * np.cos(angles),
                                       y + ranges * np.sin(angles)])[seen])
        scans += 1
    assert scans == robots * len(run.poses)
    points = np.concatenate(points)
    assert len(points) > 100 * scans
    # The laser resolves one float32 of its range.
    assert outline_distance(world, points).max() < 1e-5
