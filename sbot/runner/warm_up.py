# SPDX-License-Identifier: Apache-2.0
"""Compilation ahead of a run: the functions that a scenario needs, in two processes.

Each compiles the longest phase of the tick that neither has begun, so that both end at about the
same time; the second starts when the first compiles its first function.
The wall time of a run, and what a progress bar shows, are then those of the run alone.
"""

from __future__ import annotations

import contextlib
import gc
import logging
import os
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from sbot.controllers.entry import Entry
from sbot.controllers.registry import NONE, entry_of
from sbot.environment.running import python_command
from sbot.files.limits import TemporaryFolder
from sbot.scenario.assemble import initial_poses, simulation_parameters
from sbot_common.compilation_notice import Expected, silence
from sbot_common.compiled.cache import is_warm, mark_warm
from sbot_common.compiled.lazy import on_compilation
from sbot_sim.collision.detection import FEW
from sbot_sim.dynamics.hooks import HookNames

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sbot.scenario.model import Scenario
    from sbot_sim.worlds.parameters import SimulationParameters

_SCENARIO = """
name: warm_up
duration: 0.1
world: {bounds: [0, 0, 8, 8], circles: [{center: [6, 6], radius: 0.5}],
        rectangles: [{center: [6, 2], size: [1, 1]}]}
robots:
  - {pose: [2, 2, 0], goal: [7, 4]}
  - {pose: [2, 4, 0]}
  - {body: s-bot, pose: [4, 4, 0]}
sensors: {infrared: true, range_and_bearing: true, scan_sees_robots: true, scan_noise_std: 0.01,
          odometry_noise_slip: 0.01}
wind: {wind_speed_mean: 0.1, wake: true, turbulence: place}
"""


_ONE, _ALL = Expected(27, 15.0), Expected(51, 25.0)  # scenario; a core of 2026
_COUNT, _DRAWS = 'count', 'draws'
# Phases that take a second or more to compile, the longest first (seconds measured one by one).
_LONGEST = ('_scan', 'resolve_overlaps', 'resolve_overlaps_of_shapes',
            'resolve_overlaps_among_moving', '_read_infrared', '_scan_rectangles',
            '_measure_odometry', _DRAWS, 'sum_impulses', '_begin', _COUNT, 'propose')
_MOST_ROBOTS = FEW + 1  # robots: the functions of many are compiled, and nothing takes long


def warm_up(scenario: Scenario | None = None, quiet: bool = False) -> None:
    """Compile functions that are not in the cache; show the progress on stderr.

    Parameters
    ----------
    scenario : what it needs; None: what all of them need
    quiet : print nothing, and nothing of what this process compiles later

    """
    wanted = _samples() if scenario is None else [_silent(scenario)]
    key = '' if scenario is None else _kind(wanted[0])
    if quiet:
        silence()
    if is_warm(key):
        return
    logger = logging.getLogger('sbot')
    level, collecting = logger.level, gc.isenabled()
    gc.disable()  # a compiler makes millions of objects, garbage collection a tenth of its time
    others: list[subprocess.Popen[bytes]] = []
    with TemporaryFolder('compile') as claims:
        def share(_: str) -> None:
            """Start the other process once something is compiled."""
            if not others:
                others.extend(_start_other_half(wanted, claims))
        try:
            with (_ALL if scenario is None else _ONE).announced(), on_compilation(share):
                _compile_unclaimed(enumerate(_tasks(wanted)), claims)
                for other in others:
                    other.wait()
                # Whole runs: functions missed above; those of either half come from the cache.
                from sbot.runner.loop import run_scenario
                logger.setLevel(logging.ERROR)  # the run itself gives the warnings
                for each in wanted:
                    run_scenario(each, keep=False)
        finally:
            logger.setLevel(level)
            for other in others:
                if other.poll() is None:  # a signal may have come for this process only
                    other.terminate()
                    other.wait()
            if collecting:
                gc.enable()
    mark_warm(key)


def _silent(scenario: Scenario) -> Scenario:
    """Return a tick of a scenario with few robots and without any code of the user's."""
    robots = tuple(robot if robot.controller != NONE and _is_ours(entry_of(robot.controller))
                   else replace(robot, controller=NONE, parameters={})
                   for robot in scenario.robots[:_MOST_ROBOTS])
    return replace(scenario, robots=robots, duration=scenario.rate.dt, until=None,
                   wind=scenario.wind._replace(hooks=HookNames()))


def _is_ours(entry: Entry) -> bool:
    """Tell whether a turn of a controller runs none of a user's code, also from a file."""
    return entry.may_preload and not entry.programs


def _kind(scenario: Scenario) -> str:
    """Return what tells which functions a scenario needs; poses, goals and seeds do not."""
    return repr((sorted({robot.controller for robot in scenario.robots}), len(scenario.robots),
                 scenario.bodies, scenario.sensors, scenario.wind,
                 [name for name, value in vars(scenario.world).items() if value]))


def _start_other_half(wanted: list[Scenario], claims: str) -> list[subprocess.Popen[bytes]]:
    """Compile in another process, too, if there is a processor for it.

    A controller of a class within a function cannot be sent there: this process compiles all.
    """
    if (os.cpu_count() or 1) < 2:
        return []
    command = python_command(
        'from sbot.runner.warm_up import _compile_other_half as half; half()', claims)
    unsendable = (pickle.PicklingError, AttributeError, TypeError)
    with tempfile.TemporaryFile() as file, contextlib.suppress(OSError, *unsendable):
        pickle.dump(wanted, file)
        file.seek(0)
        return [subprocess.Popen(command, stdin=file, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL)]
    return []


def _samples() -> list[Scenario]:
    """Return scenarios that together use every compiled function."""
    from sbot.scenario.load import parse_scenario
    batch = {'robots': [{'pose': [4.0, 4.0, 0.0], 'goal': [5.0, 5.0]},
                        {'count': 9, 'layout': 'grid', 'area': [0.0, 0.0, 3.5, 3.5]}],
             'world.moving': [{'radius': 0.2, 'path': [[1.0, 7.0], [3.0, 7.0]], 'speed': 0.1}],
             'sensors.range_and_bearing': False}
    shapes = {'robots': [{'pose': [4.0, 4.0, 0.0], 'body': 'cart', 'controller': 'none'},
                         {'pose': [2.0, 2.0, 0.0], 'controller': 'none'}],
              'bodies': {'cart': {'length': 0.8, 'width': 0.4}},
              'world.polygons': [{'corners': [[1.0, 6.0], [2.0, 6.0], [1.0, 7.0]]}]}
    return [parse_scenario(_SCENARIO, 'warm_up', Path.cwd(), overrides=overrides)
            for overrides in ({}, batch, shapes)]


def _compile_other_half() -> None:
    """Compile the functions that the parent process has not reached yet.

    Scenarios come on standard input, the folder of claims is the argument.
    """
    gc.disable()
    wanted = pickle.load(sys.stdin.buffer)
    # These need no tables of the world, which the other process is compiling functions for.
    for name in _controllers(wanted):
        entry_of(name).warm_up()
    _compile_unclaimed(enumerate(_tasks(wanted)), sys.argv[1])


def _controllers(wanted: list[Scenario]) -> list[str]:
    return list(dict.fromkeys(robot.controller for scenario in wanted
                              for robot in scenario.robots if robot.controller != NONE))


def _tasks(wanted: list[Scenario]) -> list[Callable[[], object]]:
    """Return what compiles a phase of a tick or the summary's part each, the longest first."""
    from sbot_sim.engine.simulation import world_of
    from sbot_sim.worlds.state import Phase
    tasks: list[tuple[int, Callable[[], object]]] = []
    seen: set[str] = set()

    def add(name: str, task: Callable[[], object]) -> None:
        # A phase of one scenario is that of another, too: two processes must not begin both.
        rank = _LONGEST.index(name) if name in _LONGEST else len(_LONGEST)
        tasks.append((len(_LONGEST) + 1 if name in seen else rank, task))
        seen.add(name)
    for scenario in wanted:
        parameters = simulation_parameters(scenario)
        world = world_of(parameters)
        tick, setting = world.tick, world.setting
        phases = dict.fromkeys((*tick.beginning(setting), *tick.sensing_wind(setting),
                                *tick.advancing(setting)))
        for phase in phases:
            if isinstance(phase, Phase):
                add(phase.function.__name__, partial(world.program, [phase]))
        if any(entry_of(name).batch for name in _controllers([scenario])):
            add(_DRAWS, _compile_draws)
        add(_COUNT, partial(_compile_count, parameters, initial_poses(scenario)))
    return [task for _, task in sorted(tasks, key=lambda ranked: ranked[0])]


def _compile_draws() -> None:
    """Compile what draws the numbers of controllers that take their turns together."""
    from sbot_common.random import CONTROLLER
    from sbot_common.random.numbers import uniforms
    uniforms(0, CONTROLLER, np.zeros(1, np.int64), 0, 1)


def _compile_count(parameters: SimulationParameters, poses: NDArray[np.float64]) -> None:
    """Compile what counts overlaps for the summary."""
    from sbot_sim.collision.overlap import overlaps
    overlaps(*parameters.all_bodies(None, None, poses))


def _compile_unclaimed(tasks: Iterable[tuple[int, Callable[[], object]]], claims: str) -> None:
    """Do the tasks, by number, that no other process has claimed in the folder ``claims``."""
    for number, task in tasks:
        try:
            Path(claims, str(number)).touch(exist_ok=False)
        except FileExistsError:
            continue
        task()
