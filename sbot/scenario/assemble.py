# SPDX-License-Identifier: Apache-2.0
"""Simulation parameters, poses and wind of a scenario."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from sbot.controllers.registry import load_function
from sbot.scenario.fields import COLOURS
from sbot.scenario.model import Scenario, Zone
from sbot_common.arrays import Floats
from sbot_sim.dynamics.hooks import HookNames, Hooks
from sbot_sim.dynamics.inertia import Inertia
from sbot_sim.sensors.laser import Lasers
from sbot_sim.sensors.registry import sensors as all_sensors
from sbot_sim.world.bodies import Body, BodyArrays
from sbot_sim.worlds.parameters import Senses, SimulationParameters
from wind_model.gust import Waves, WindSource, load_field
from wind_model.parameters import STILL


def robot_bodies(scenario: Scenario) -> list[Body]:
    """Return each robot's body."""
    return [scenario.bodies[robot.body] for robot in scenario.robots]


def _make_inertia(bodies: Sequence[Body], dt: float) -> Inertia | None:
    """Return the limits of robots; None where no body has any.

    Parameters
    ----------
    bodies : of N robots
    dt : s, of a tick; delays are rounded to whole ticks

    """
    def column(values: Sequence[float]) -> Floats:
        return np.array([value if value > 0.0 else math.inf for value in values])

    delay = np.array([int(body.command_delay / dt + 0.5) for body in bodies], np.int64)
    acceleration = column([body.max_acceleration for body in bodies])
    deceleration = column([body.max_deceleration or body.max_acceleration for body in bodies])
    angular = column([body.max_angular_acceleration for body in bodies])
    limits = (acceleration, deceleration, angular, column([body.max_speed for body in bodies]),
              column([body.max_angular_speed for body in bodies]))
    limited = (delay > 0) | np.isfinite(limits).any(axis=0)
    if not limited.any():
        return None
    return Inertia(*limits, delay, limited)


def simulation_parameters(scenario: Scenario, threads: int = 1) -> SimulationParameters:
    """Return the simulator's parameters; ``threads`` changes no bit of the result."""
    sensors, wind, robots = scenario.sensors, scenario.wind, robot_bodies(scenario)
    of_body = {name: tuple(laser.parameters() for laser in sensors.lasers_of(body))
               for name, body in scenario.bodies.items()}
    noise = {name: sensors.of(body).odometry for name, body in scenario.bodies.items()}
    senses = Senses(
        Lasers.pack([of_body[robot.body] for robot in scenario.robots]),
        sensors.infrared.parameters(), sensors.neighbours, threads,
        {name: getattr(sensors, name) for name, sensor in all_sensors().items()
         if sensor.kernel is not None and sensor.is_on(sensors)})
    return SimulationParameters.make(
        dt=scenario.rate.dt, bodies=BodyArrays.of(robots, scenario.world.box_bodies()),
        world=scenario.world.arrays(), senses=senses,
        odometry=[noise[robot.body] for robot in scenario.robots], wake=wind.wakes,
        wind_height=wind.flow.height if wind.flow.height.above_terrain else wind.flow.wind_height,
        waves=make_turbulence(scenario), paths=scenario.world.paths(scenario.rate),
        boxes=scenario.world.box_poses() if scenario.world.boxes else None,
        inertia=_make_inertia(robots, scenario.rate.dt),
        hooks=_load_hooks(wind.hooks, scenario.python_path))


def make_turbulence(scenario: Scenario, seed: int | None = None) -> Waves | None:
    """Return the waves of a scenario's turbulence; None where there is none.

    ``seed``: another than the scenario's.
    """
    parameters = scenario.wind.turbulence
    if parameters.turbulence == STILL:
        return None
    return Waves.draw(parameters, scenario.seed if seed is None else seed,
                      len(scenario.robots))


def _load_hooks(names: HookNames, python_path: Iterable[str]) -> Hooks:
    """Return the user's functions in the impulse pipeline.

    Raises
    ------
    InputError
        if one cannot be imported.

    """
    found = [load_function(name, python_path, f'wind.{key}') if name else None
             for key, name in names._asdict().items()]
    return Hooks(*found)


def initial_poses(scenario: Scenario) -> NDArray[np.float64]:
    """Return (N, 3) x, y (m), yaw (rad)."""
    return np.array([robot.pose for robot in scenario.robots], dtype=np.float64)


def wind_source(scenario: Scenario) -> WindSource:
    """Return the wind's parameters and grid, the file read."""
    return WindSource(scenario.wind.flow, load_field(scenario.wind.flow))


def zone_colour(zone: Zone) -> str:
    """Return the colour of a zone as #rrggbb, for light and dark grounds."""
    return COLOURS.get(zone.color, zone.color)
