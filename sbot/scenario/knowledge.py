# SPDX-License-Identifier: Apache-2.0
"""Knowledge of poses: noise, delay, range and line of sight, applied before the controller.

In runs, nodes and replays controllers are made by ``controllers.make_controller``; there
``_WithKnowledge`` is put before a controller whose scenario limits what is known. Noise is a
function of
seed, robot and tick, delays count ticks, and who is in sight follows from the poses that are sent:
so all of them agree bit for bit.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Annotated, Any, NamedTuple

import numpy as np

from sbot_common.arrays import Floats
from sbot_common.compiled.jit import njit
from sbot_common.observation import Controller, GoalKeeper, Observation
from sbot_common.params import Param
from sbot_common.random import KNOWLEDGE
from sbot_common.random.numbers import fill_normals
from sbot_sim.dynamics.motion import wrap_yaw
from sbot_sim.world.scene import Scene, blocked

_ROOM = 4  # numbers that are drawn at once


class Knowledge(NamedTuple):
    """The group ``knowledge``; compiled functions accept it whole."""

    pose_noise_std: Annotated[float, Param(
        'm', "Standard deviation of the noise of a robot's own x and y.", minimum=0.0)] = 0.0
    pose_yaw_noise_std: Annotated[float, Param(
        'rad', 'Standard deviation of the noise of its own yaw.', minimum=0.0)] = 0.0
    pose_delay: Annotated[float, Param(
        's', 'Age of its own pose, in whole ticks.', minimum=0.0, maximum=60.0)] = 0.0
    others_noise_std: Annotated[float, Param(
        'm', "Standard deviation of the noise of other robots' x and y.", minimum=0.0)] = 0.0
    others_yaw_noise_std: Annotated[float, Param(
        'rad', "Standard deviation of the noise of other robots' yaw.", minimum=0.0)] = 0.0
    others_delay: Annotated[float, Param(
        's', "Age of other robots' poses, in whole ticks.", minimum=0.0, maximum=60.0)] = 0.0
    others_range: Annotated[float, Param(
        'm', 'Largest distance between centres at which other robots are known; 0: no limit.',
        minimum=0.0)] = 0.0
    others_in_sight: Annotated[bool, Param(
        '', 'Other robots are known only if no wall or obstacle is between them. Moving '
        'obstacles, boxes and robots do not hide them.')] = False

    def ages(self, dt: float) -> tuple[int, int]:
        """Return the ages of a robot's own pose and of others' poses in ticks of ``dt`` (s)."""
        own, others = (int(delay / dt + 0.5)
                       for delay in (self.pose_delay, self.others_delay))
        return own, others


EXACT = Knowledge()


class _WithKnowledge:
    """A controller with inexact poses, as its robot knows them; unknown robots have NaN.

    Parameters
    ----------
    controller : whose turns these are
    knowledge : what is known
    robot_id, seed : of the noise
    walls : what hides others, from ``Scene.of_walls``

    """

    def __init__(self, controller: Controller, knowledge: Knowledge, robot_id: int, seed: int,
                 walls: Scene) -> None:
        self._controller, self._knowledge = controller, knowledge
        self._robot_id, self._seed, self._walls = robot_id, seed, walls
        self._past: deque[tuple[int, Floats]] = deque()  # tick and poses, the oldest first

    def step(self, observation: Observation, rng: np.random.Generator) -> Any:  # noqa: ANN401
        """Return the controller's command for the known poses."""
        return self._controller.step(self.known(observation), rng)

    def known(self, observation: Observation) -> Observation:
        """Return what the robot knows of an observation."""
        poses = self._known_poses(observation)
        poses.flags.writeable = False
        return observation._replace(poses=poses)

    def _known_poses(self, observation: Observation) -> Floats:
        knowledge, tick = self._knowledge, observation.tick
        own, others = knowledge.ages(observation.dt)
        if self._past and tick < self._past[-1][0]:  # time began anew
            self._past.clear()
        self._past.append((tick, observation.poses.copy()))
        poses = np.array(self._poses_at(tick - others))
        known_to(knowledge, self._robot_id, self._seed, tick, self._walls,
                 self._poses_at(tick - own)[self._robot_id].copy(), poses)
        while len(self._past) > 1 and self._past[1][0] <= tick - max(own, others):
            self._past.popleft()
        return poses

    def _poses_at(self, tick: int) -> Floats:
        """Return the newest poses that are not newer than a tick; the first ones before that."""
        return next((poses for then, poses in reversed(self._past) if then <= tick),
                    self._past[0][1])

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        if name.startswith('_'):  # of a copy that is being made
            raise AttributeError(name)
        return getattr(self._controller, name)


class _GoalKeeperWithKnowledge(_WithKnowledge):
    """The same of a controller that keeps its own goal (``observation.GoalKeeper``)."""

    _controller: Any

    goals = property(lambda self: self._controller.goals)
    just_reached = property(lambda self: self._controller.just_reached)
    goal = property(lambda self: self._controller.goal)

    def set_goal(self, x: float, y: float) -> None:
        """Take up the goal (x, y) (m, `map`) at the next step."""
        self._controller.set_goal(x, y)


def bare(controller: Controller) -> Controller:
    """Return the controller itself of one with inexact poses."""
    return controller._controller if isinstance(controller, _WithKnowledge) else controller


def as_known(controller: Controller, observation: Observation) -> Observation:
    """Return an observation as its controller is given it."""
    return (controller.known(observation) if isinstance(controller, _WithKnowledge)
            else observation)


def with_knowledge(controller: Controller, knowledge: Knowledge, robot_id: int, seed: int,
                   walls: Callable[[], Scene]) -> Controller:
    """Return a controller with its robot's knowledge; the same one if it knows everything."""
    if knowledge == EXACT:
        return controller
    kind = _GoalKeeperWithKnowledge if isinstance(controller, GoalKeeper) else _WithKnowledge
    return kind(controller, knowledge, robot_id, seed, walls())


@njit
def known_to(knowledge: Knowledge, robot: int, seed: int, tick: int, walls: Scene, own: Floats,
             poses: Floats) -> None:
    """Turn poses (N, 3), as they were when others were seen, into those that a robot knows.

    Parameters
    ----------
    knowledge, robot, seed, tick : what is known, and to whom and when
    walls : what hides others where ``knowledge`` says so
    own : (3,) the robot's pose as it was when it found its own
    poses : (N, 3) m, m, rad; changed: NaN for those that are not known

    """
    x, y = poses[robot, 0], poses[robot, 1]
    for j in range(len(poses)):
        if j == robot:
            continue
        dx, dy, reach = poses[j, 0] - x, poses[j, 1] - y, knowledge.others_range
        if (reach > 0.0 and not dx * dx + dy * dy <= reach * reach) or (
                knowledge.others_in_sight and blocked(x, y, poses[j, 0], poses[j, 1], walls)):
            poses[j, 0] = poses[j, 1] = poses[j, 2] = np.nan
    poses[robot, 0], poses[robot, 1], poses[robot, 2] = own[0], own[1], own[2]
    width = 3 * len(poses)
    noise = np.zeros(width + _ROOM)
    if (knowledge.pose_noise_std + knowledge.pose_yaw_noise_std + knowledge.others_noise_std
            + knowledge.others_yaw_noise_std) > 0.0:
        fill_normals(seed, KNOWLEDGE, robot, tick, width, noise)
    for j in range(len(poses)):
        place, turn = knowledge.others_noise_std, knowledge.others_yaw_noise_std
        if j == robot:
            place, turn = knowledge.pose_noise_std, knowledge.pose_yaw_noise_std
        poses[j, 0] += place * noise[3 * j]
        poses[j, 1] += place * noise[3 * j + 1]
        if turn > 0.0:
            poses[j, 2] = wrap_yaw(poses[j, 2] + turn * noise[3 * j + 2])
