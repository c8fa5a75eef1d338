# SPDX-License-Identifier: Apache-2.0
"""Services of simulation_interfaces, the standard that Gazebo, Isaac Sim and O3DE share.

Entities are the robots in the world, by the names 'robot_<i>', and obstacles that were spawned.
Robots come from the scenario's reserve and go there, at the beginning of a tick.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Sequence
from functools import wraps
from importlib import import_module
from typing import Any

from sbot_common.errors import InputError, first_of, one_line, shown
from sbot_sim.engine.simulation import Engine, Place
from sbot_sim.messages.markers import HEIGHT
from sbot_sim.ros.entities import (
    FORMATS,
    Refused,
    Shape,
    Spawned,
    SpawnedObstacles,
    check_frame,
    fill_state,
    filtered,
    read_pose,
    spawned_robot,
)
from sbot_sim.ros.run_control import Inbox, RunControl
from sbot_sim.world.bodies import is_there

PACKAGE = 'simulation_interfaces'
# Services by name, with the type of each; the handlers below are called alike.
SERVICES = {
    'get_simulator_features': 'GetSimulatorFeatures', 'get_entities': 'GetEntities',
    'get_entity_state': 'GetEntityState', 'get_entities_states': 'GetEntitiesStates',
    'set_entity_state': 'SetEntityState', 'get_entity_info': 'GetEntityInfo',
    'get_entity_bounds': 'GetEntityBounds', 'get_spawnables': 'GetSpawnables',
    'spawn_entity': 'SpawnEntity', 'spawn_entities': 'SpawnEntities',
    'delete_entity': 'DeleteEntity', 'reset_simulation': 'ResetSimulation',
    'get_simulation_state': 'GetSimulationState', 'set_simulation_state': 'SetSimulationState',
    'step_simulation': 'StepSimulation'}
_FEATURES = (
    'SPAWNING', 'SPAWNING_ENTITIES', 'SPAWNING_RESOURCE_STRING', 'SPAWNABLES', 'DELETING',
    'ENTITY_STATE_GETTING', 'ENTITY_STATE_SETTING', 'ENTITY_INFO_GETTING', 'ENTITY_BOUNDS',
    'SIMULATION_RESET',
    'SIMULATION_STATE_GETTING', 'SIMULATION_STATE_SETTING', 'SIMULATION_STATE_PAUSE',
    'STEP_SIMULATION_SINGLE', 'STEP_SIMULATION_MULTIPLE')
_OK, _FAILED, _UNSUPPORTED = (
    'RESULT_OK', 'RESULT_OPERATION_FAILED', 'RESULT_FEATURE_UNSUPPORTED')
_INFO = ('potential_field_bot, docs/ros2_topics.md: obstacles that stand still are spawned, of '
         'one box, cylinder or sphere, and robots that the scenario has in reserve; time, state '
         'and what was spawned are reset together')

_NAMESPACE = re.compile(r'/?|/?[A-Za-z_]\w*(/[A-Za-z_]\w*)*', re.ASCII)  # of ROS, relative or not

Handler = Callable[[Any, Any, Any], Any]


def _answering(handler: Callable[[Any, Any, Any], str | None]) -> Handler:
    """Return a handler that says in the response how it went: what was Refused, or RESULT_OK.

    What the handler returns is told beside RESULT_OK.
    """
    @wraps(handler)
    def answer(self: StandardServices, request: Any, response: Any) -> Any:  # noqa: ANN401
        self._fill_result(
            response.result, lambda: handler(self, request, response),
            lambda: getattr(self._services, SERVICES[handler.__name__]).Response)
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
    bodies : (N,) names of the robots' bodies

    """

    def __init__(self, engine: Engine, control: RunControl, inbox: Inbox,
                 now_ns: Callable[[], int], recording: Callable[[], bool],
                 end: Callable[[], None], messages: Any, services: Any,  # noqa: ANN401
                 bodies: Sequence[str]) -> None:
        self._engine, self._control, self._inbox = engine, control, inbox
        self._now_ns, self._recording, self._end = now_ns, recording, end
        self._messages, self._services = messages, services
        self._spawned = SpawnedObstacles(engine, inbox)
        self._bodies, self._first = bodies, self._there()
        self._stopped = False

    def forget_spawned(self) -> None:
        """Note that the engine was reset."""
        self._spawned.by_name = {}

    def get_simulator_features(self, _: Any, response: Any) -> Any:  # noqa: ANN401
        """List the supported features."""
        kind = self._messages.SimulatorFeatures
        response.features.features = [getattr(kind, name) for name in _FEATURES
                                      if hasattr(kind, name)]  # older versions have fewer
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
        with Refused.with_code('INVALID_POSE'):
            pose = read_pose(request.state.pose)
            if obstacle is not None:
                self._spawned.put(name, obstacle._replace(pose=pose))
            else:
                self._move(_robot_number(name), pose)

    @_answering
    def get_entity_info(self, request: Any, response: Any) -> None:  # noqa: ANN401
        """Tell whether an entity is a robot, and with which body."""
        name, kind, info = self._entity_name(request.entity), self._messages, response.info
        if name in self._spawned.by_name:
            info.category.category = kind.EntityCategory.CATEGORY_STATIC_OBJECT
            info.description = 'obstacle'
        else:
            info.category.category = kind.EntityCategory.CATEGORY_ROBOT
            info.description = f'body: {self._bodies[_robot_number(name)]}'

    @_answering
    def get_entity_bounds(self, request: Any, response: Any) -> None:  # noqa: ANN401
        """Tell the box around an entity, in its own frame."""
        name = self._entity_name(request.entity)
        if name in self._spawned.by_name:
            shape = self._spawned.by_name[name].shape
            box = shape.length or 2.0 * shape.radius, shape.width or 2.0 * shape.radius, 0.0
        else:
            box = self._box_of(_robot_number(name))
        self._fill_bounds(response.bounds, *box)

    @_answering
    def get_spawnables(self, request: Any, response: Any) -> str:  # noqa: ANN401
        """List the bodies of the robots in reserve."""
        response.spawnables = []
        for body in dict.fromkeys(self._bodies):
            reserve = self._reserve(body)
            if reserve:
                each = self._messages.Spawnable()
                each.entity_resource.uri = body
                names = [f'robot_{robot}' for robot in reserve]
                each.description = f'robots in reserve: {first_of(names, 20)}'
                self._fill_bounds(each.spawn_bounds, *self._box_of(reserve[0]))
                response.spawnables.append(each)
        return f'unknown sources: {first_of(request.sources, 20)}' if request.sources else ''

    @_answering
    def spawn_entity(self, request: Any, response: Any) -> None:  # noqa: ANN401
        """Put an obstacle into the world, or before the next tick a robot from the reserve."""
        response.entity_name = self._spawn(request)

    @_answering
    def spawn_entities(self, request: Any, response: Any) -> None:  # noqa: ANN401
        """Do as ``spawn_entity`` for each of several."""
        response.results = [self._messages.SpawnResult() for _ in request.spawn_requests]
        failed = 0
        for each, found in zip(request.spawn_requests, response.results, strict=True):
            def spawn(each: Any = each, found: Any = found) -> None:  # noqa: ANN401
                found.entity_name = self._spawn(each)
            failed += not self._fill_result(found.result, spawn,
                                            lambda: self._messages.SpawnResult)
        if failed:
            raise Refused('ENTITIES_SPAWN_FAILED', f'{failed} of {len(response.results)} failed')

    @_answering
    def delete_entity(self, request: Any, _: Any) -> None:  # noqa: ANN401
        """Take an obstacle away that was spawned, or put a robot into the reserve."""
        name = self._entity_name(request.entity)
        if name in self._spawned.by_name:
            self._check_not_recorded()
            self._spawned.remove(name)
        else:
            with Refused.with_code(_FAILED):
                self._move(_robot_number(name), None)

    # --- the simulation

    @_answering
    def reset_simulation(self, request: Any, _: Any) -> None:  # noqa: ANN401
        """Go back to tick 0: time and state together."""
        kind = self._services.ResetSimulation.Request
        spawned = self._spawned.by_name or self._there() != self._first
        together = kind.SCOPE_TIME | kind.SCOPE_STATE | (kind.SCOPE_SPAWNED if spawned else 0)
        if request.scope != kind.SCOPE_DEFAULT and request.scope & together != together:
            raise Refused(_UNSUPPORTED, f'scope: got {request.scope}, expected {kind.SCOPE_ALL}: '
                          'time, state and what was spawned are reset together')
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

    def _fill_result(self, result: Any, act: Callable[[], str | None],  # noqa: ANN401
                     own_codes: Callable[[], Any]) -> bool:
        """Act, and fill in a Result; ``own_codes`` has the codes of this service alone."""
        code = _OK
        try:
            text = act() or ''
        except Refused as error:
            code, text = error.code, one_line(str(error))
        number = getattr(self._messages.Result, code, None)
        result.result = getattr(own_codes(), code) if number is None else number
        result.error_message = text
        return code == _OK

    def _there(self) -> list[bool]:
        """Return which robots are in the world in the next tick."""
        there: list[bool] = is_there(self._engine.poses_after(self._inbox.teleports)).tolist()
        return there

    def _reserve(self, body: str) -> list[int]:
        """Return the robots with a body that are in reserve."""
        return [i for i, (name, there) in enumerate(zip(self._bodies, self._there(), strict=True))
                if name == body and not there]

    def _move(self, robot: int, place: Place) -> None:
        """Put a robot elsewhere before the next tick; InputError where it cannot stand."""
        places = {i: there for i, there in self._inbox.teleports.items() if i != robot}
        places[robot] = place
        self._engine.check_places(places)
        self._inbox.teleports = places

    def _spawn(self, request: Any) -> str:  # noqa: ANN401
        """Spawn what a message SpawnEntity describes; return its name."""
        uri = request.entity_resource.uri
        if not uri:
            self._check_not_recorded()
        if not _NAMESPACE.fullmatch(request.entity_namespace) or '__' in request.entity_namespace:
            raise Refused('NAMESPACE_INVALID', 'entity_namespace: got '
                          f'{shown(request.entity_namespace)}, expected names of letters, digits '
                          'and _, with / between them')
        if not uri:
            shape = _shape(request.entity_resource)
            name = self._spawned.new_name(request.name or shape.name, request.allow_renaming)
        elif uri not in self._bodies:
            raise Refused('UNSUPPORTED_FORMAT', f'uri: got {shown(uri)}, expected one of '
                          'get_spawnables, or a resource_string that describes an obstacle')
        else:
            robot = spawned_robot(request.name.lstrip('/'), request.allow_renaming,
                                  self._reserve(uri), self._entities())
            name = f'robot_{robot}'
            if request.entity_namespace.strip('/') not in ('', name):
                raise Refused('NAMESPACE_INVALID', 'entity_namespace: got '
                              f'{shown(request.entity_namespace)}, expected none or {name}')
        check_frame(request.initial_pose.header, 'INVALID_POSE')
        with Refused.with_code('INVALID_POSE'):
            pose = read_pose(request.initial_pose.pose)
            if uri:
                self._move(robot, pose)
            else:
                self._spawned.put(name, Spawned(shape, pose))
        return name

    def _box_of(self, robot: int) -> tuple[float, float, float]:
        """Return length along x, width along y, and offset of the centre along x (m) of a body."""
        bodies = self._engine.parameters.bodies
        side = 2.0 * float(bodies.radius[robot])
        return bodies.shape.rectangle(robot) or (side, side, 0.0)

    def _fill_bounds(self, bounds: Any, length: float, width: float,  # noqa: ANN401
                     offset: float) -> None:
        """Fill in the upper right and the lower left corner; a height is only drawn."""
        vector = type(self._messages.EntityState().twist.linear)  # geometry_msgs/Vector3
        bounds.type = self._messages.Bounds.TYPE_BOX
        bounds.points = [vector(x=offset + 0.5 * length, y=0.5 * width, z=HEIGHT),
                         vector(x=offset - 0.5 * length, y=-0.5 * width, z=0.0)]

    def _entities(self) -> list[str]:
        return [*(f'robot_{i}' for i, there in enumerate(self._there()) if there),
                *self._spawned.by_name]

    def _entity_name(self, given: str) -> str:
        """Return an entity's name without slash."""
        name = given.lstrip('/')
        if name not in self._entities():
            raise Refused('RESULT_NOT_FOUND', f'entity: got {shown(given)}, expected one of '
                          'get_entities')
        return name

    def _state(self, name: str) -> Any:  # noqa: ANN401
        snapshot, state = self._engine.snapshot, self._messages.EntityState()
        if name in self._spawned.by_name:
            return fill_state(state, self._now_ns(), self._spawned.by_name[name].pose)
        robot = _robot_number(name)
        if not is_there(snapshot.true_pose)[robot]:  # it will be
            pose = self._engine.poses_after(self._inbox.teleports)[robot].tolist()
            return fill_state(state, self._now_ns(), pose)
        return fill_state(state, self._now_ns(), snapshot.true_pose[robot].tolist(),
                          snapshot.twist[robot].tolist())


def _robot_number(name: str) -> int:
    return int(name.rpartition('_')[2])


class _Later:
    """Awaited once: lets the executor do something else before it looks again."""

    def __await__(self) -> Generator[None, None, None]:
        yield


def _shape(resource: Any) -> Shape:  # noqa: ANN401
    """Return the obstacle of a Resource."""
    if not resource.resource_string:
        raise Refused('NO_RESOURCE', 'resource_string: got nothing, expected SDF or URDF, or a '
                                     'uri of get_spawnables')
    return Shape.read(resource.resource_string)


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
