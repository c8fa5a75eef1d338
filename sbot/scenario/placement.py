"""Placement of the robots of a scenario: those with a pose first, groups around them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from sbot.files.yaml_text import KeyPath, Origins
from sbot.scenario.model import Robot, RobotEntry, ScenarioFile
from sbot.scenario.robots.draws import MAX_ROBOTS, draws_heading, turned
from sbot.scenario.robots.groups import place_group
from sbot.scenario.robots.standing import Placed, check_free
from sbot.scenario.world import starting_world
from sbot_common.errors import InputError, bad_value, unknown_name
from sbot_common.random.generators import placement_generator
from sbot_sim.world.bodies import Body
from sbot_sim.world.geometry import World

Array = NDArray[np.float64]


def place_robots(written: ScenarioFile, bodies: Mapping[str, Body], origins: Origins,
                 world: World | None = None) -> tuple[Robot, ...]:
    """Return every robot of a scenario with its pose; ids in the order of the file.

    Robots with a pose stand first, groups are placed around them in the order of the file. The
    ``world`` at the start is made of what is written where it is not given.

    Raises
    ------
    InputError
        for an unknown body, a robot in an obstacle or in another robot, or a group without room.

    """
    entries = written.robots
    starts = np.cumsum([0, *(entry.count or 1 for entry in entries)]).tolist()
    if starts[-1] > MAX_ROBOTS:
        raise bad_value(origins.where(('robots',)), starts[-1], f'at most {MAX_ROBOTS} robots')
    for i, entry in enumerate(entries):
        _check_entry(entry, i, bodies, origins)
    if world is None:
        world = starting_world(written.world)
    placed = Placed([], [], [])
    # Without a draw no generator: a load then does not import NumPy's random numbers.
    poses = {i: [turned(entry, entry.pose, placement_generator(written.seed, starts[i]))
                 if draws_heading(entry) else entry.pose]
             for i, entry in enumerate(entries) if entry.pose is not None}
    for i in poses:
        placed.add([starts[i]], bodies[entries[i].body], poses[i])
    check_free(written.world, world, placed, {starts[i]: ('robots', i, 'pose') for i in poses},
               origins)
    for i, entry in enumerate(entries):
        if entry.count is not None:
            ids = range(starts[i], starts[i + 1])
            path: KeyPath = ('robots', i)
            poses[i] = place_group(entry, path, ids, bodies[entry.body], world, placed,
                                   written, origins)
    return tuple(
        Robot.model_construct(body=entry.body, pose=pose, controller=entry.controller,
                              goal=entry.goal, goal_tolerance=entry.goal_tolerance,
                              parameters=entry.parameters)
        for i, entry in enumerate(entries) for pose in poses[i])


class Placement:
    """Start poses of a scenario by seed, as loading it with that seed gives them.

    Parameters
    ----------
    written : the scenario as it was written, but for files that are found
    bodies : by name
    origins : for errors

    """

    def __init__(self, written: ScenarioFile, bodies: Mapping[str, Body],
                 origins: Origins) -> None:
        self._written, self._bodies, self._origins = written, bodies, origins
        self._world = starting_world(written.world)

    def __call__(self, seed: int) -> Array:
        """Return poses (N, 3) x, y (m), yaw (rad)."""
        written = self._written.model_copy(update={'seed': seed})
        robots = place_robots(written, self._bodies, self._origins, self._world)
        return np.array([robot.pose for robot in robots], np.float64)


def _check_entry(entry: RobotEntry, i: int, bodies: Mapping[str, Body], origins: Origins) -> None:
    path: KeyPath = ('robots', i)
    if entry.body not in bodies:
        raise unknown_name(origins.where((*path, 'body')), entry.body, bodies)
    if (entry.pose is None) == (entry.count is None):
        raise InputError(f"{origins.where(path)}: got {'both' if entry.pose else 'neither'} of "
                         "'pose' (one robot) and 'count' (many), expected one")
    if entry.count is None:
        for key in ('area', 'layout', 'yaw', 'position_gaussian'):
            if getattr(entry, key) is not None:
                raise InputError(f"{origins.where((*path, key))}: needs 'count'; the "
                                 "heading of one robot is the third number of its 'pose'")
    headings = [key for key in ('yaw', 'yaw_uniform', 'yaw_gaussian')
                if getattr(entry, key) is not None]
    if len(headings) > 1:
        raise InputError(f"{origins.where((*path, headings[1]))}: cannot be combined with "
                         f"'{headings[0]}'")
    if entry.position_gaussian is not None and (entry.area or entry.layout == 'grid'):
        raise InputError(f"{origins.where((*path, 'position_gaussian'))}: cannot be combined "
                         "with 'area' or layout: grid")
