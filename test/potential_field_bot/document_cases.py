"""Inputs for the formulas and turns of document 001, and what this package makes of them."""

import math
from typing import Any, NamedTuple

import numpy as np

from potential_field_bot import bot as timing
from potential_field_bot import controller, forces
from potential_field_bot.bot import PotentialField
from potential_field_bot.parameters import Parameters
from sbot_common.observation import Observation, Scan

# Values at which something happens: zeros, bounds of the document's cases, the ends of numbers.
SPECIAL = np.array([
    0.0, -0.0, 0.3, 0.6, 0.75, 0.78125, np.nextafter(0.78125, 0), np.nextafter(0.78125, 1), 1.0,
    -1.0, 1.35, 4.0, 4.6, np.nextafter(4.6, 5), 8.0, np.nextafter(8.0, 0), 0.03125, math.pi,
    -math.pi, math.pi / 2, 5e-324, 1e-160, 1e160, 1e308, math.inf, -math.inf, math.nan])


def numbers(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Ordinary numbers mostly, some of any magnitude, some special."""
    ordinary = rng.uniform(-10, 10, shape)
    any_size = ordinary * 10.0 ** rng.integers(-12, 12, shape)
    kind = rng.choice(4, shape, p=[0.7, 0.1, 0.1, 0.1])
    return np.choose(kind, [ordinary, any_size, rng.choice(SPECIAL, shape), np.round(ordinary)])


def as_float32(values: np.ndarray) -> np.ndarray:
    """The values as a scan carries them; what is too large becomes infinite."""
    with np.errstate(over='ignore', under='ignore'):
        return values.astype(np.float32)


def without_zero_noise(formula: 'Formula', inputs: np.ndarray) -> np.ndarray:
    """The rows on which the listing is followed: 0 times infinity is not (docs/errata.md P15)."""
    if formula.name != 'random_force':
        return np.ones(len(inputs), bool)
    return (inputs[:, 0] != 0.0) | np.isfinite(inputs[:, 1])


def _flag(value: bool) -> tuple[float]:
    return (float(value),)


class Formula(NamedTuple):
    """One formula of the document; ``number`` is the oracle's."""

    name: str
    number: int
    inputs: int
    ours: Any


def _repulsion(alpha: float, distance: float, angle: float, d_safe: float, epsilon: float,
               beta: float) -> tuple[float, float]:
    constants = Parameters()._replace(
        repulsion_constant_alpha=alpha, safe_distance_m=d_safe, error_constant_epsilon_m=epsilon,
        relevance_distance_beta_m=beta)
    x, y = np.empty(1), np.empty(1)
    forces.repulsions(constants, np.array([distance]), np.array([angle]), x, y)
    return float(x[0]), float(y[0])


def _random_force(zeta: float, p: float, r: float) -> tuple[float, float]:
    return forces.random_force(zeta, p, controller._angle_of_draw(r))


def _check_for_leader(threshold: float, low: float, high: float, distance: float,
                      angle: float) -> tuple[float]:
    return _flag(
        controller._check_for_leader(controller._Leader(threshold, low, high), distance, angle))


FORMULAS = (
    Formula('leader_attraction', 0, 5, forces.leader_attraction),
    Formula('follower_attraction', 1, 10, forces.follower_attraction),
    Formula('repulsion', 2, 6, _repulsion),
    Formula('locate_leader', 3, 6, controller._locate_leader),
    Formula('check_for_leader', 4, 5, _check_for_leader),
    Formula('random_force', 5, 3, _random_force),
    Formula('angular_velocity', 6, 3, lambda *a: (controller._angular_velocity(*a),)),
    Formula('linear_velocity', 7, 5, lambda *a: (controller._linear_velocity(*a),)),
    Formula('sgn', 8, 1, lambda a: (controller._sgn(a),)),
    Formula('is_on_goal', 9, 5, lambda *a: _flag(controller.is_on_goal(*a))),
    Formula('check_frequency', 10, 2,
            lambda tick, hz: _flag(timing.check_frequency(int(tick), hz, 30.0))),
    Formula('angle_of_draw', 11, 1, lambda r: (controller._angle_of_draw(r),)),
    Formula('generate_goal', 12, 4, controller.generate_goal))


def formula_inputs(formula: Formula, rng: np.random.Generator, count: int) -> np.ndarray:
    """(count, inputs) numbers for which the listing is defined."""
    values = numbers(rng, (count, formula.inputs))
    if formula.name == 'follower_attraction':  # the document's constants for half of them
        values[::2, [0, 1, 6, 7, 8, 9]] = [1.0, 1.0, 0.3, 0.3, 0.75, 4.0]
        values[::4, 2:6] *= 0.1  # a close leader, too
        # Exactly on the bounds of the three cases: 0.75 and 4 m between the rims.
        values[0] = [1.0, 1.0, 1.25, 0.0, 0.0, 0.0, 0.25, 0.25, 0.75, 4.0]
        values[2] = [1.0, 1.0, 0.0, 4.5, 0.0, 0.0, 0.25, 0.25, 0.75, 4.0]
    elif formula.name == 'repulsion':
        values[::2, [0, 3, 4, 5]] = [1.0, 0.75, 0.03125, 8.0]
        values[:6:2, 1] = [0.78125, 8.0, 0.75]
        values[:6:2, 2] = 1.0
    elif formula.name == 'check_for_leader':
        values[:, 3] = as_float32(values[:, 3])
        values[::3, 4] = values[::3, 1]
        values[1::3, 4] = values[1::3, 2]
        values[:3] = [[1.0, 0.5, 2.0, 3.0, 0.5], [1.0, 0.5, 2.0, 3.0, 2.0],
                      [3.0, 0.5, 2.0, 3.0, 1.0]]
    elif formula.name == 'random_force':
        values[:, 2] = rng.choice([0.0, 0.25, 0.5, 0.75, rng.random()], count)
        values[::2, 2] = rng.random(len(values[::2]))
    elif formula.name == 'check_frequency':
        values[:, 0] = rng.integers(0, 2000, count)
        values[:, 1] = rng.uniform(0.01, 30, count)
        values[::2, 1] = rng.choice([0.2, 0.5, 1, 2, 7, 10, 15, 29.9, 30], len(values[::2]))
        values[:4] = [[149, 0.2], [150, 0.2], [298, 0.2], [60, 0.5]]
    elif formula.name == 'angle_of_draw':
        values[:, 0] = rng.random(count)
        values[:4, 0] = [0.0, 0.5, 0.25, np.nextafter(1.0, 0)]
    elif formula.name == 'generate_goal':
        values[:, 2:] = rng.random((count, 2))
    return values


def ours(formula: Formula, inputs: np.ndarray) -> np.ndarray:
    """(n, 3) results, padded with zeros like the oracle's."""
    results = np.zeros((len(inputs), 3))
    for row, result in zip(inputs, results, strict=True):
        values = formula.ours(*(float(value) for value in row))
        result[:len(values)] = values
    return results


# The document's constants, and a walk with others.
VARIANTS: tuple[dict[str, str], ...] = ({}, {
    'FORWARD_SPEED_MPS': '0.7', 'ROTATE_SPEED_RADPS': '0.4', 'ATTRACTION_CONSTANT_GAMMA': '0.37',
    'REPULSION_CONSTANT_ALPHA': '1.3', 'ROBOT_RADIUS_M': '0.17', 'SAFE_DISTANCE_M': '0.6',
    'FAR_DISTANCE_M': '2.9', 'ERROR_CONSTANT_EPSILON_M': '0.11',
    'RELEVANCE_DISTANCE_BETA_M': '5.3', 'OTHER_REPULSION_FACTOR': '1.7',
    'EMA_COEFFICIENT_ETA': '0.21',
    'CONVERSION_CONSTANT_ZETA': '0.31', 'ANGULAR_SCALER_KAPPA': '0.9',
    'LINEAR_SCALER_LAMBDA': '0.013', 'GOAL_RADIUS_SIGMA_M': '2.2', 'ON_RANDOM_WALK': 'true',
    'GOAL_REGENERATION_FREQUENCY_HZ': '7.0'})


class TurnInputs(NamedTuple):
    """What a robot knows at one turn, and what it draws."""

    poses: np.ndarray  # (N, 3)
    scan_heading: float
    ranges: np.ndarray  # (beams,) float32
    angle_min: float
    angle_increment: float
    draws: np.ndarray  # (3,)


class Scene(NamedTuple):
    """Some turns of one robot."""

    variant: int
    robot_id: int
    goal: tuple[float, float]
    start_draws: np.ndarray  # (2,)
    turns: list[TurnInputs]


def random_scene(rng: np.random.Generator, variant: int, turns: int, beams: int) -> Scene:
    """A scene in which robots stand, drift or jump and scans hold everything that floats can."""
    num_robots = int(rng.integers(1, 7))
    robot_id = int(rng.integers(num_robots))
    poses = rng.uniform([-6, -6, -4], [6, 6, 4], (num_robots, 3))
    everyday = rng.random() < 0.5  # else the closest obstacles drive the speed to its limits
    inputs = []
    for _ in range(turns):
        step = rng.choice([0.0, 0.02, 3.0], p=[0.2, 0.7, 0.1])
        poses = poses + rng.normal(0, 1, poses.shape) * step
        if rng.random() < 0.02:
            poses[-1] = poses[0]
        shape = (int(rng.integers(0, beams + 1)),)
        ranges = rng.uniform(2, 12, shape) if everyday else numbers(rng, shape)
        heading = float(poses[robot_id, 2] + rng.normal(0, 0.1))
        inputs.append(TurnInputs(poses, heading, as_float32(ranges),
                                 float(np.float32(rng.uniform(-3.2, 0))),
                                 float(np.float32(rng.uniform(0, 0.5))), rng.random(3)))
    return Scene(variant, robot_id, (float(rng.normal()), 3.0), rng.random(2), inputs)


class Draws:
    """Stands in for a generator: gives the numbers it was given."""

    def __init__(self, values: np.ndarray) -> None:
        self._values = list(map(float, values))

    def random(self) -> float:
        return self._values.pop(0)


def run_ours(scene: Scene) -> np.ndarray:
    """(turns, 13) command, average, goal, on goal, total force, attraction, other repulsion."""
    parameters: dict[str, object] = {
        name.lower(): value == 'true' if name.startswith('ON_') else float(value)
        for name, value in VARIANTS[scene.variant].items()}
    bot = PotentialField(goal=scene.goal, rate_hz=30.0, **parameters)
    rows = []
    for number, turn in enumerate(scene.turns):
        scan = Scan(turn.ranges, turn.angle_min, turn.angle_increment, 0.0, 10.0)
        observation = Observation(scene.robot_id, len(turn.poses), number, 0, 1 / 30, turn.poses,
                                  scan, scan_heading=turn.scan_heading)
        walks = number == 0 and scene.robot_id == 0 and bot.parameters.on_random_walk
        draws = [*scene.start_draws, *turn.draws] if walks else turn.draws
        command = bot.step(observation, Draws(draws))
        state, decided = bot.state, bot.turn
        rows.append([*command, state.ema_x, state.ema_y, state.goal_x, state.goal_y, bot.on_goal,
                     decided.total_x, decided.total_y, decided.attraction_x, decided.attraction_y,
                     decided.other_x, decided.other_y])
    return np.array(rows)


def run_document(oracle: Any, scene: Scene) -> np.ndarray:
    """The same from the listings, where forces of a turn that ends with a new goal are ours."""
    bot = oracle.bot(scene.robot_id, len(scene.turns[0].poses), scene.goal)
    rows = []
    for number, turn in enumerate(scene.turns):
        at_scan = turn.poses.copy()
        at_scan[scene.robot_id, 2] = turn.scan_heading
        bot.poses(at_scan)
        bot.scan(turn.ranges, turn.angle_min, turn.angle_increment)
        bot.poses(turn.poses)
        if number == 0:
            bot.start(scene.start_draws)
        rows.append([*bot.turn(turn.draws), *bot.total(turn.draws)])
    bot.close()
    return np.array(rows)


def as_answered(document: np.ndarray) -> np.ndarray:
    """The document's rows with (0, 0) where its turning speed is not a number."""
    document = document.copy()
    document[np.isnan(document[:, 1]), :2] = 0.0
    return document


def new_goal(scene: Scene, document: np.ndarray) -> np.ndarray:
    """(turns,) whether a turn ended with a new goal, after which its forces are gone."""
    changed = (document[:, 4:6] != np.vstack([document[:1, 4:6], document[:-1, 4:6]])).any(axis=1)
    return changed | (scene.robot_id == 0 and scene.variant == 1) & (
        np.arange(1, len(document) + 1) % 4 == 0)


def differing_bits(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Where two arrays differ in a bit; all that is not a number counts as the same."""
    return (a.view(np.uint64) != b.view(np.uint64)) & ~(np.isnan(a) & np.isnan(b))
