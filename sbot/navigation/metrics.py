# SPDX-License-Identifier: Apache-2.0
"""Navigation metrics of one run (docs/navigation_benchmark.md).

References
----------
.. [1] Anderson et al., On Evaluation of Embodied Navigation Agents, arXiv 1807.06757: SPL.
.. [2] Xiao et al., Autonomous Ground Navigation in Highly Constrained Spaces: Lessons Learned
   from the BARN Challenge, and run.py of Daffan/the-barn-challenge: the two scores.
.. [3] Chandra et al., arXiv 2508.13459: flow rate, deadlock, makespan.
.. [4] Francis et al., Principles and Guidelines for Evaluating Social Robot Navigation
   Algorithms, arXiv 2306.16740: minimal clearance, jerk, time.

"""

from __future__ import annotations

from functools import cache, partial
from typing import Any

import numpy as np

from sbot.navigation.library import facts
from sbot.navigation.shortest import make_raster, outline_distances, shortest_way
from sbot.runner.history import Run
from sbot.scenario.controllers import goal_tolerances
from sbot.scenario.world import world_arrays
from sbot_common.arrays import Floats
from sbot_sim.world.bodies import Body

ROLLING = 0.02  # coefficient of rolling resistance
GRAVITY = 9.81  # m/s^2
STILL = 0.1  # radii: who comes no farther within ``STILL_FOR`` stands
_STILL_FOR = 2.0  # s
TURNING = 0.1  # rad/s: slower turns have no sign
_JACKAL_SPEED = 2.0  # m/s, of BARN's optimal time


def navigation(run: Run) -> dict[str, Any]:
    """Return the metrics of a run; None where one has no meaning.

    Means are over the robots with goals. Distances are m, times s.
    """
    scenario, dt = run.scenario, run.scenario.rate.dt
    going = [i for i, robot in enumerate(scenario.robots) if robot.goal is not None]
    reached = [run.summary['robots'][i]['goal_reached_s'] for i in going]
    ends = [len(run.poses) - 1 if time is None else round(time / dt) for time in reached]
    paths = [run.poses[:end + 1, i] for i, end in zip(going, ends, strict=True)]
    bodies = [_body(run, i) for i in going]
    ways = [float(np.sqrt((np.diff(path[:, :2], axis=0) ** 2).sum(axis=1)).sum())
            for path in paths]
    begun = np.diff(run.collided.astype(np.int8), axis=0, prepend=np.int8(0)) > 0
    shortest = _shortest_ways(run, going)
    arrived = [time for time in reached if time is not None]
    everybody, clean = len(arrived) == len(going), not run.collided.any()
    hit = [bool(run.collided[:end + 1, i].any()) for i, end in zip(going, ends, strict=True)]
    values: dict[str, Any] = {
        'success': int(everybody and clean),
        'arrived': len(arrived) / max(1, len(going)),
        'collisions': int(begun.sum()),  # after a tick without one
        'spl': _mean([(not touched) * (time is not None) * _ratio(best, way)
                      for touched, time, best, way in zip(hit, reached, shortest, ways,
                                                          strict=True)]),
        'time_s': _mean(arrived) if arrived else None,
        'makespan_s': max(arrived) if everybody and arrived else None,
        'deadlock_s': _mean([_standing(path, body, dt)
                             for path, body in zip(paths, bodies, strict=True)]),
        'min_clearance_m': _min_clearance(run),
        'jerk_mps3': _mean([_jerk(path, dt) for path in paths]),
        'sign_changes_hz': _mean([_sign_changes(path[:, 2], dt) for path in paths]),
        'energy_j_per_m': _mean([
            _energy(path, body, dt) / best
            for path, body, time, best in zip(paths, bodies, reached, shortest, strict=True)
            if time is not None and best]) if arrived else None}
    known = facts(scenario.description)
    if 'gap' in known:
        values['flow_rate'] = len(arrived) / (known['gap'] * max(arrived)) if arrived else 0.0
    if 'optimal' in known:
        for name, least in (('barn_score', 2.0), ('barn_score_2022', 4.0)):
            values[name] = _barn_score(bool(values['success']), known['optimal'] / _JACKAL_SPEED,
                                       max(arrived, default=0.0), least)
    return {name: value if value is None or isinstance(value, int) else round(float(value), 6)
            for name, value in values.items()}


def _barn_score(success: bool, optimal: float, actual: float, least: float) -> float:
    """Return BARN's score: the optimal time (s) over the actual one, clipped.

    At least ``least`` optimal times count, 2 since 2024 and 4 before, and at most 8.
    """
    return success * optimal / min(max(actual, least * optimal), 8.0 * optimal)


def _jerk(poses: Floats, dt: float) -> float:
    """Return the mean jerk (m/s^3) of poses (T, 3): the third difference of the place."""
    if len(poses) < 4:
        return 0.0
    third = np.diff(poses[:, :2], n=3, axis=0) / dt**3
    return float(np.sqrt((third * third).sum(axis=1)).mean())


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
    world = world_arrays(run.scenario.world)
    walls = outline_distances(world, places.reshape(-1, 2)).reshape(places.shape[:2]) - radius
    least = float(walls.min())
    for i in range(len(bodies)):
        for j in range(i):
            apart = np.sqrt(((places[:, i] - places[:, j]) ** 2).sum(axis=1)).min()
            least = min(least, float(apart) - radius[i] - radius[j])
    if run.obstacles is not None:
        for m, disc in enumerate(run.scenario.world.moving):
            apart = np.sqrt(((places - run.obstacles[:, m:m + 1]) ** 2).sum(axis=2)) - radius
            least = min(least, float(apart.min()) - disc.radius)
    return least


def _shortest_ways(run: Run, going: list[int]) -> list[float | None]:
    """Return the lengths of the shortest ways (m), as far as the goals' tolerances.

    Of a rectangle that of the largest disc in it. Obstacles that move are not in the way.
    """
    world = world_arrays(run.scenario.world)
    tolerances = goal_tolerances(run.scenario)
    raster = cache(partial(make_raster, world))
    ways: list[float | None] = []
    for i in going:
        goal, (x, y), body = run.scenario.robots[i].goal, run.poses[0, i, :2].tolist(), _body(
            run, i)
        assert goal is not None
        way = shortest_way(raster(body.inscribed_radius), (x, y), goal)
        ways.append(None if way is None else max(0.0, way - tolerances[i]))
    return ways


def _standing(poses: Floats, body: Body, dt: float) -> float:
    """Return for how long (s) a robot stood."""
    ticks = max(1, round(_STILL_FOR / dt))
    if len(poses) <= ticks:
        return 0.0
    way = poses[ticks:, :2] - poses[:-ticks, :2]
    return float((np.sqrt((way * way).sum(axis=1)) < STILL * body.radius).sum() * dt)


def _body(run: Run, i: int) -> Body:
    return run.scenario.bodies[run.scenario.robots[i].body]


def _ratio(best: float | None, way: float) -> float:
    return 0.0 if best is None else 1.0 if best == 0.0 else best / max(best, way)


def _mean(values: list[Any]) -> float:
    return float(np.mean(values)) if values else 0.0


def _wrapped(turn: Floats) -> Floats:
    return np.asarray((turn + np.pi) % (2.0 * np.pi) - np.pi)
