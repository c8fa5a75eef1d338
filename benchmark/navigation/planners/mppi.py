"""Model predictive path integral control with the critics of Nav2's controller, behind A*.

Williams, Aldrich, Theodorou, Model Predictive Path Integral Control, Journal of Guidance,
Control, and Dynamics 40(2), 2017. Critics and weights are the defaults of nav2_mppi_controller
(CostCritic, GoalCritic, PathAlignCritic, PathFollowCritic, PathAngleCritic, PreferForwardCritic),
noises are drawn once as there (``regenerate_noises: false``), and other robots stand. Left out:
critics of the goal's heading and of holonomic robots, and the filter of the sequence.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from astar import DEAR, Planner

from sbot.controllers.entry import Place
from sbot_common.arrays import Floats
from sbot_common.compiled.jit import njit, njit_inner
from sbot_common.elementary import atan2, exp, hypot, sincos
from sbot_common.observation import Observation

_TEMPERATURE, _GAMMA = 0.3, 0.015
_COLLISION, _CRITICAL, _HIGHEST = 1e6, 300.0, 254.0
_COST, _GOAL, _ALIGN, _FOLLOW, _ANGLE, _FORWARD = 3.81, 5.0, 14.0, 5.0, 2.0, 5.0  # weights
_NEAR_GOAL, _NEAR_PATH = 1.4, 0.5  # m: GoalCritic takes over from the path's critics
_ALIGN_FROM, _FOLLOW_FROM, _ANGLE_FROM = 20, 5, 4  # points of the way
_MOST_ANGLE = 1.0  # rad
_PERIOD = 0.05  # s of a step, in whole ticks


class _Situation(NamedTuple):
    """What the critics look at; lengths are m."""

    pose: tuple[float, float, float]
    goal: tuple[float, float]
    way: Floats  # (P, 2), from the robot to the goal
    others: Floats  # (M, 2)
    prices: Floats  # (R, C), as the planner's
    corner: tuple[float, float]
    cell: float
    radius: float  # of the body
    clearance: float
    dt: float  # s


class Mppi:
    """A* and MPPI.

    Parameters
    ----------
    place : of the robot
    speed, backwards : largest speeds (m/s)
    turn : largest turn rate (rad/s)
    batch, steps : sequences that are tried, and how long they are
    clearance : of the planner (m)

    """

    takes_place = True

    def __init__(self, place: Place | None = None, speed: float = 1.5, backwards: float = 0.35,
                 turn: float = 1.9, batch: int = 400, steps: int = 42,
                 clearance: float = 0.3) -> None:
        assert place is not None
        self._planner, self._clearance = Planner(place, clearance), clearance
        fastest = min(speed, place.body.max_wheel_speed * place.body.wheel_radius)
        self._low, self._high = np.array([-backwards, -turn]), np.array([fastest, turn])
        self._spread = np.array([0.2, 0.4])  # m/s, rad/s
        self._plan, self._noises = np.zeros((steps, 2)), np.zeros((0, steps, 2))
        self._batch, self._command = batch, (0.0, 0.0)

    def step(self, observation: Observation, rng: np.random.Generator) -> tuple[float, float]:
        """Return (vx in m/s, omega in rad/s)."""
        pose, stride = observation.poses[observation.robot_id], max(
            1, round(_PERIOD / observation.dt))
        if observation.goal is None or not np.isfinite(pose).all():
            return 0.0, 0.0
        if not len(self._noises):
            self._noises = self._spread * rng.standard_normal((self._batch, *self._plan.shape))
        if observation.tick % stride == 0:
            way = self._planner.way(observation)
            way = way[int(((way - pose[:2]) ** 2).sum(axis=1).argmin()):]
            others = np.delete(observation.poses[:, :2], observation.robot_id, axis=0)
            x, y, yaw = pose.tolist()
            x0, y0 = self._planner.corner.tolist()
            situation = _Situation(
                (x, y, yaw), observation.goal, np.ascontiguousarray(way),
                others[np.isfinite(others).all(axis=1)], self._planner.prices, (x0, y0),
                self._planner.cell, self._planner.radius, self._clearance,
                stride * observation.dt)
            self._plan = _improved(situation, self._plan, self._noises, self._low, self._high,
                                   self._spread)
            self._command = float(self._plan[0, 0]), float(self._plan[0, 1])
            self._plan = np.vstack([self._plan[1:], self._plan[-1:]])
        return self._command


@njit
def _improved(a: _Situation, plan: Floats, noises: Floats, low: Floats, high: Floats,
              spread: Floats) -> Floats:
    """Return the mean (T, 2) of noisy plans (m/s, rad/s), those that cost less counting more."""
    tried = np.minimum(np.maximum(plan + noises, low), high)
    ends, costs = np.empty((len(noises), 2)), np.empty(len(noises))
    tracks = np.empty((*noises.shape[:2], 3))
    for k in range(len(tried)):
        x, y, yaw = a.pose
        cost = 0.0
        for t in range(len(plan)):
            s, c = sincos(yaw)
            x, y = x + tried[k, t, 0] * c * a.dt, y + tried[k, t, 0] * s * a.dt
            yaw += tried[k, t, 1] * a.dt
            tracks[k, t, 0], tracks[k, t, 1], tracks[k, t, 2] = x, y, yaw
            for i in range(2):
                cost += (_GAMMA / (spread[i] * spread[i]) * plan[t, i]
                         * (tried[k, t, i] - plan[t, i]))
        ends[k, 0], ends[k, 1], costs[k] = x, y, cost
    farthest = _farthest(a.way, ends)
    for k in range(len(tried)):
        costs[k] += _cost(a, tracks[k], tried[k], farthest)
    least, whole, mean = costs.min(), 0.0, np.zeros(plan.shape)
    for k in range(len(tried)):
        weight = exp(-(costs[k] - least) / _TEMPERATURE)
        whole += weight
        mean += weight * tried[k]
    return mean / whole


@njit_inner
def _farthest(way: Floats, ends: Floats) -> int:
    """Return the number of the farthest point of a way that is the nearest to one of the ends."""
    farthest = 0
    for k in range(len(ends)):
        near, least = 0, math.inf
        for p in range(len(way)):
            dx, dy = way[p, 0] - ends[k, 0], way[p, 1] - ends[k, 1]
            if dx * dx + dy * dy < least:
                near, least = p, dx * dx + dy * dy
        farthest = max(farthest, near)
    return farthest


@njit_inner
def _place_cost(a: _Situation, x: float, y: float) -> float:
    """Return the cost of a place as in a costmap of Nav2, 0 to 254, inf in collision."""
    row, column = int((y - a.corner[1]) / a.cell), int((x - a.corner[0]) / a.cell)
    if not (0 <= row < a.prices.shape[0] and 0 <= column < a.prices.shape[1]):
        return 0.0
    cost = float(_HIGHEST * (a.prices[row, column] - 1.0) / DEAR)
    for j in range(len(a.others)):
        gap = hypot(x - a.others[j, 0], y - a.others[j, 1]) - 2.0 * a.radius
        if gap <= 0.0:
            return math.inf
        share = max(0.0, 1.0 - gap / a.clearance)
        cost = max(cost, _HIGHEST * share * share)
    return cost


@njit_inner
def _cost(a: _Situation, track: Floats, plan: Floats, farthest: int) -> float:
    """Return what the critics give a track (T, 3)."""
    last, steps = len(a.way) - 1, len(track)
    away = hypot(a.goal[0] - a.pose[0], a.goal[1] - a.pose[1])
    to = a.way[min(last, farthest + _ANGLE_FROM)]
    off = atan2(to[1] - a.pose[1], to[0] - a.pose[0]) - a.pose[2]
    turns = away > _NEAR_PATH and abs(off - 2.0 * math.pi * math.floor(
        off / (2.0 * math.pi) + 0.5)) > _MOST_ANGLE
    aligns = away > _NEAR_PATH and farthest >= _ALIGN_FROM
    repulsion, goal, aside, turned, back, hit, at, gone = 0.0, 0.0, 0.0, 0.0, 0.0, False, 0, 0.0
    for t in range(steps):
        x, y, yaw = track[t]
        place = _place_cost(a, x, y)
        hit |= place == math.inf
        repulsion += _CRITICAL if place >= _HIGHEST - 1.0 else place
        goal += hypot(a.goal[0] - x, a.goal[1] - y)
        gone += abs(plan[t, 0]) * a.dt
        while at < last and gone >= a.cell * (at + 1):
            at += 1
        aside += hypot(a.way[at, 0] - x, a.way[at, 1] - y)
        off = atan2(to[1] - y, to[0] - x) - yaw
        turned += abs(off - 2.0 * math.pi * math.floor(off / (2.0 * math.pi) + 0.5))
        back += max(0.0, -plan[t, 0]) * a.dt
    to = a.way[min(last, farthest + _FOLLOW_FROM)]
    cost = _COLLISION * hit + _COST / _HIGHEST * (0.0 if hit else repulsion / steps)
    cost += _ANGLE * turned / steps * turns + _ALIGN * aside / steps * aligns
    cost += _FORWARD * back * (away > _NEAR_PATH)
    if away < _NEAR_GOAL:
        return cost + _GOAL * goal / steps
    return cost + _FOLLOW * hypot(to[0] - track[-1, 0], to[1] - track[-1, 1])
