"""Many robots in one call are equal, to the bit, to one at a time."""

import math

import numpy as np
import pytest

from potential_field_bot.bot import PotentialField
from potential_field_bot.forces import repulsion_reach, repulsions
from potential_field_bot.neighbours import (
    make_room,
    nearby_repulsion,
    one_cell,
    repulsion_grid,
)
from potential_field_bot.parameters import Parameters
from potential_field_bot.swarm import Followers
from sbot_common.elementary import atan2
from sbot_common.observation import Observation, Scan
from sbot_common.params import updated
from sbot_common.random.generators import generator
from sbot_common.random.purposes import CONTROLLER

SCATTERED = [
    (1, 5.0, {}), (2, 5.0, {}), (40, 3.0, {}), (150, 60.0, {}), (300, 1e6, {}),
    (150, 60.0, {'relevance_distance_beta_m': 0.5, 'safe_distance_m': 6.0}),
    (150, 60.0, {'relevance_distance_beta_m': 0.0, 'safe_distance_m': 0.0}),
]


def other_repulsion(p, robot_id, poses):
    """Document 001 section 8 as it is written: all robots in turn."""
    fx, fy = 0.0, 0.0
    for i in range(1, len(poses)):
        sx, sy = (float(value) for value in poses[robot_id, :2] - poses[i, :2])
        distance = math.sqrt(sx * sx + sy * sy)
        if i != robot_id and distance < repulsion_reach(p):
            x, y = np.empty(1), np.empty(1)
            repulsions(p, np.array([distance]), np.array([atan2(sy, sx)]), x, y)
            fx, fy = fx + x[0], fy + y[0]
    return fx * p.other_repulsion_factor, fy * p.other_repulsion_factor


def test_the_formula_is_between_some_of_them():
    """Else the searches below would find nothing and be right."""
    poses = np.array([[0.0, 0, 0], [1, 1, 0], [2, 1, 0], [2, 3, 0]])
    assert other_repulsion(Parameters(), 1, poses)[0] < 0.0
    assert other_repulsion(Parameters(), 2, poses)[0] > 0.0


@pytest.mark.parametrize(('robots', 'extent', 'constants'), SCATTERED)
def test_neighbour_search_changes_no_bit(robots, extent, constants):
    parameters = updated(Parameters(), constants)
    rng = np.random.default_rng(robots)
    poses = rng.uniform(-extent, extent, (robots, 3))
    poses[robots // 2:, 0] = np.round(poses[robots // 2:, 0])  # on cells' edges, and in columns
    poses[::7, 1] = poses[0, 1]
    for grid in (repulsion_grid(parameters, poses), one_cell(robots)):
        for i in range(0, robots, 1 + robots // 50):
            found = nearby_repulsion(parameters, i, poses, grid, make_room(len(poses)))
            assert found == other_repulsion(parameters, i, poses)


def test_neighbour_search_with_lost_robots():
    parameters = Parameters()
    poses = np.random.default_rng(0).uniform(-80, 80, (60, 3))
    poses[3, 0], poses[4, 1], poses[5, 0], poses[6, :2] = np.nan, np.inf, -np.inf, 1e300
    for grid in (repulsion_grid(parameters, poses), one_cell(60)):
        for i in range(60):
            found = nearby_repulsion(parameters, i, poses, grid, make_room(len(poses)))
            pushed = not np.isfinite(poses[i, :2]).all()
            assert found == ((0.0, 0.0) if pushed else other_repulsion(parameters, i, poses))


def test_cells_prune():
    """Else the search above would be compared with itself."""
    poses = np.random.default_rng(0).uniform(-80, 80, (150, 3))
    grid = repulsion_grid(Parameters(), poses)
    assert grid.nx > 10
    assert grid.ny > 10
    assert sorted(grid.items) == list(range(150))


@pytest.mark.parametrize('threads', [1, 3])
@pytest.mark.parametrize('leader_filter', ['as_written', 'geometric'])
def test_followers_equal_single_robots(threads, leader_filter):
    robots, beams, turns = 24, 20, 12
    ids = [i for i in range(1, robots) if i != 5]  # robot 5 has another controller
    constants = {'leader_filter': leader_filter, 'loop_rate': 30.0}
    swarm = Followers(ids, updated(Parameters(), constants), threads)
    bots = {i: PotentialField(goal=(0.0, 0.0), **constants) for i in ids}
    swarm_generators = [generator(3, i, CONTROLLER) for i in ids]
    generators = {i: generator(3, i, CONTROLLER) for i in ids}
    rng = np.random.default_rng(1)
    poses = rng.uniform(-12, 12, (robots, 3))
    for tick in range(turns):
        poses += rng.normal(0, 0.03, poses.shape)
        ranges = rng.uniform(0.5, 12, (robots, beams)).astype(np.float32)
        draws = np.array([g.random() for g in swarm_generators])
        commands = swarm.step(poses, ranges, -1.5, 0.15, draws)
        for row, i in enumerate(ids):
            observation = Observation(
                i, robots, tick, 0, 1 / 30, poses, Scan(ranges[i], -1.5, 0.15, 0.0, 10.0), None,
                None, None, (0.0, 0.0), (0.0, 0.0, 0.0))
            assert bots[i].step(observation, generators[i]) == tuple(commands[row])


def test_reset_begins_again():
    swarm = Followers([1, 2], Parameters())
    poses = np.array([[0.0, 0, 0], [3, 0, 0], [0, 3, 0]])
    scans = np.zeros((3, 0), np.float32)

    def run() -> list:
        draws = np.random.default_rng(0).random((3, 2))
        return [swarm.step(poses + k, scans, 0.0, 0.0, draws[k]).tolist() for k in range(3)]

    first = run()
    swarm.reset()
    assert run() == first


def test_the_leader_is_no_follower():
    with pytest.raises(ValueError, match='leader'):
        Followers([0, 1], Parameters())
