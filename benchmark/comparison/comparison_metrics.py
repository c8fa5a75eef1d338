"""Numbers of a run that compare controllers: detour, formation, wheel work."""

from __future__ import annotations

import numpy as np
import shortest

import sbot

ROLLING = 0.02  # coefficient of rolling resistance
GRAVITY = 9.81  # m/s^2


def driven(run: sbot.Run) -> dict[str, float | None]:
    """Return means over the robots with goals that arrived, distances of the others, and work.

    `detour` is the way until the arrival over the shortest way to there, both as far as the goal's
    tolerance; `wheel_power_w` is the wheel work of a robot in a second, on average.
    """
    robots, poses = run.scenario.robots, run.poses
    detours = []
    for i, robot in enumerate(robots):
        reached = run.summary['robots'][i]['goal_reached_s']
        if robot.goal is None or reached is None:
            continue
        end = int(np.searchsorted(run.seconds, reached - 1e-6)) + 1
        way = np.linalg.norm(np.diff(poses[:end, i, :2], axis=0), axis=1).sum()
        radius = run.scenario.bodies[robot.body].radius
        least = shortest.length(run.scenario.world, poses[0, i, :2], robot.goal, radius)
        if least is not None:
            left = np.linalg.norm(poses[end - 1, i, :2] - robot.goal)
            detours.append(float(way) / max(1e-9, least - float(left)))
    following = [i for i, robot in enumerate(robots) if i > 0 and robot.goal is None]
    away = np.linalg.norm(poses[:, following, :2] - poses[:, :1, :2], axis=2)
    return {
        'detour': round(float(np.mean(detours)), 4) if detours else None,
        'follower_end_m': round(float(away[-1].max()), 3) if following else None,
        'follower_mean_m': round(float(away.mean()), 3) if following else None,
        'follower_farthest_m': round(float(away.max()), 3) if following else None,
        'wheel_power_w': round(wheel_power(run), 3)}


def wheel_power(run: sbot.Run) -> float:
    """Return the mean power (W) of a robot's wheels, by a simple model.

    The simulator moves bodies without forces, so this is a model beside it: rolling resistance of
    half the weight at each wheel, and the kinetic energy of every gain in speed.
    """
    watts = []
    for i, robot in enumerate(run.scenario.robots):
        body = run.scenario.bodies[robot.body]
        v, omega = run.commands[:-1, i, 0], run.commands[:-1, i, 2]
        rims = np.stack((v - omega * body.wheel_distance / 2, v + omega * body.wheel_distance / 2))
        dt = run.scenario.rate.dt
        rolling = ROLLING * body.mass * GRAVITY / 2 * np.abs(rims).sum() * dt
        energy = body.mass / 2 * v ** 2
        gained = np.maximum(0.0, np.diff(energy, prepend=0.0)).sum()
        watts.append((rolling + gained) / max(dt, len(v) * dt))
    return float(np.mean(watts))
