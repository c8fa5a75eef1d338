"""Services of simulation_interfaces, the standard that Gazebo, Isaac Sim and O3DE share.

Entities are the robots, by the names 'robot_<i>', of which there are as many as the scenario has,
and obstacles that were spawned.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Generator
from importlib import import_module
from itertools import count
from typing import Any

from sbot_common.angles import quaternion_from_yaw, yaw_from_quaternion
from sbot_common.elementary import sincos
from sbot_common.errors import InputError
from sbot_sim.engine.simulation import Engine
from sbot_sim.ros.inbox import Inbox
from sbot_sim.ros.run_control import RunControl
from sbot_sim.ros.spawned import (
    FORMATS,
    Refused,
    Shape,
    Spawned,
    SpawnedObstacles,
    read_shape,
)

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
    'SPAWNING', 'SPAWNING_RESOURCE_STRING', 'DELETING',
    'ENTITY_STATE_GETTING', 'ENTITY_STATE_SETTING', 'SIMULATION_RESET',
    'SIMULATION_STATE_GETTING', 'SIMULATION_STATE_SETTING', 'SIMULATION_STATE_PAUSE',
    'STEP_SIMULATION_SINGLE', 'STEP_SIMULATION_MULTIPLE')
_FRAMES = ('', 'map', 'world')  # of poses
_FIXED = 'the robots of a run are those of its scenario'
_INFO = ('potential_field_bot, docs/ros2.md: obstacles that stand still are spawned, of one box, '
         f'cylinder or sphere; {_FIXED}; time, state and spawned obstacles are reset together')
_RECORDED = 'a recording has the obstacles of its scenario: stop it first'
_NAME = re.compile(r'[A-Za-z][A-Za-z0-9_]{0,31}')
# A search can take exponential time where repeats stand within or beside others.
_MOST_REPEATS, _LONGEST_FILTER = 3, 100
_REPEATED = re.compile(r'\\.|(\)?[*+?{])', re.DOTALL)
_TAKEN = re.compile(r'robot_\d+')  # also of robots that there are not


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
        self._spawned = SpawnedObstacles(engine, inbox)
        self._stopped = False

    def forget_spawned(self) -> None:
        """Note that the engine was reset."""
        self._spawned.by_name = {}

    def get_simulator_features(self, _: Any, response: Any) -> Any:  # noqa: ANN401
        """List the supported features."""
        kind = self._messages.SimulatorFeatures
        response.features.features = [getattr(kind, name) for name in _FEATURES]
        response.features.spawn_formats = list(FORMATS)
        response.features.custom_info = _INFO
        return response

    # --- entities

    def get_entities(self, request: Any, response: Any) -> Any:  # noqa: ANN401
        """List the entities whose names match the filter."""
        response.entities = self._filtered(request.filters, response)
        return response

    def get_entity_state(self, request: Any, response: Any) -> Any:  # noqa: ANN401
        """Tell an entity's ground truth."""
        name = self._known(request.entity, response)
        if name is not None:
            response.state = self._state(name)
            self._fine(response)
        return response

    def get_entities_states(self, request: Any, response: Any) -> Any:  # noqa: ANN401
        """Tell the ground truth of the entities whose names match the filter."""
        response.entities = self._filtered(request.filters, response)
        response.states = [self._state(name) for name in response.entities]
        return response

    def set_entity_state(self, request: Any, response: Any) -> Any:  # noqa: ANN401
        """Put an entity elsewhere, if the place is free: a robot before the next tick."""
        name = self._known(request.entity, response)
        if name is None:
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
        invalid = self._services.SetEntityState.Response.INVALID_POSE
        try:
            pose = _pose(request.state.pose)
            if name in self._spawned.by_name:
                if self._recording():
                    return self._answer(response, 'RESULT_OPERATION_FAILED', _RECORDED)
                self._spawned.put(name, self._spawned.by_name[name]._replace(pose=pose))
            else:
                robot = _number(name)
                self._engine.check_place(robot, pose)
                self._inbox.teleports[robot] = pose
        except InputError as error:
            return self._coded(response, invalid, str(error))
        return self._fine(response)

    def spawn_entity(self, request: Any, response: Any) -> Any:  # noqa: ANN401
        """Put an obstacle into the world; it stands still."""
        if self._recording():
            return self._answer(response, 'RESULT_OPERATION_FAILED', _RECORDED)
        try:
            shape = self._shape(request.entity_resource)
            name = self._free_name(request.name or shape.name, request.allow_renaming)
            frame = request.initial_pose.header.frame_id.lstrip('/')
            if frame not in _FRAMES:
                raise Refused('INVALID_POSE', f"frame: got '{frame}', expected map")
            try:
                self._spawned.put(name, Spawned(shape, _pose(request.initial_pose.pose)))
            except InputError as error:
                raise Refused('INVALID_POSE', str(error)) from None
        except Refused as error:
            code = getattr(self._services.SpawnEntity.Response, error.code)
            return self._coded(response, code, str(error))
        response.entity_name = name
        return self._fine(response)

    def _shape(self, resource: Any) -> Shape:  # noqa: ANN401
        if resource.uri:
            raise Refused('UNSUPPORTED_FORMAT',
                          f"uri: got '{resource.uri}', expected a resource_string of SDF or URDF")
        if not resource.resource_string:
            raise Refused('NO_RESOURCE', 'resource_string: got nothing, expected SDF or URDF')
        return read_shape(resource.resource_string)

    def _free_name(self, name: str, may_rename: bool) -> str:
        """Return the name, or one that nobody has."""
        if not _NAME.fullmatch(name) and not (may_rename and not name):
            raise Refused('NAME_INVALID', f"name: got '{name}', expected letters, digits and _")
        name = name or 'obstacle'
        taken = name in self._spawned.by_name or _TAKEN.fullmatch(name)
        if not taken:
            return name
        if not may_rename:
            raise Refused('NAME_NOT_UNIQUE', f"name: got '{name}', expected a name that is not "
                                             "taken")
        return next(new for k in count(1)
                    if (new := f'{name}_copy_{k}') not in self._spawned.by_name)

    def delete_entity(self, request: Any, response: Any) -> Any:  # noqa: ANN401
        """Take an obstacle away that was spawned."""
        name = self._known(request.entity, response)
        if name is None:
            return response
        if name not in self._spawned.by_name:
            return self._unsupported(response, f'delete_entity: {_FIXED}')
        if self._recording():
            return self._answer(response, 'RESULT_OPERATION_FAILED', _RECORDED)
        self._spawned.remove(name)
        return self._fine(response)

    # --- the simulation

    def reset_simulation(self, request: Any, response: Any) -> Any:  # noqa: ANN401
        """Go back to tick 0: time and state together."""
        kind = self._services.ResetSimulation.Request
        together = kind.SCOPE_TIME | kind.SCOPE_STATE | (
            kind.SCOPE_SPAWNED if self._spawned.by_name else 0)
        if request.scope != kind.SCOPE_DEFAULT and request.scope & together != together:
            return self._unsupported(
                response, f'scope: got {request.scope}, expected {kind.SCOPE_ALL}: time, state '
                'and spawned obstacles are reset together')
        if self._recording():
            return self._answer(response, 'RESULT_OPERATION_FAILED',
                                'a recording cannot go back in time: stop it first')
        self._stopped = False
        self._control.reset()
        return self._fine(response)

    def get_simulation_state(self, _: Any, response: Any) -> Any:  # noqa: ANN401
        """Tell whether the simulation runs or is paused."""
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
        """Step some ticks while paused; answer when they are done."""
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

    def _entities(self) -> list[str]:
        return [*map(_name, range(len(self._engine.snapshot.true_pose))), *self._spawned.by_name]

    def _known(self, given: str, response: Any) -> str | None:  # noqa: ANN401
        """Return an entity's name without slash; None after an answer that there is none."""
        name = given.lstrip('/')
        if name in self._entities():
            return name
        last = len(self._engine.snapshot.true_pose) - 1
        self._answer(response, 'RESULT_NOT_FOUND', f"entity: got '{given}', expected robot_0 to "
                     f'robot_{last}, or what was spawned')
        return None

    def _filtered(self, filters: Any, response: Any) -> list[str]:  # noqa: ANN401
        """Return the entities of a filter; none after an answer that says what is wrong."""
        if filters.categories or filters.tags.tags or filters.bounds.points:
            self._unsupported(response, 'filters: only names are filtered')
            return []
        repeats = [found[1] for found in _REPEATED.finditer(filters.filter) if found[1]]
        if (len(filters.filter) > _LONGEST_FILTER or len(repeats) > _MOST_REPEATS
                or any(each.startswith(')') for each in repeats)):
            self._answer(response, 'RESULT_OPERATION_FAILED',
                         f'filter: expected at most {_LONGEST_FILTER} characters and '
                         f'{_MOST_REPEATS} repeats (* + ? {{), none of them of a group')
            return []
        try:
            pattern = re.compile(filters.filter)
        except (re.error, RecursionError, OverflowError) as error:
            self._answer(response, 'RESULT_OPERATION_FAILED', f'filter: {error}')
            return []
        self._fine(response)
        return [name for name in self._entities() if pattern.search(name)]

    def _state(self, name: str) -> Any:  # noqa: ANN401
        snapshot, state = self._engine.snapshot, self._messages.EntityState()
        obstacle = self._spawned.by_name.get(name)
        if obstacle is not None:
            (x, y, yaw), (forwards, left, turning) = obstacle.pose, (0.0, 0.0, 0.0)
        else:
            x, y, yaw = snapshot.true_pose[_number(name)].tolist()
            forwards, left, turning = snapshot.twist[_number(name)].tolist()
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


def _number(name: str) -> int:
    return int(name.rpartition('_')[2])


def _pose(pose: Any) -> tuple[float, float, float]:  # noqa: ANN401
    """Return x, y (m), yaw (rad) of a geometry_msgs/Pose; InputError where it has none."""
    turn = pose.orientation
    found = (float(pose.position.x), float(pose.position.y),
             yaw_from_quaternion(turn.x, turn.y, turn.z, turn.w))
    if not all(map(math.isfinite, found)) or not any((turn.x, turn.y, turn.z, turn.w)):
        raise InputError(f'pose: got {found}, expected finite numbers')
    return found


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
