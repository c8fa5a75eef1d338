import math

import numpy as np
import pytest
from batches import make_batch
from worlds import make_parameters, random_poses

from sbot_common.angles import yaw_from_quaternion
from sbot_common.errors import InputError
from sbot_sim.engine.simulation import Engine, Snapshot
from sbot_sim.world.bodies import ROBOT, S_BOT
from wind_model.gust import Wind


def test_a_snapshot_shares_no_memory_with_the_world():
    batch = make_batch(count=1, rab=True, infrared={'infrared': True},
                       senses=['scan', 'infrared', 'odometry'])
    found = Snapshot.of(batch, sensed_wind=True)
    arrays = [array for array in batch.state if isinstance(array, np.ndarray)]
    for name in Snapshot._fields:
        mine = getattr(found, name)
        if isinstance(mine, np.ndarray) and mine.size:
            assert not any(np.shares_memory(mine, array) for array in arrays), name
    assert found.heard_sent


EVERYTHING = {
    'scan': {'scan_sees_robots': True, 'scan_noise_std': 0.01}, 'infrared': {'infrared': True},
    'odometry': {'odometry_noise_slip': 0.01, 'odometry_noise_radius': 0.01},
    'wake': {'wake': True}, 'rab': True, 'circles': [(10, 10, 1.0)],
    'rectangles': [(5, 15, 2, 1, 0.3)]}


def make_inputs(command, wind=None, rab=None):
    command = np.asarray(command, float)
    if command.shape[1] == 2:  # vx, omega
        command = np.insert(command, 1, 0.0, axis=1)
    data = np.zeros((len(command), 10), np.uint8) if rab is None else rab
    return command, wind or Wind.still(), data


def drive(engine, ticks, seed=0, order=None):
    """Drive by commands and bytes that belong to the robots, whatever rows they stand in."""
    n = len(engine.snapshot.true_pose)
    rows = np.arange(n) if order is None else order
    rng = np.random.default_rng(seed)
    for _ in range(ticks):
        commands = rng.uniform([0, -2], [2, 2], (n, 2))
        data = rng.integers(0, 256, (n, 10)).astype(np.uint8)
        engine.advance(*make_inputs(commands[rows], Wind(np.array([0.3, 0.1, 0]),
                                                         np.array([0.0, 5.0, 0])), data[rows]))


def test_same_seed_same_bits_and_reset_starts_again():
    def run(engine):
        drive(engine, 30)
        return engine.snapshot.true_pose.tobytes() + engine.snapshot.ranges.tobytes() + (
            engine.snapshot.odometry.tobytes())

    make = lambda seed: Engine(make_parameters([ROBOT] * 8, **EVERYTHING),  # noqa: E731
                               random_poses(8, 4), seed)
    engine = make(1)
    first = run(engine)
    assert run(make(1)) == first
    assert run(make(2)) != first
    engine.reset()
    assert run(engine) == first


def test_permuting_the_robots_permutes_the_result():
    poses, order = random_poses(8, 5), np.array([3, 1, 4, 0, 7, 5, 2, 6])
    settings = {**EVERYTHING, 'scan': {'scan_sees_robots': True}, 'odometry': {}}
    bodies = [ROBOT, S_BOT] * 4
    straight = Engine(make_parameters(bodies, **settings), poses, 1)
    mixed = Engine(make_parameters([bodies[i] for i in order], **settings), poses[order], 1)
    drive(straight, 50)
    drive(mixed, 50, order=order)
    assert np.allclose(straight.snapshot.true_pose[order], mixed.snapshot.true_pose, atol=1e-9,
                       rtol=0)
    assert np.allclose(straight.snapshot.ranges[order], mixed.snapshot.ranges, atol=1e-6)


def test_the_twist_tells_what_wind_and_wheels_did_in_the_robots_frame():
    engine = Engine(make_parameters(dt=0.1), np.array([[5.0, 5.0, np.pi / 2]]), 1)
    for _ in range(2):
        engine.advance(*make_inputs([[1.0, 0.0]], Wind(np.array([0.5, 0.0, 0.0]), np.zeros(3))))
    assert engine.snapshot.twist[0] == pytest.approx([1.0, -0.5, 0.0], abs=1e-12)
    # The wheels know nothing of the wind.
    assert engine.snapshot.odometry[0] == pytest.approx([0.2, 0.0, 0.0], abs=1e-12)
    assert engine.snapshot.odometry_twist[0] == pytest.approx([1.0, 0.0, 0.0], abs=1e-12)


def test_robots_feel_the_wind_of_their_own_tick_and_the_push_of_forces():
    """docs/errata.md W10; a step computes nothing twice, and the same."""
    felt, plain = (Engine(make_parameters(dt=0.1), np.array([[5.0, 5.0, np.pi / 2]]), 1)
                   for _ in range(2))
    wind = Wind(np.array([0.5, 0.0, 0.25]), np.array([0.0, 20.0, 0.0]), gust=np.array([0, .25, 0]))
    assert not felt.has_wind
    felt.sense_wind(wind)
    assert felt.has_wind
    push = 20.0 * 0.1 / ROBOT.mass
    assert felt.snapshot.wind[0] == pytest.approx([0.5, 0.25 + push])
    assert felt.snapshot.free_wind[0] == pytest.approx([0.5, 0.25 + push])
    assert felt.snapshot.updraft.tolist() == [0.25]
    for engine in (felt, plain):
        engine.advance(*make_inputs([[0.0, 0.0]], wind))
        engine.advance(*make_inputs([[0.0, 0.0]], wind))
    assert (felt.snapshot.true_pose == plain.snapshot.true_pose).all()
    assert felt.snapshot.true_pose[0, :2] - 5.0 == pytest.approx([0.05, 0.1 * (0.25 + push)])
    assert not felt.has_wind
    felt.sense_wind(wind)
    felt.teleport({0: (2.0, 2.0, 0.0)})
    assert not felt.has_wind  # it is elsewhere


def test_broadcasts_are_heard_a_tick_later():
    engine = Engine(make_parameters([ROBOT] * 2, rab=True), np.array([[2, 2, 0.0], [4, 2, 0]]), 1)
    data = np.zeros((2, 10), np.uint8)
    data[1, 5] = 77
    assert engine.snapshot.rab_data[1, 5] == 0
    engine.advance(*make_inputs([[0, 0]] * 2, rab=data))
    assert engine.snapshot.rab_data[1, 5] == 77
    assert engine.snapshot.rab_data[1, 0] == 255  # its radius in mm, clamped


def test_a_teleport_puts_a_robot_there_or_says_why_not():
    engine = Engine(make_parameters([ROBOT] * 2), np.array([[2, 2, 0.0], [4, 2, 0]]), 1)
    engine.teleport({0: (8.0, 9.0, 1.0)})
    assert engine.snapshot.true_pose[0] == pytest.approx([8, 9, 1])
    with pytest.raises(InputError, match=r'teleport of robot 0 .*robot 1'):
        engine.teleport({0: (4.1, 2.0, 0.0)})
    with pytest.raises(InputError, match='bound'):
        engine.teleport({0: (-1.0, 2.0, 0.0)})
    assert engine.snapshot.true_pose[0] == pytest.approx([8, 9, 1])


def test_the_yaw_of_a_snapshot_is_the_one_that_receivers_decode():
    poses = random_poses(40, 7)
    engine = Engine(make_parameters([ROBOT] * 40), poses, 1)
    decoded = []
    for yaw in poses[:, 2].tolist():
        z, w = math.sin(yaw / 2), math.cos(yaw / 2)
        decoded.append(yaw_from_quaternion(0.0, 0.0, z, w))
    assert engine.snapshot.pose[:, 2].tolist() == decoded
    assert decoded != poses[:, 2].tolist()  # some differ in the last bit
    assert engine.snapshot.true_pose[:, 2].tolist() == poses[:, 2].tolist()
    assert engine.snapshot.pose[:, :2].tolist() == poses[:, :2].tolist()


def test_a_tick_does_not_depend_on_who_looks():
    """Whether and how often a snapshot is taken, and the wind felt, changes no bit."""
    noisy = {**EVERYTHING, 'scan': {'scan_noise_std': 0.1}}
    seen, unseen = (Engine(make_parameters([ROBOT] * 2, **noisy), random_poses(2, 3), 1)
                    for _ in range(2))
    inputs = make_inputs([[1, 0]] * 2, Wind(np.array([0.3, 0.1, 0]), np.zeros(3)))
    for _ in range(5):
        for _ in range(2):
            seen.sense_wind(inputs[1])
            assert seen.snapshot is seen.snapshot
        seen.advance(*inputs)
        unseen.advance(*inputs)
    for name in ('true_pose', 'odometry', 'ranges', 'infrared', 'twist'):
        np.testing.assert_array_equal(getattr(seen.snapshot, name), getattr(unseen.snapshot, name))
