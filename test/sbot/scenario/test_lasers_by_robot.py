"""Different and several lasers on robots: an own reader of rays, batches, noise."""

import math

import numpy as np
import pytest

from sbot import Worlds, load, run
from sbot.bag.reader import Bag
from sbot.figures.data import RunData
from sbot.learn.task_checks import _apply
from sbot.scenario.assemble import initial_poses, robot_bodies, simulation_parameters
from sbot.viewer.data import _kept_scans, _read_scans, page_data
from sbot_sim.engine.simulation import Engine

STAGE = """
define cave model ( boundary 1 )
define post model ( size [0.6 0.4 0.5] )
define hokuyo ranger ( sensor ( range [0.0 5.0] fov 270 samples 270 ) )
define sick ranger ( sensor ( range [0.2 8.0] fov 180 samples 181 ) )
define base position ( size [0.44 0.38 0.22] origin [-0.04 0 0 0] mass 23.0 )
cave ( size [16 16 0.8] )
post ( pose [-5.5 -2 0 30] )
post ( pose [-2.5 -5.5 0 80] )
post ( pose [-7 -2.5 0 0] )
base ( pose [-7 -7 0 45] hokuyo ( pose [0.15 0 0 0] ) )
base ( pose [-5 -4 0 225] sick ( pose [0.1 0 0 0] ) )
base ( pose [-5 -6 0 225] hokuyo ( pose [0.15 0.15 0 45] ) hokuyo ( pose [-0.2 -0.15 0 -135] ) )
base ( pose [-3 -7 0 10] )
"""


def edges(corners):
    return [(*corners[k - 1], *corners[k]) for k in range(len(corners))]


def outline(body, pose):
    """Return the edges of a rectangular robot."""
    x, y, yaw = pose
    c, s = math.cos(yaw), math.sin(yaw)
    return edges([(x + c * u - s * v, y + s * u + c * v) for u, v in (
        (body.offset + a * body.length / 2, b * body.width / 2)
        for a, b in ((1, 1), (-1, 1), (-1, -1), (1, -1)))])


def ray(segments, x, y, angle):
    """Return the distance from (x, y) to the nearest of the segments, by Cramer's rule."""
    x0, y0, x1, y1 = np.array(segments).T
    dx, dy = math.cos(angle), math.sin(angle)
    across = dx * (y1 - y0) - dy * (x1 - x0)
    with np.errstate(divide='ignore', invalid='ignore'):
        along = ((x0 - x) * (y1 - y0) - (y0 - y) * (x1 - x0)) / across
        share = ((x0 - x) * dy - (y0 - y) * dx) / across
    return float(along[(along >= 0) & (share >= 0) & (share <= 1)].min(initial=np.inf))


def read(segments, pose, laser):
    """Return the ranges of a laser, and which of them graze nothing."""
    c, s = math.cos(pose[2]), math.sin(pose[2])
    x = pose[0] + c * laser.laser_x - s * laser.laser_y
    y = pose[1] + s * laser.laser_x + c * laser.laser_y
    found, sure = [], []
    for k in range(laser.beams):
        angle = pose[2] + laser.laser_yaw + laser.angle_min + k * laser.angle_increment
        here, *beside = (ray(segments, x, y, angle + turn) for turn in (0, 1e-6, -1e-6))
        sure.append(all(abs(here - each) < 1e-3 or here == each for each in beside)
                    and abs(here - laser.range_max) > 1e-3)
        found.append(np.inf if here > laser.range_max else
                     -np.inf if here < laser.range_min else here)
    return np.array(found), np.array(sure)


@pytest.fixture(scope='module')
def cave(tmp_path_factory):
    path = tmp_path_factory.mktemp('stage') / 'cave.world'
    path.write_text(STAGE)
    return load(str(path))


def test_a_world_of_stage_with_mixed_lasers_is_as_an_own_reader_sees_it(cave):
    lasers, pose = simulation_parameters(cave).sensors.lasers, initial_poses(cave)
    world, bodies = cave.world.arrays(), robot_bodies(cave)
    still = [*world.segments.tolist(), *(edge for corners in world.polygons
                                         for edge in edges(corners.tolist()))]
    assert [len(lasers.of(i)) for i in range(4)] == [1, 1, 2, 1]
    ranges = Worlds(cave, 1, sense=['scan']).observe().scan[0]
    assert ranges.shape == (4, 540)
    compared = 0
    for i in range(4):
        others = [edge for j in range(4) if j != i for edge in outline(bodies[j], pose[j])]
        column = 0
        for laser in lasers.of(i):
            expected, sure = read(still + others * laser.sees_robots, pose[i], laser)
            got = ranges[i, column:column + laser.beams]
            np.testing.assert_allclose(got[sure], expected[sure], atol=1e-5, rtol=0)
            compared += sure.sum()
            column += laser.beams
        assert np.isnan(ranges[i, column:]).all()
    assert compared > 950  # of 992


def mixed(count=3, **sensors):
    """Return a scenario of robots of three kinds, in turn."""
    rng = np.random.default_rng(2)
    places = [(2.0 + 1.5 * (k % 6), 2.0 + 1.5 * (k // 6)) for k in range(count)]
    return load({
        'world': {'bounds': [0, 0, 12, 12], 'circles': [{'center': [11, 11], 'radius': 0.5}]},
        'duration': 0.3, 'seed': 5,
        'sensors': {'scan_beams': 30, 'scan_sees_robots': True, **sensors},
        'bodies': {'short': {'like': 'robot', 'sensors': {
            'scan_beams': 11, 'scan_range_max': 2.0, 'scan_sees_robots': False,
            'scan_noise_std': 0.2}},
            'double': {'like': 'robot', 'length': 0.5, 'width': 0.4, 'lasers': [
                {'scan_beams': 9, 'scan_angle_max': 3.0}, {'laser_x': -0.1, 'laser_yaw': 3.0}]}},
        'robots': [{'pose': [*places[k], float(rng.uniform(-3, 3))], 'controller': 'none',
                    'body': ('robot', 'short', 'double')[k % 3]} for k in range(count)]})


@pytest.mark.parametrize('count', [3, 36])  # few robots, and many in cells
def test_a_robots_scan_does_not_depend_on_the_lasers_of_others(count):
    scenario = mixed(count)
    parameters = simulation_parameters(scenario)
    lasers = parameters.sensors.lasers
    every = Worlds(scenario, 1, sense=['scan']).observe().scan[0]
    for kind, beams in enumerate((30, 11, 9)):
        alike = lasers._replace(kits=(lasers.kits[kind][:1],) * 3)
        one = Engine(parameters._replace(sensors=parameters.sensors._replace(lasers=alike)),
                     initial_poses(scenario), scenario.seed).snapshot.ranges
        np.testing.assert_array_equal(every[kind::3, :beams], one[kind::3, :beams])


def test_a_batch_and_threads_have_the_bits_of_a_run():
    scenario = mixed(36, scan_noise_std=0.01)
    alone = run(scenario, sense=['scan'])
    np.testing.assert_array_equal(alone.scan, run(scenario, sense=['scan'], threads=3).scan)
    batch = Worlds(scenario, 3, sense=['scan'], seeds=[5, 6, 5], threads=2)
    scans = [batch.observe().scan]
    for _ in range(len(alone.scan) - 1):
        scans.append(batch.step(np.zeros((3, 36, 2))).scan)
    np.testing.assert_array_equal(np.array(scans)[:, 0], alone.scan)
    np.testing.assert_array_equal(np.array(scans)[:, 2], alone.scan)
    assert np.any(np.array(scans)[:, 1] != alone.scan)


def test_each_laser_has_its_own_noise():
    quiet, noisy = (Worlds(mixed(36, scan_noise_std=std), 1, sense=['scan']).observe().scan[0]
                    for std in (0.0, 0.01))
    for kind, beams in ((0, 30), (2, 39)):
        a, b = quiet[kind::3, :beams], noisy[kind::3, :beams]
        assert np.std((b - a)[np.isfinite(a) & (a < 9.9)]) == pytest.approx(0.01, rel=0.2)
    np.testing.assert_array_equal(quiet[1::3], noisy[1::3])  # theirs is 0.2 m in both
    assert Worlds(mixed(3), 2).scan_noise.shape == (2, 4)


def test_an_episode_keeps_the_noise_of_each_robot():
    worlds = Worlds(mixed(3, odometry_noise_slip=0.1), 2)
    given = worlds.setting.scan_noise.copy()
    _apply(worlds, 1, {'sensors.odometry_noise_radius': 0.05})
    np.testing.assert_array_equal(worlds.setting.scan_noise, given)
    assert worlds.setting.noise_radius.tolist() == [0.0] * 3 + [0.05] * 3
    assert worlds.setting.noise_slip.tolist() == [0.1] * 6
    _apply(worlds, 0, {'sensors.scan_noise_std': 0.3})
    assert worlds.setting.scan_noise[0].tolist() == [0.3] * 4


def test_the_page_shows_the_first_laser_of_each_robot(tmp_path):
    kept = _kept_scans(run(mixed(3), sense=['scan'], record=tmp_path / 'bag'))
    read = _read_scans(Bag(tmp_path / 'bag'), RunData.from_bag(tmp_path / 'bag'))
    assert kept.ranges.shape == read.ranges.shape == (len(kept.frames), 3, 30)
    for robot, beams in enumerate((30, 11, 9)):
        np.testing.assert_array_equal(kept.ranges[:, robot, :beams], read.ranges[:, robot, :beams])
    shown = page_data(RunData.from_bag(tmp_path / 'bag'), read)
    assert [shown['lasers'][kit]['beams'] for kit in shown['kit']] == [30, 11, 9]
    assert shown['beams'] == 30
