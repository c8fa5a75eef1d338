# SPDX-License-Identifier: Apache-2.0
"""Controllers of a scenario's robots: parameters, what they observe, and how they are made."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from sbot.controllers.entry import Place, Sources
from sbot.controllers.registry import NONE, entry_of
from sbot.controllers.shipped import EXTERNAL, NO_TRIGGER
from sbot.scenario.groups import ControllerParameters
from sbot.scenario.knowledge import with_knowledge
from sbot.scenario.model import Robot, Scenario
from sbot_common.clock import NANOSECONDS
from sbot_common.errors import InputError, bad_value
from sbot_common.observation import ControlledRobot, Controller
from sbot_common.params import updated
from sbot_common.random import CONTROLLER, TickGenerator
from sbot_sim.ros.external import External
from sbot_sim.sensors.registry import check_name, sensors
from sbot_sim.world.scene import Scene


def controller_parameters(scenario: Scenario, robot: Robot) -> ControllerParameters:
    """Return all parameters of one robot's controller."""
    common = scenario.controllers.get(robot.controller, {})
    if isinstance(common, dict):
        return {**common, **robot.parameters}
    return updated(common, robot.parameters)


def has_leader(scenario: Scenario) -> bool:
    """Tell whether robot 0 leads: whether the controller of another robot follows it."""
    return any(robot.controller != NONE and entry_of(robot.controller).follows(robot)
               for robot in scenario.robots[1:])


def goal_tolerances(scenario: Scenario) -> list[float]:
    """Return how near to its goal (m) each robot has arrived.

    That is the robot's ``goal_tolerance``, else its controller's own, else its body's radius.
    """
    tolerances = []
    for robot in scenario.robots:
        own, body = robot.goal_tolerance, scenario.bodies[robot.body]
        if own is None and robot.controller != NONE:
            entry = entry_of(robot.controller)
            own = entry.tolerance(entry.fitted(controller_parameters(scenario, robot), body))
        tolerances.append(body.radius if own is None else own)
    return tolerances


def controller_place(scenario: Scenario, robot_id: int) -> Place:
    """Return the place (robot and run) that a controller is made for."""
    robot = scenario.robots[robot_id]
    body = scenario.bodies[robot.body]
    laser = scenario.sensors.lasers_of(body)[0]
    return Place(robot_id, body, robot.goal, robot.controller,
                 controller_parameters(scenario, robot),
                 scenario.robots, Sources(scenario.python_path, scenario.given),
                 lambda: scenario.world.arrays(),
                 (laser.laser_x, laser.laser_y, laser.laser_yaw),
                 (scenario.knowledge.pose_delay, scenario.knowledge.others_delay))


def make_controller(scenario: Scenario, robot_id: int) -> Controller | None:
    """Return a controller for one robot, as new; None for ``none``.

    An object that was given from Python is used as it is, after its ``reset()`` if it has one.

    Raises
    ------
    UserCodeError
        if the class, or that method, raises.

    """
    name = scenario.robots[robot_id].controller
    if name == NONE:
        return None
    return with_knowledge(entry_of(name).make(controller_place(scenario, robot_id)),
                          scenario.knowledge, robot_id, scenario.seed,
                          lambda: walls_between(scenario))


def walls_between(scenario: Scenario) -> Scene:
    """Return what hides robots from each other, as far as ``knowledge`` asks for it."""
    hides = scenario.knowledge.others_in_sight
    return Scene.of_walls(scenario.world.arrays() if hides else None)


def observed_fields(scenario: Scenario, robot: Robot) -> list[str]:
    """Return the fields of an ``Observation`` that a robot is given beside poses and goal."""
    fields = entry_of(robot.controller).fields
    if fields is not None:
        return list(fields)
    return [name for name, sensor in sensors().items() if sensor.is_on(scenario.sensors)]


def controlled_robots(scenario: Scenario, robots: Iterable[int]) -> dict[int, ControlledRobot]:
    """Return the robots with a controller by id, in their state at tick 0."""
    made = {}
    for i in robots:
        robot = scenario.robots[i]
        controller = make_controller(scenario, i)
        if controller is not None:
            made[i] = ControlledRobot(i, controller, TickGenerator(scenario.seed, i, CONTROLLER),
                                      robot.goal, scenario.rate,
                                      scenario.bodies[robot.body].is_holonomic, sensors())
    return made


def own_nodes(scenario: Scenario) -> list[int]:
    """Return the robots with ``controller: external``."""
    return [i for i, robot in enumerate(scenario.robots) if robot.controller == EXTERNAL.name]


def external_robots(scenario: Scenario) -> dict[int, External]:
    """Return how the node of each robot with ``controller: external`` takes part, by robot.

    None where the scenario runs by the wall clock: then nobody is waited for.
    """
    found = {}
    for i in own_nodes(scenario) if scenario.lockstep else ():
        trigger, period, timeout = controller_parameters(scenario, scenario.robots[i])
        # rclpy and rclcpp cut a timer's period to whole nanoseconds, too.
        found[i] = External('' if trigger == NO_TRIGGER else trigger, int(period * NANOSECONDS),
                            round(timeout * NANOSECONDS))
    return found


def checked_senses(given: Any, scenario: Scenario) -> list[str]:  # noqa: ANN401
    """Return names of sensors that the robots of a scenario have, each once.

    Raises
    ------
    InputError
        for anything else, a single text among it, and for a sensor that is off.

    """
    if isinstance(given, str | bytes) or not isinstance(given, Collection):
        raise bad_value('sense', given, f"a list of any of {', '.join(sensors())}")
    for name in given:
        check_name('sense', name)
        if not sensors()[name].is_on(scenario.sensors):
            raise InputError(f'sense: {name} needs '
                             f'sensors.{sensors()[name].switch}: true in the scenario')
    return list(dict.fromkeys(given))
