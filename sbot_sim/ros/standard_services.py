"""Services of simulation_interfaces, the standard that Gazebo, Isaac Sim and O3DE share.

Entities are the robots, by the names 'robot_<i>'. There are as many as the scenario has: spawning
and deleting are answered as not supported.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Generator
from importlib import import_module
from typing import Any

from sbot_common.angles import quaternion_from_yaw, yaw_from_quaternion
from sbot_common.elementary import sincos
from sbot_common.errors import InputError
from sbot_sim.engine.simulation import Engine
from sbot_sim.ros.inbox import Inbox
from sbot_sim.ros.run_control import RunControl

PACKAGE = 'simulation_interfaces'
# Services by name, with the type of each; the handlers below are called alike.
SERVICES = {
    'get_simulator_features': 'GetSimulatorFeatures', 'get_entities': 'GetEntities',
    'get_entity_state': 'GetEntityState', 'get_entities_states': 'GetEntitiesStates',
    'set_entity_state': 'SetEntityState', 'spawn_entity': 'SpawnEntity',
    'delete_entity': 'DeleteEntity', 'reset_simulation': 'ResetSimulation',
    'get_simulation_state': 'GetSimulationState', 'set_simulation_state': 'SetSimulationState',
    'step_simulation': 'StepSimulation'}
_FEATURES = (
    'ENTITY_STATE_GETTING', 'ENTITY_STATE_SETTING', 'SIMULATION_RESET',
    'SIMULATION_STATE_GETTING', 'SIMULATION_STATE_SETTING', 'SIMULATION_STATE_PAUSE',
    'STEP_SIMULATION_SINGLE', 'STEP_SIMULATION_MULTIPLE')
_FRAMES = ('', 'map', 'world')  # of poses
_FIXED = 'the robots of a run are those of its scenario'


class StandardServices:
    """Handlers of the services; each fills a response and returns it.

    Parameters
    ----------
    engine, control, inbox : of the run
    recording : tells whether the run is recorded, and so cannot go back in time
    end : ends the run
    messages : the module ``simulation_interfaces.msg``
    services : the module ``simulation_interfaces.srv``

    """

    def __init__(self, engine: Engine, control: RunControl, inbox: Inbox,
                 recording: Callable[[], bool], end: Callable[[], None], messages: Any,  # noqa: ANN401
                 services: Any) -> None:  # noqa: ANN401
        self._engine, self._control, self._inbox = engine, control, inbox
        self._recording, self._end = recording, end
        self._messages, self._services = messages, services
        self._stopped = False

    def get_simulator_features(self, _: Any, response: Any) -> Any:  # noqa: ANN401
        """List what is supported."""
        kind = self._messages.SimulatorFeatures
        response.features.features = [getattr(kind, name) for name in _FEATURES]
        response.features.custom_info = 'potential_field_bot, docs/ros2.md'
        return response

    # --- entities

    def get_entities(self, request: Any, response: Any) -> Any:  # noqa: ANN401
        """List the robots whose names match the filter."""
        robots = self._filtered(request.filters, response)
        response.entities = [_name(i) for i in robots or ()]
        return response

    def get_entity_state(self, request: Any, response: Any) -> Any:  # noqa: ANN401
        """Tell a robot's ground truth."""
        robot = self._robot(request.entity, response)
        if robot is not None:
            response.state = self._state(robot)
            self._fine(response)
        return response

    def get_entities_states(self, request: Any, response: Any) -> Any:  # noqa: ANN401
        """Tell the ground truth of the robots whose names match the filter."""
        robots = self._filtered(request.filters, response) or []
        response.entities = [_name(i) for i in robots]
        response.states = [self._state(i) for i in robots]
        return response

    def set_entity_state(self, request: Any, response: Any) -> Any:  # noqa: ANN401
        """Put a robot elsewhere before the next tick, if the place is free."""
        robot = self._robot(request.entity, response)
        if robot is None:
            return response
        twist, frame = request.state.twist, request.state.header.frame_id.lstrip('/')
        speeds = (*_numbers(twist.linear), *_numbers(twist.angular))
        if request.set_twist and any(speeds):
            return self._unsupported(response, 'set_twist: robots are commanded by cmd_vel')
        if not request.set_pose:
            return self._fine(response)
        if frame not in _FRAMES:
            return self._answer(response, 'RESULT_OPERATION_FAILED',
                                f"frame: got '{frame}', expected map")
        place, turn = request.state.pose.position, request.state.pose.orientation
        pose = place.x, place.y, yaw_from_quaternion(turn.x, turn.y, turn.z, turn.w)
        invalid = self._services.SetEntityState.Response.INVALID_POSE
        if not all(map(math.isfinite, pose)) or not any((turn.x, turn.y, turn.z, turn.w)):
            return self._coded(response, invalid, f'pose: got {pose}, expected finite numbers')
        try:
            self._engine.check_place(robot, pose)
        except InputError as error:
            return self._coded(response, invalid, str(error))
        self._inbox.teleports[robot] = pose
        return self._fine(response)

    def spawn_entity(self, _: Any, response: Any) -> Any:  # noqa: ANN401
        """Say that robots are not spawned."""
        return self._unsupported(response, f'spawn_entity: {_FIXED}')

    def delete_entity(self, _: Any, response: Any) -> Any:  # noqa: ANN401
        """Say that robots are not deleted."""
        return self._unsupported(response, f'delete_entity: {_FIXED}')

    # --- the simulation

    def reset_simulation(self, request: Any, response: Any) -> Any:  # noqa: ANN401
        """Go back to tick 0: time and state together."""
        kind = self._services.ResetSimulation.Request
        both = kind.SCOPE_TIME | kind.SCOPE_STATE
        if request.scope != kind.SCOPE_DEFAULT and request.scope & both != both:
            return self._unsupported(response, f'scope: got {request.scope}, expected '
                                     f'{kind.SCOPE_ALL}: time and state go back together')
        if self._recording():
            return self._answer(response, 'RESULT_OPERATION_FAILED',
                                'a recording cannot go back in time: stop it first')
        self._stopped = False
        self._control.reset()
        return self._fine(response)

    def get_simulation_state(self, _: Any, response: Any) -> Any:  # noqa: ANN401
        """Tell whether time goes on."""
        response.state.state = self._current()
        return self._fine(response)

    def set_simulation_state(self, request: Any, response: Any) -> Any:  # noqa: ANN401
        """Play, pause, stop (pause at tick 0) or quit."""
        kind, wanted = self._messages.SimulationState, request.state.state
        if wanted == self._current():
            return self._coded(
                response, self._services.SetSimulationState.Response.ALREADY_IN_TARGET_STATE,
                'the simulation is in that state')
        if wanted == kind.STATE_STOPPED:
            if self._recording():
                return self._answer(response, 'RESULT_OPERATION_FAILED',
                                    'a recording cannot go back in time: stop it first')
            self._control.pause(True)
            self._control.reset()
        elif wanted in (kind.STATE_PLAYING, kind.STATE_PAUSED):
            self._control.pause(wanted == kind.STATE_PAUSED)
        elif wanted == kind.STATE_QUITTING:
            self._end()
        else:
            return self._unsupported(response, f'state: got {wanted}, expected 0 to 3')
        self._stopped = wanted == kind.STATE_STOPPED
        return self._fine(response)

    async def step_simulation(self, request: Any, response: Any) -> Any:  # noqa: ANN401
        """Go some ticks on while paused; the answer comes when they are over."""
        if not self._control.paused:
            return self._answer(response, 'RESULT_OPERATION_FAILED',
                                'the simulation is not paused: call set_simulation_state first')
        self._stopped = False
        begin = self._engine.tick
        end = begin + int(request.steps)
        self._control.step(int(request.steps))
        # Another may let time go on meanwhile, or reset it.
        while (self._control.paused and not self._control.is_over
               and begin <= self._engine.tick < end):
            await _Later()
        return self._fine(response)

    # --- parts of them

    def _current(self) -> int:
        kind = self._messages.SimulationState
        if not self._control.paused:
            self._stopped = False
            return int(kind.STATE_PLAYING)
        return int(kind.STATE_STOPPED if self._stopped else kind.STATE_PAUSED)

    def _robot(self, name: str, response: Any) -> int | None:  # noqa: ANN401
        """Return a robot's number; None after an answer that says that there is none."""
        match = re.fullmatch(r'/?robot_(\d{1,6})', name)
        count = len(self._engine.snapshot.true_pose)
        if match is not None and int(match[1]) < count:
            return int(match[1])
        self._answer(response, 'RESULT_NOT_FOUND',
                     f"entity: got '{name}', expected robot_0 to robot_{count - 1}")
        return None

    def _filtered(self, filters: Any, response: Any) -> list[int] | None:  # noqa: ANN401
        """Return the robots of a filter; None after an answer that says what is wrong."""
        if filters.categories or filters.tags.tags or filters.bounds.points:
            self._unsupported(response, 'filters: only names are filtered')
            return None
        try:
            pattern = re.compile(filters.filter)
        except (re.error, RecursionError, OverflowError) as error:
            self._answer(response, 'RESULT_OPERATION_FAILED', f'filter: {error}')
            return None
        self._fine(response)
        return [i for i in range(len(self._engine.snapshot.true_pose))
                if pattern.search(_name(i))]

    def _state(self, robot: int) -> Any:  # noqa: ANN401
        snapshot, state = self._engine.snapshot, self._messages.EntityState()
        x, y, yaw = snapshot.true_pose[robot].tolist()
        forwards, left, turning = snapshot.twist[robot].tolist()
        state.header.frame_id = 'map'
        state.pose.position.x, state.pose.position.y = x, y
        state.pose.orientation.z, state.pose.orientation.w = quaternion_from_yaw(yaw)
        s, c = sincos(yaw)  # the twist is in the frame of the pose here
        state.twist.linear.x, state.twist.linear.y = (
            c * forwards - s * left, s * forwards + c * left)
        state.twist.angular.z = turning
        return state

    def _fine(self, response: Any) -> Any:  # noqa: ANN401
        return self._answer(response, 'RESULT_OK', '')

    def _unsupported(self, response: Any, text: str) -> Any:  # noqa: ANN401
        return self._answer(response, 'RESULT_FEATURE_UNSUPPORTED', text)

    def _answer(self, response: Any, result: str, text: str) -> Any:  # noqa: ANN401
        return self._coded(response, getattr(self._messages.Result, result), text)

    @staticmethod
    def _coded(response: Any, code: int, text: str) -> Any:  # noqa: ANN401
        response.result.result, response.result.error_message = code, text
        return response


class _Later:
    """Awaited once: lets the executor do something else before it looks again."""

    def __await__(self) -> Generator[None, None, None]:
        yield


def _name(robot: int) -> str:
    return f'robot_{robot}'


def _numbers(vector: Any) -> tuple[float, float, float]:  # noqa: ANN401
    return vector.x, vector.y, vector.z


def load_interfaces() -> tuple[Any, Any]:
    """Return the modules of messages and of services of ``simulation_interfaces``.

    Raises
    ------
    InputError
        if they are not installed.

    """
    try:
        return import_module(f'{PACKAGE}.msg'), import_module(f'{PACKAGE}.srv')
    except ImportError:
        raise InputError(f'parameter {PACKAGE} needs the package {PACKAGE}; install it (apt: '
                         'ros-$ROS_DISTRO-simulation-interfaces), or leave it false') from None
