"""Measures of tracks that several tasks share: distances, times of arrival, groups."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sbot.learn.shipped import distance
from sbot.learn.task import Floats
from sbot.learn.tasks.entry import Track, Values

# S-bots that sense infrared, and each other by range and bearing; at 10 Hz.
S_BOT_SPEED, S_BOT_WHEELS = 0.08, 0.095  # m/s of a wheel, m between the wheels
ROBOT_SPEED, ROBOT_TURN = 1.5, 3.0  # m/s, rad/s: robots of 0.3 m radius
NAVIGATE = {'forward_speed_mps': ROBOT_SPEED, 'rotate_speed_radps': ROBOT_TURN}


def s_bots(width: float, height: float, **world: object) -> Values:
    """Return an arena (m) of s-bots that sense infrared and, up to 1 m, each other."""
    return {'rate': 10, 'world': {'bounds': [0, 0, width, height], **world},
            'robots': [{'body': 's-bot'}],
            'sensors': {'infrared': True, 'infrared_noise': 0.1, 'range_and_bearing': True,
                        'rab_range': 1.0, 'scan_beams': 1}}


def robots(world: Values, beams: int, reach: float, tolerance: float) -> Values:
    """Return an arena of robots with lasers of few beams and short reach (m), which see all."""
    return {'rate': 20, 'world': world, 'robots': [{'body': 'robot', 'goal_tolerance': tolerance}],
            'sensors': {'scan_beams': beams, 'scan_range_max': reach, 'scan_noise_std': 0.01,
                        'scan_sees_robots': True}}


def arrival_times(track: Track, tolerance: float) -> Floats:
    """Return the time (s) at which each robot is first at its goal, (K, N); never: the end."""
    there = distance(track.pose[..., :2], track.goal) <= tolerance
    first = np.where(there.any(axis=0), there.argmax(axis=0), len(there))
    times: Floats = first * track.dt
    return times


def mean_time(tolerance: float) -> Callable[[Track], Floats]:
    """Return the measure: mean time (s) until a robot is at its goal, (K,)."""
    def of(track: Track) -> Floats:
        times: Floats = arrival_times(track, tolerance).mean(axis=1)
        return times
    return of


def nearing(track: Track) -> Floats:
    """Return minus the mean distance to the goal, in shares of the first one, (K,)."""
    way = distance(track.pose[..., :2], track.goal)
    left: Floats = (way.mean(axis=0) / way[0]).mean(axis=1)
    score: Floats = -left - 0.5 * track.collided.mean(axis=(0, 2))
    return score


def largest_group(place: Floats, reach: float) -> Floats:
    """Return the share of points (..., N, 2) in the largest group that chains of a reach join."""
    n = place.shape[-2]
    joined = distance(place[..., :, None, :], place[..., None, :, :]) <= reach
    for _ in range(max(1, n.bit_length())):  # chains of twice the length at each turn
        joined = np.einsum('...ij,...jk->...ik', joined.astype(np.float32),
                           joined.astype(np.float32)) > 0.0
    share: Floats = joined.sum(axis=-1).max(axis=-1) / n
    return share


def order(track: Track) -> Floats:
    """Return how much robots move the same way in each tick but the first, (T - 1, K)."""
    moved = np.diff(track.pose[..., :2], axis=0)
    total = np.sqrt((moved ** 2).sum(axis=3)).sum(axis=2)
    whole = np.sqrt((moved.sum(axis=2) ** 2).sum(axis=2))
    found: Floats = np.divide(whole, total, out=np.zeros_like(whole), where=total > 0.0)
    return found
