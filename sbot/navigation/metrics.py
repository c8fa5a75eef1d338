# SPDX-License-Identifier: Apache-2.0
"""Navigation metrics of one run (docs/navigation_benchmark.md).

References
----------
.. [1] Anderson et al., On Evaluation of Embodied Navigation Agents, arXiv 1807.06757: SPL.
.. [2] Xiao et al., Autonomous Ground Navigation in Highly Constrained Spaces: Lessons Learned
   from the BARN Challenge, and run.py of Daffan/the-barn-challenge: the scores.
.. [3] Chandra et al., arXiv 2508.13459: flow rate, deadlock, makespan; their library SMGLib, at
   commit 87e6e8d: velocity change, path deviation, Hausdorff distance.
.. [4] Francis et al., Principles and Guidelines for Evaluating Social Robot Navigation
   Algorithms, arXiv 2306.16740: minimal clearance, jerk, time.
.. [5] Yokoyama, Ha, Batra, Success Weighted by Completion Time, arXiv 2103.08022: SCT.
.. [6] Savitzky and Golay, Analytical Chemistry 36(8), 1964: derivatives of fitted cubics.

"""

from __future__ import annotations

import math
import re
from typing import Any, NamedTuple

import numpy as np

from sbot.navigation.tangents import outline_distances, shortest_length
from sbot.runner.history import Run
from sbot.scenario.controllers import goal_tolerances
from sbot_common.arrays import Floats
from sbot_sim.world.bodies import Body

ROLLING = 0.02  # coefficient of rolling resistance
GRAVITY = 9.81  # m/s^2
STILL = 0.1  # radii: who comes no farther within ``STILL_FOR`` stands
_STILL_FOR = 2.0  # s
TURNING = 0.1  # rad/s: slower turns have no sign
_FITTED = 1.0  # s of a way to which the cubic of the jerk is fitted
_STEP = 0.1  # s between the samples of SMGLib
_JACKAL_SPEED = 2.0  # m/s, of BARN's optimal time
# m, DynaBARN's path in run.py: GOAL_POSITION[0] - INIT_POSITION[0]; the former is relative.
_FILE_PATH = -20.0 - 11.0


class _Way(NamedTuple):
    """What a robot with a goal did until it arrived, or until the run's end."""

    poses: Floats  # (T, 3) m, m, rad
    body: Body
    goal: tuple[float, float]  # m
    time: float | None  # s, of its arrival
    clean: bool  # it arrived, and touched nothing before
    best: float | None  # m, the shortest way; inf: there is none, None: not known


_FACT = re.compile(r' \[(\w+) ([0-9.]+)\]')


def _facts(description: str) -> dict[str, float]:
    """Return the numbers that a scene's description has in brackets, e.g. {'gap': 1.2} (m)."""
    return {key: float(number) for key, number in _FACT.findall(description)}


def navigation(run: Run) -> dict[str, Any]:
    """Return the metrics of a run; None where one has no meaning.

    Means are over the robots with goals. Distances are m, times s.
    """
    dt, going = run.scenario.rate.dt, _ways(run)
    arrived = [way.time for way in going if way.time is not None]
    everybody = len(arrived) == len(going)
    begun = np.diff(run.collided.astype(np.int8), axis=0, prepend=np.int8(0)) > 0
    waiting, deadlock = _standing(going, dt)
    effort = [_energy(way.poses, way.body, dt) / way.best for way in going
              if way.time is not None and way.best]
    deviation = np.reshape([_deviation(way, dt) for way in going], (-1, 3)).T
    values: dict[str, Any] = {
        'success': int(everybody and not run.collided.any()),
        'arrived': len(arrived) / max(1, len(going)),
        'collisions': int(begun.sum()),  # after a tick without one
        'contact_s': run.collided.sum() * dt,
        'spl': _share([(way, way.best, _length(way.poses)) for way in going]),
        'sct': _share([(way, _least_time(way), way.time or 0.0) for way in going]),
        'time_s': _mean(arrived) if arrived else None,
        'makespan_s': max(arrived) if everybody and arrived else None,
        'standing_s': waiting + deadlock, 'waiting_s': waiting, 'deadlock_s': deadlock,
        'min_clearance_m': _min_clearance(run),
        'jerk_mps3': _mean([_jerk(way.poses, dt) for way in going]),
        'smooth_jerk_mps3': _mean([_smooth_jerk(way.poses, dt) for way in going]),
        'sign_changes_hz': _mean([_sign_changes(way.poses[:, 2], dt) for way in going]),
        'energy_j_per_m': _mean(effort) if effort else None,
        **dict(zip(('speed_change_mps', 'path_deviation_m', 'hausdorff_m'), map(_mean, deviation),
                   strict=True)),
        'turns': sum(len(way.poses) for way in going)}
    known = _facts(run.scenario.description)
    if 'gap' in known:
        last = max(arrived) if everybody and arrived else (len(run.poses) - 1) * dt
        values['flow_rate'] = len(arrived) / (known['gap'] * last)
    if 'optimal' in known:
        actual, clean = max(arrived, default=0.0), bool(values['success'])
        optimal = known['optimal'] / _JACKAL_SPEED
        values['barn_score'] = _barn_score(clean, optimal, actual, 2.0)
        values['barn_score_2022'] = _barn_score(clean, optimal, actual, 4.0)
        if run.scenario.name.startswith('dynabarn/'):
            values['dynabarn_file_score'] = _barn_score(
                clean, _FILE_PATH / _JACKAL_SPEED, actual, 2.0)
    return {name: value if value is None or isinstance(value, int) else round(float(value), 6)
            for name, value in values.items()}


def _ways(run: Run) -> list[_Way]:
    """Return the ways of the robots with goals.

    The shortest way of a rectangle is that of the largest disc in it. Obstacles that move, and
    robots, are not in the way.
    """
    scenario = run.scenario
    world, tolerances, ways = scenario.world.arrays(), goal_tolerances(scenario), []
    for i, robot in enumerate(scenario.robots):
        if robot.goal is None:
            continue
        body, time = _body(run, i), run.summary['robots'][i]['goal_reached_s']
        end = len(run.poses) - 1 if time is None else round(time / scenario.rate.dt)
        x, y = run.poses[0, i, :2].tolist()
        ways.append(_Way(
            run.poses[:end + 1, i], body, robot.goal, time,
            time is not None and not run.collided[:end + 1, i].any(),
            shortest_length(world, body.inscribed_radius, (x, y), robot.goal, tolerances[i])))
    return ways


def _barn_score(success: bool, optimal: float, actual: float, least: float) -> float:
    """Return BARN's score: the optimal time (s) over the actual one, clipped.

    At least ``least`` optimal times count, 2 since 2024 and 4 before, and at most 8.
    """
    return success * optimal / min(max(actual, least * optimal), 8.0 * optimal)


def _least_time(way: _Way) -> float | None:
    """Return the time (s) in which a body at its limits drives its shortest way from rest."""
    if way.best is None:
        return None
    fastest = way.body.top_speed
    limit = way.body.max_acceleration or math.inf
    if way.best <= fastest * fastest / (2.0 * limit):
        return math.sqrt(2.0 * way.best / limit)
    return way.best / fastest + fastest / (2.0 * limit)


def _deviation(way: _Way, dt: float) -> tuple[float, float, float]:
    """Return what SMGLib prints as Avg ΔV (m/s), Path Dev and Hausdorff (m), at its 10 Hz.

    The nominal way is straight to the goal, at the constant speed that takes as long.
    """
    stride = max(1, round(_STEP / dt))
    places = way.poses[::stride, :2]
    speeds = _norms(np.diff(places, axis=0)) / (stride * dt)
    share = np.linspace(0.0, 1.0, len(places))[:, None]
    ahead = np.array(way.goal) - places[0]
    apart = places - places[0] - share * ahead
    foot = ((places - places[0]) @ ahead / max(float(ahead @ ahead), 1e-300)).clip(0.0, 1.0)
    aside = places - places[0] - foot[:, None] * ahead
    return (float(np.abs(np.diff(speeds)).mean()) if len(speeds) > 1 else 0.0,
            float(_norms(apart).sum()),
            float(_norms(aside).max()))


def _jerk(poses: Floats, dt: float) -> float:
    """Return the mean jerk (m/s^3) of poses (T, 3): the third difference of the place."""
    return _mean(_norms(np.diff(poses[:, :2], n=3, axis=0) / dt**3))


def _smooth_jerk(poses: Floats, dt: float) -> float:
    """Return the mean jerk (m/s^3) of cubics that are fitted to each ``_FITTED`` of a way."""
    half = round(_FITTED / 2.0 / dt)
    if len(poses) < 2 * half + 1 or half < 2:
        return 0.0
    k = np.arange(-half, half + 1.0)
    cubic = 5.0 * k**3 - (3.0 * half * (half + 1) - 1.0) * k  # orthogonal to all lower powers
    cubic *= 6.0 / ((cubic * k**3).sum() * dt**3)
    third = [np.convolve(poses[:, axis] - poses[0, axis], cubic[::-1], 'valid') for axis in (0, 1)]
    return float(np.sqrt(third[0] ** 2 + third[1] ** 2).mean())


def _sign_changes(yaw: Floats, dt: float) -> float:
    """Return how often a second a robot with yaws (T,) turns over from one side to the other."""
    if len(yaw) < 3:
        return 0.0
    turn = _wrapped(np.diff(yaw)) / dt
    signs = np.sign(turn[np.abs(turn) > TURNING])
    return float((signs[1:] != signs[:-1]).sum() / ((len(yaw) - 1) * dt))


def _energy(poses: Floats, body: Body, dt: float) -> float:
    """Return the work (J) of a body's wheels on a way (T, 3), by a simple model.

    Rolling resistance of half the weight at each wheel, and the kinetic energy of every gain in
    speed; what wind does along the heading counts as driven. The simulator knows no such forces.
    """
    yaw, step = poses[:, 2], np.diff(poses[:, :2], axis=0)
    turn = _wrapped(np.diff(yaw))
    middle = yaw[:-1] + 0.5 * turn
    v = (step[:, 0] * np.cos(middle) + step[:, 1] * np.sin(middle)) / dt
    rims = np.abs(np.stack((v, v)) + np.outer((-0.5, 0.5), turn / dt * body.wheel_distance))
    rolling = ROLLING * body.mass * GRAVITY / 2 * rims.sum() * dt
    kinetic = 0.5 * body.mass * v * v
    return float(rolling + np.maximum(0.0, np.diff(kinetic, prepend=0.0)).sum())


def _min_clearance(run: Run) -> float | None:
    """Return the smallest distance (m) between a body and another, or an obstacle; of discs.

    None where a body is a rectangle. Obstacles that move are where they are at each tick.
    """
    bodies = [_body(run, i) for i in range(run.poses.shape[1])]
    if any(body.inscribed_radius < body.radius for body in bodies):
        return None
    places, radius = run.poses[:, :, :2], np.array([body.radius for body in bodies])
    world = run.scenario.world
    walls = outline_distances(world.arrays(), places.reshape(-1, 2))
    apart = [walls.reshape(places.shape[:2]) - radius]
    apart += [_norms(places[:, i] - places[:, j]) - radius[i] - radius[j]
              for i in range(len(bodies)) for j in range(i)]
    if run.obstacles is not None:
        apart += [_norms(places - run.obstacles[:, m:m + 1]) - radius - disc.radius
                  for m, disc in enumerate(world.moving)]
    return min(float(each.min()) for each in apart)


def _standing(ways: list[_Way], dt: float) -> tuple[float, float]:
    """Return the mean times (s) for which robots waited for their turn, and stood in deadlock.

    Who stands waits for its turn if a robot that has not arrived moves, and it moves on later.
    """
    ticks = max(1, round(_STILL_FOR / dt))
    longest = max([0, *(len(way.poses) - ticks for way in ways)])
    moves, stands = np.zeros((2, len(ways), longest), np.bool_)
    for k, way in enumerate(ways):
        step = way.poses[ticks:, :2] - way.poses[:-ticks, :2]
        still = _norms(step) < STILL * way.body.radius
        moves[k, :len(still)], stands[k, :len(still)] = ~still, still
    later = np.logical_or.accumulate(moves[:, ::-1], axis=1)[:, ::-1]
    waits = stands & later & moves.any(axis=0)
    return _mean(waits.sum(axis=1) * dt), _mean((stands & ~waits).sum(axis=1) * dt)


def _body(run: Run, i: int) -> Body:
    return run.scenario.bodies[run.scenario.robots[i].body]


def _norms(vectors: Floats) -> Floats:
    return np.asarray(np.sqrt((vectors * vectors).sum(axis=-1)))


def _length(poses: Floats) -> float:
    return float(_norms(np.diff(poses[:, :2], axis=0)).sum())


def _share(least: list[tuple[_Way, float | None, float]]) -> float | None:
    """Return the mean of the least over what was needed, 0 where it was not ``clean``."""
    if any(best is None for _, best, _ in least):
        return None
    return _mean([way.clean * (1.0 if best == 0.0 else best / max(best, needed))
                  if best is not None and best < math.inf else 0.0 for way, best, needed in least])


def _mean(values: Any) -> float:  # noqa: ANN401 - numbers
    return float(np.mean(values)) if len(values) else 0.0


def _wrapped(turn: Floats) -> Floats:
    return np.asarray((turn + np.pi) % (2.0 * np.pi) - np.pi)
