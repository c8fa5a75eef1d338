"""Simulation parameters, poses, wind and controllers of a scenario."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from navigate.bot import Navigate
from navigate.parameters import Parameters as NavigateParameters
from potential_field_bot.bot import PotentialField
from potential_field_bot.parameters import Parameters as PotentialFieldParameters
from sbot.navground.behavior import NavgroundController, is_navground
from sbot.scenario.groups import ControllerParameters
from sbot.scenario.model import Robot, Scenario
from sbot.scenario.user_controller import load_class, load_function
from sbot.scenario.world import moving_discs, pushable_boxes, world_arrays
from sbot_common.controlled_robot import ControlledRobot, call_controller
from sbot_common.observation import Controller
from sbot_common.params import updated
from sbot_common.rng import CONTROLLER, generator
from sbot_sim.collision.moving_bodies import make_movers
from sbot_sim.dynamics.hooks import HookNames, Hooks
from sbot_sim.engine.parameters import SimulationParameters, make_simulation_parameters
from sbot_sim.messages.broadcast import BroadcastOptions
from sbot_sim.sensors.infrared.sensor import make_infrared_parameters
from sbot_sim.sensors.rectangles import make_rectangles
from sbot_sim.sensors.scan import make_scan_parameters
from sbot_sim.world.bodies import Body, body_arrays
from wind_model.field import load_field
from wind_model.grid import Lattice
from wind_model.parameters import STILL, WindParameters
from wind_model.turbulence import Waves, make_waves
from wind_model.wind_aware import WindAware, WindAwareParameters


class WindSource(NamedTuple):
    """Where the wind of a run comes from."""

    parameters: WindParameters
    field: Lattice | None


def robot_bodies(scenario: Scenario) -> list[Body]:
    """Return each robot's body."""
    return [scenario.bodies[robot.body] for robot in scenario.robots]


def simulation_parameters(scenario: Scenario, threads: int = 1) -> SimulationParameters:
    """Return the simulator's parameters; ``threads`` changes no bit of what it computes."""
    sensors, wind = scenario.sensors, scenario.wind
    boxes = pushable_boxes(scenario.world)
    return make_simulation_parameters(
        dt=scenario.rate.dt, bodies=body_arrays(robot_bodies(scenario)),
        world=world_arrays(scenario.world), scan=make_scan_parameters(sensors.scan),
        infrared=make_infrared_parameters(sensors.infrared), **sensors.rab._asdict(),
        odometry=sensors.odometry, wake=wind.wakes,
        wind_height=wind.flow.height if wind.flow.height.above_terrain else wind.flow.wind_height,
        threads=threads, waves=make_turbulence(scenario),
        imu=sensors.imu if sensors.imu.imu else None,
        gnss=sensors.gnss if sensors.gnss.gnss else None,
        moving=moving_discs(scenario.world, scenario.rate),
        boxes=boxes, movers=make_movers(robot_bodies(scenario)),
        all_movers=boxes and make_movers(robot_bodies(scenario), boxes.bodies),
        rectangles=make_rectangles(robot_bodies(scenario)),
        hooks=load_hooks(wind.hooks, scenario.python_path))


def make_turbulence(scenario: Scenario, seed: int | None = None) -> Waves | None:
    """Return the waves of a scenario's turbulence; None where there is none.

    ``seed``: another than the scenario's.
    """
    parameters = scenario.wind.turbulence
    if parameters.turbulence == STILL:
        return None
    return make_waves(parameters, scenario.seed if seed is None else seed,
                      len(scenario.robots))


def load_hooks(names: HookNames, python_path: Iterable[str],
               where: Callable[[str], str] = 'wind.{}'.format) -> Hooks:
    """Return the user's functions in the impulse pipeline.

    Raises
    ------
    InputError
        if one cannot be imported.

    """
    found = [load_function(name, python_path, where(key)) if name else None
             for key, name in names._asdict().items()]
    return Hooks(*found)


def initial_poses(scenario: Scenario) -> NDArray[np.float64]:
    """Return (N, 3) x, y (m), yaw (rad)."""
    return np.array([robot.pose for robot in scenario.robots], dtype=np.float64)


def wind_source(scenario: Scenario) -> WindSource:
    """Return the wind's parameters and grid, the file read."""
    parameters = scenario.wind.flow
    return WindSource(parameters, load_field(parameters))


def broadcast_options(scenario: Scenario) -> BroadcastOptions:
    """Return what a run's messages depend on beside the simulator's parameters."""
    return BroadcastOptions(scenario.to_yaml(), [robot.goal for robot in scenario.robots],
                            tf_namespaced=scenario.tf_namespaced,
                            poses_topic=scenario.poses_topic,
                            cmd_vel_stamped=scenario.cmd_vel_stamped,
                            gust=scenario.wind.flow.wind_gust_speed_mean > 0)


def controller_parameters(scenario: Scenario, robot: Robot) -> ControllerParameters:
    """Return all parameters of one robot's controller."""
    common = scenario.controllers.get(robot.controller, {})
    if isinstance(common, dict):
        return {**common, **robot.parameters}
    return updated(common, robot.parameters)


def goal_tolerances(scenario: Scenario) -> list[float]:
    """Return how near to its goal (m) each robot has arrived.

    That is the robot's ``goal_tolerance``, else its controller's own, else its body's radius.
    """
    tolerances = []
    for robot, body in zip(scenario.robots, robot_bodies(scenario), strict=True):
        parameters = controller_parameters(scenario, robot)
        own = body.radius
        if robot.goal_tolerance is not None:
            own = robot.goal_tolerance
        elif isinstance(parameters, PotentialFieldParameters):
            own = parameters.goal_radius_sigma_m
        elif isinstance(parameters, NavigateParameters | WindAwareParameters):
            own = parameters.goal_tolerance
        tolerances.append(own)
    return tolerances


def make_controller(scenario: Scenario, robot: Robot) -> Controller | None:
    """Return a controller for one robot, as new; None for ``none``.

    An object that was given from Python is used as it is, after its ``reset()`` if it has one.

    Raises
    ------
    ControllerError
        if the class, or that method, raises.

    """
    if robot.controller == 'none':
        return None
    parameters = controller_parameters(scenario, robot)
    if isinstance(parameters, PotentialFieldParameters):
        return PotentialField(goal=robot.goal, parameters=parameters)
    if isinstance(parameters, NavigateParameters):
        return Navigate(parameters, navigating_followers(scenario))
    if isinstance(parameters, WindAwareParameters):
        return WindAware(parameters)
    if is_navground(robot.controller):
        return NavgroundController(robot.controller, scenario.bodies[robot.body], parameters)
    given = scenario.given.get(robot.controller)
    if given is not None and not isinstance(given, type):
        if callable(reset := getattr(given, 'reset', None)):
            call_controller(reset, lambda: f'{_where(scenario, robot)}.reset()')
        return given  # type: ignore[no-any-return]
    make = load_class(robot.controller, scenario.python_path) if given is None else given
    made: Controller = call_controller(partial(make, **parameters),
                                       lambda: f'{_where(scenario, robot)}()')
    return made


def _where(scenario: Scenario, robot: Robot) -> str:
    """Return a robot and the class of its controller in words."""
    number = next(i for i, each in enumerate(scenario.robots) if each is robot)
    return f'robot {number}: {robot.controller.partition(":")[2]}'


def navigating_followers(scenario: Scenario) -> list[int]:
    """Return the ids of the robots that follow robot 0 with ``navigate``: those without a goal."""
    return [i for i, robot in enumerate(scenario.robots)
            if i > 0 and robot.controller == 'navigate' and robot.goal is None]


def observed_fields(scenario: Scenario, robot: Robot) -> list[str]:
    """Return the fields of an ``Observation`` that a robot is given beside poses and goal."""
    if robot.controller == 'potential_field':
        return ['scan']
    if robot.controller == 'navigate' or is_navground(robot.controller):
        return ['twist', 'scan']
    sensors = scenario.sensors
    return (['twist', 'scan', 'wind'] + ['odometry'] * (':' in robot.controller)
            + ['imu'] * (':' in robot.controller and sensors.imu.imu)
            + ['gnss'] * (':' in robot.controller and sensors.gnss.gnss)
            + ['infrared'] * sensors.infrared.infrared
            + ['neighbours'] * sensors.rab.range_and_bearing)


def controlled_robots(scenario: Scenario, robots: Iterable[int]) -> dict[int, ControlledRobot]:
    """Return by id those of some robots that have a controller, as they are at tick 0."""
    made = {}
    for i in robots:
        robot = scenario.robots[i]
        controller = make_controller(scenario, robot)
        if controller is not None:
            made[i] = ControlledRobot(i, controller, generator(scenario.seed, i, CONTROLLER),
                                      robot.goal, scenario.rate,
                                      scenario.bodies[robot.body].is_holonomic)
    return made
