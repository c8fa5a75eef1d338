# SPDX-License-Identifier: Apache-2.0
"""Services of simulation_interfaces, the standard that Gazebo, Isaac Sim and O3DE share.

Entities are the robots, by the names 'robot_<i>', of which there are as many as the scenario has,
and obstacles that were spawned.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from functools import wraps
from importlib import import_module
from typing import Any

from sbot_common.errors import InputError, one_line, shown
from sbot_sim.engine.simulation import Engine
from sbot_sim.ros.entities import (
    FORMATS,
    Refused,
    Shape,
    Spawned,
    SpawnedObstacles,
    check_frame,
    check_namespace,
    fill_state,
    filtered,
    new_name,
    read_pose,
    read_shape,
    refused_as,
    robot_name,
    robot_number,
)
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
    'SPAWNING', 'SPAWNING_RESOURCE_STRING', 'DELETING',
    'ENTITY_STATE_GETTING', 'ENTITY_STATE_SETTING', 'SIMULATION_RESET',
    'SIMULATION_STATE_GETTING', 'SIMULATION_STATE_SETTING', 'SIMULATION_STATE_PAUSE',
    'STEP_SIMULATION_SINGLE', 'STEP_SIMULATION_MULTIPLE')
_OK, _FAILED, _UNSUPPORTED = (
    'RESULT_OK', 'RESULT_OPERATION_FAILED', 'RESULT_FEATURE_UNSUPPORTED')
_FIXED = ('a robot can be neither spawned nor deleted while a simulation runs: its robots are '
          'those of its scenario')
_INFO = ('potential_field_bot, docs/ros2_topics.md: obstacles that stand still are spawned, of '
         f'one box, cylinder or sphere; {_FIXED}; time, state and spawned obstacles are reset '
         'together')

Handler = Callable[[Any, Any, Any], Any]


def _answering(handler: Callable[[Any, Any, Any], None]) -> Handler:
    """Return a handler that says in the response how it went: what was Refused, or RESULT_OK."""
    @wraps(handler)
    def answer(self: StandardServices, request: Any, response: Any) -> Any:  # noqa: ANN401
        code, text = _OK, ''
        try:
            handler(self, request, response)
        except Refused as error:
            code, text = error.code, one_line(str(error))
        number = getattr(self._messages.Result, code, None)
        if number is None:  # of this service alone
            number = getattr(getattr(self._services, SERVICES[handler.__name__]).Response, code)
        response.result.result, response.result.error_message = number, text
        return response
    return answer


class StandardServices:
    """Handlers of the services; each fills a response and returns it.

    Parameters
    ----------
    engine, control, inbox : of the run
    now_ns : returns the stamp of the current tick (ns)
    recording : tells whether the run is recorded, and so cannot go back in time
    end : ends the run
    messages : the module ``simulation_interfaces.msg``
    services : the module ``simulation_interfaces.srv``

    """

    def __init__(self, engine: Engine, control: RunControl, inbox: Inbox,
                 now_ns: Callable[[], int], recording: Callable[[], bool],
                 end: Callable[[], None], messages: Any, services: Any) -> None:  # noqa: ANN401
        self._engine, self._control, self._inbox = engine, control, inbox
        self._now_ns, self._recording, self._end = now_ns, recording, end
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

    @_answering
    def get_entities(self, request: Any, response: Any) -> None:  # noqa: ANN401
        """List the entities whose names match the filter."""
        response.entities = filtered(request.filters, self._entities())

    @_answering
    def get_entity_state(self, request: Any, response: Any) -> None:  # noqa: ANN401
        """Tell an entity's ground truth."""
        response.state = self._state(self._entity_name(request.entity))

    @_answering
    def get_entities_states(self, request: Any, response: Any) -> None:  # noqa: ANN401
        """Tell the ground truth of the entities whose names match the filter."""
        response.entities = filtered(request.filters, self._entities())
        response.states = [self._state(name) for name in response.entities]

    @_answering
    def set_entity_state(self, request: Any, _: Any) -> None:  # noqa: ANN401
        """Put an entity elsewhere, if the place is free: a robot before the next tick."""
        name, twist = self._entity_name(request.entity), request.state.twist
        if request.set_twist and any((twist.linear.x, twist.linear.y, twist.linear.z,
                                      twist.angular.x, twist.angular.y, twist.angular.z)):
            raise Refused(_UNSUPPORTED, 'set_twist: robots are commanded by cmd_vel')
        if not request.set_pose:
            return
        check_frame(request.state.header, _FAILED)
        obstacle = self._spawned.by_name.get(name)
        if obstacle is not None:
            self._check_not_recorded()
        with refused_as('INVALID_POSE'):
            pose = read_pose(request.state.pose)
            if obstacle is not None:
                self._spawned.put(name, obstacle._replace(pose=pose))
            else:
                self._engine.check_place(robot_number(name), pose)
                self._inbox.teleports[robot_number(name)] = pose

    @_answering
    def spawn_entity(self, request: Any, response: Any) -> None:  # noqa: ANN401
        """Put an obstacle into the world; it stands still."""
        self._check_not_recorded()
        check_namespace(request.entity_namespace)
        shape = _shape(request.entity_resource)
        name = new_name(request.name or shape.name, self._spawned.by_name, request.allow_renaming)
        check_frame(request.initial_pose.header, 'INVALID_POSE')
        with refused_as('INVALID_POSE'):
            self._spawned.put(name, Spawned(shape, read_pose(request.initial_pose.pose)))
        response.entity_name = name

    @_answering
    def delete_entity(self, request: Any, _: Any) -> None:  # noqa: ANN401
        """Take an obstacle away that was spawned."""
        name = self._entity_name(request.entity)
        if name not in self._spawned.by_name:
            raise Refused(_UNSUPPORTED, f'delete_entity: {_FIXED}')
        self._check_not_recorded()
        self._spawned.remove(name)

    # --- the simulation

    @_answering
    def reset_simulation(self, request: Any, _: Any) -> None:  # noqa: ANN401
        """Go back to tick 0: time and state together."""
        kind = self._services.ResetSimulation.Request
        together = kind.SCOPE_TIME | kind.SCOPE_STATE | (
            kind.SCOPE_SPAWNED if self._spawned.by_name else 0)
        if request.scope != kind.SCOPE_DEFAULT and request.scope & together != together:
            raise Refused(_UNSUPPORTED, f'scope: got {request.scope}, expected {kind.SCOPE_ALL}: '
                          'time, state and spawned obstacles are reset together')
        self._check_not_recorded('a recording cannot go back in time')
        self._stopped = False
        self._control.reset()

    @_answering
    def get_simulation_state(self, _: Any, response: Any) -> None:  # noqa: ANN401
        """Tell whether the simulation runs or is paused."""
        response.state.state = self._simulation_state()

    @_answering
    def set_simulation_state(self, request: Any, _: Any) -> None:  # noqa: ANN401
        """Play, pause, stop (pause at tick 0) or quit."""
        kind, wanted = self._messages.SimulationState, request.state.state
        if wanted == self._simulation_state():
            raise Refused('ALREADY_IN_TARGET_STATE', 'the simulation is in that state')
        if wanted == kind.STATE_STOPPED:
            self._check_not_recorded('a recording cannot go back in time')
            self._control.pause(True)
            self._control.reset()
        elif wanted in (kind.STATE_PLAYING, kind.STATE_PAUSED):
            self._control.pause(wanted == kind.STATE_PAUSED)
        elif wanted == kind.STATE_QUITTING:
            self._end()
        elif wanted in (kind.STATE_NO_WORLD, kind.STATE_LOADING_WORLD):
            raise Refused(_UNSUPPORTED, f'state: got {wanted}, but the world is never unloaded')
        else:
            raise Refused(_FAILED, f'state: got {wanted}, expected 0 to 3')
        self._stopped = wanted == kind.STATE_STOPPED

    async def step_simulation(self, request: Any, response: Any) -> Any:  # noqa: ANN401
        """Step some ticks while paused; answer when they are done."""
        begin, paused = self._engine.tick, self._control.paused
        self._begin_steps(request, response)
        # Another may let time go on meanwhile, or reset it.
        while (paused and self._control.paused and not self._control.is_over
               and begin <= self._engine.tick < begin + int(request.steps)):
            await _Later()
        return response

    @_answering
    def _begin_steps(self, request: Any, _: Any) -> None:  # noqa: ANN401
        if not self._control.paused:
            raise Refused(_FAILED, 'the simulation is not paused: call set_simulation_state first')
        self._stopped = False
        self._control.step(int(request.steps))

    # --- parts of them

    def _check_not_recorded(
            self, why: str = 'a recording has the obstacles of its scenario') -> None:
        if self._recording():
            raise Refused(_FAILED, f'{why}: stop it first')

    def _simulation_state(self) -> int:
        kind = self._messages.SimulationState
        if not self._control.paused:
            self._stopped = False
            return int(kind.STATE_PLAYING)
        return int(kind.STATE_STOPPED if self._stopped else kind.STATE_PAUSED)

    def _entities(self) -> list[str]:
        robots = range(len(self._engine.snapshot.true_pose))
        return [*map(robot_name, robots), *self._spawned.by_name]

    def _entity_name(self, given: str) -> str:
        """Return an entity's name without slash."""
        name = given.lstrip('/')
        if name not in self._entities():
            last = len(self._engine.snapshot.true_pose) - 1
            raise Refused('RESULT_NOT_FOUND', f'entity: got {shown(given)}, expected robot_0 to '
                          f'robot_{last}, or what was spawned')
        return name

    def _state(self, name: str) -> Any:  # noqa: ANN401
        snapshot, state = self._engine.snapshot, self._messages.EntityState()
        if name in self._spawned.by_name:
            return fill_state(state, self._now_ns(), self._spawned.by_name[name].pose)
        robot = robot_number(name)
        return fill_state(state, self._now_ns(), snapshot.true_pose[robot].tolist(),
                          snapshot.twist[robot].tolist())


class _Later:
    """Awaited once: lets the executor do something else before it looks again."""

    def __await__(self) -> Generator[None, None, None]:
        yield


def _shape(resource: Any) -> Shape:  # noqa: ANN401
    """Return the obstacle of a Resource."""
    if resource.uri:
        raise Refused('UNSUPPORTED_FORMAT',
                      f'uri: got {shown(resource.uri)}, expected a resource_string of SDF or '
                      f'URDF that describes an obstacle; {_FIXED}')
    if not resource.resource_string:
        raise Refused('NO_RESOURCE', 'resource_string: got nothing, expected SDF or URDF')
    return read_shape(resource.resource_string)


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
                         'ros-$ROS_DISTRO-simulation-interfaces), make it (python -m '
                         'sbot.ros.interfaces, docs/ros2_topics.md), or leave it false') from None
