"""Compilation of all numeric functions ahead of a run."""

from __future__ import annotations

import gc
import os
import subprocess
from typing import TYPE_CHECKING

import numpy as np

from sbot.environment.child_python import python_command
from sbot_common.compiled.cache import is_warm, mark_warm
from sbot_common.compiled.notice import compilation_announced, print_to_stderr

if TYPE_CHECKING:
    from sbot.scenario.model import Scenario

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


_COMPILING = ('Compiling the numeric functions; only the first run after an installation does '
              'this (one or two minutes) ...')


def warm_up(quiet: bool = False) -> None:
    """Compile all numeric functions that are not in the cache; print a line, as it takes time."""
    if is_warm():
        return
    collecting = gc.isenabled()
    gc.disable()  # a compiler makes millions of objects, garbage collection a tenth of its time
    other = None
    try:
        with compilation_announced(_COMPILING, (lambda _: None) if quiet else print_to_stderr):
            other = _start_other_half()
            _compile_senses_and_controllers()
            if other is not None:
                other.wait()
            # Whole runs: functions missed above; those of either half are read from the cache.
            from sbot.runner.loop import run_scenario
            for scenario in _scenarios():
                run_scenario(scenario, keep=False)
    finally:
        if other is not None and other.poll() is None:  # a signal may have come for this one only
            other.terminate()
            other.wait()
        if collecting:
            gc.enable()
    mark_warm()


def _start_other_half() -> subprocess.Popen[bytes] | None:
    """Compile motion and collisions in another process, if there is a processor for it."""
    if (os.cpu_count() or 1) < 2:
        return None
    command = python_command('from sbot.runner.warm_up import compile_motion; compile_motion()')
    try:
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL)
    except OSError:
        return None


def _scenarios() -> list[Scenario]:
    """Return scenarios that together use every compiled function."""
    from pathlib import Path

    from sbot.scenario.load import parse_scenario
    batch = {'robots': [{'pose': [4.0, 4.0, 0.0], 'goal': [5.0, 5.0]},
                        {'count': 9, 'layout': 'grid', 'area': [0.0, 0.0, 3.5, 3.5]}],
             'sensors.range_and_bearing': False}
    shapes = {'robots': [{'pose': [4.0, 4.0, 0.0], 'body': 'cart', 'controller': 'none'},
                         {'pose': [2.0, 2.0, 0.0], 'controller': 'none'}],
              'bodies': {'cart': {'length': 0.8, 'width': 0.4}},
              'world.polygons': [{'corners': [[1.0, 6.0], [2.0, 6.0], [1.0, 7.0]]}]}
    return [parse_scenario(_SCENARIO, 'warm_up', Path.cwd(), overrides=overrides)
            for overrides in ({}, batch, shapes)]


def compile_motion() -> None:
    """Compile what a step does between the senses of two ticks, wakes apart: half of the work."""
    from sbot.scenario.assemble import initial_poses, simulation_parameters
    from sbot_sim.engine.simulation import Engine
    from sbot_sim.engine.state import StepInputs, Wind
    gc.disable()
    scenario = _scenarios()[0]
    parameters = simulation_parameters(scenario)
    still = parameters._replace(
        sensors=parameters.sensors._replace(infrared=None),
        wake=parameters.wake._replace(wake=False))
    engine = Engine(still, initial_poses(scenario), 0)
    wind = Wind(np.array([0.1, 0.0, 0.0]), np.zeros(3))
    engine.advance(StepInputs(np.zeros((len(scenario.robots), 3)), wind, engine.state.rab_data))


def _compile_senses_and_controllers() -> None:
    """Compile what happens at the start of a tick, and wakes."""
    from navigate.bot import warm_up as warm_up_navigate
    from potential_field_bot.bot import warm_up as warm_up_controller
    from sbot.runner.controller_set import ControllerSet
    from sbot.scenario.assemble import initial_poses, simulation_parameters
    from sbot_sim.engine.simulation import Engine
    from sbot_sim.engine.step import hear, wake_reductions
    warm_up_controller()
    warm_up_navigate()
    for scenario in _scenarios():
        parameters = simulation_parameters(scenario)
        engine = Engine(parameters, initial_poses(scenario), scenario.seed)
        wake_reductions(parameters, engine.state, np.zeros((len(scenario.robots), 2)),
                        hear(parameters, engine.state.pose))
        ControllerSet(scenario, parameters.sensors.scan).decide(
            engine.snapshot, scenario.rate.stamp_ns(0))
