# SPDX-License-Identifier: Apache-2.0
"""The complete scenario of a written one: what models alone cannot check, and every default."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from sbot.controllers.entry import RATE, Sources
from sbot.controllers.registry import NONE, entry_of, load_function, names
from sbot.files.limits import limits, too_large
from sbot.files.yaml_text import KeyPath, Origins
from sbot.scenario import groups
from sbot.scenario.controllers import controller_place
from sbot.scenario.fields import FUNCTION, declared
from sbot.scenario.knowledge import EXACT
from sbot.scenario.model import (
    Robot,
    Scenario,
    ScenarioFile,
    Settings,
    Source,
    World,
)
from sbot.scenario.place import place_robots
from sbot.scenario.shipped import (
    PATH_KEYS,
    find_file,
    find_folder,
    names_file,
    with_files,
)
from sbot_common.clock import Rate
from sbot_common.errors import InputError, bad_value, refuse, unknown_name
from sbot_common.params import refuse_unknown, updated
from sbot_sim.collision.overlap import PAIR, Overlaps
from sbot_sim.world.bodies import Body, BodyArrays
from sbot_sim.world.geometry import outline_error


def complete(written: ScenarioFile, directory: Path, origins: Origins,
             given: Mapping[str, Any] | None, source: Source) -> Scenario:
    """Check what models alone cannot, fill in every default and place the robots.

    Parameters
    ----------
    written : the values of a file, each checked by itself
    directory : where relative paths start
    origins : of the file
    given : controllers that came as classes and objects, by name; None: import no controller
    source : of the scenario

    """
    refuse((not written.robots, bad_value(origins.where(('robots',)), [], 'at least one entry')),
           (written.world.bounds is None and written.world.map is None,
            f"{origins.where(('world',))}: key 'bounds' is missing; "
            'give [xmin, ymin, xmax, ymax] (m)'))
    files = _absolute_paths(written, directory, origins)
    sensors = groups.SensorSettings(groups.updated_parts(
        groups.SensorSettings(), {**written.sensors, **files['sensors']},
        origins.below(('sensors',))))
    bodies = groups.check_bodies(written.bodies, origins, {each.body for each in written.robots},
                                 sensors, written.sensors)
    wind = groups.WindSettings(*groups.updated_parts(
        groups.WindSettings(), {**written.wind, **files['wind']}, origins.below(('wind',))))
    knowledge = updated(EXACT, written.knowledge, origins.below(('knowledge',)))
    world = replace(written.world, **files['world'])
    python_path = tuple(find_folder(text, directory) for text in written.python_path)
    if given is not None:
        written = _with_parameter_files(written, directory, origins)
    controllers = _check_controllers(written, python_path, origins, given)
    _check_polygons(written, origins)
    _check_boxes(world, origins)
    robots = place_robots(replace(written, world=world), bodies, origins)
    _check_moving(written, [*(bodies[robot.body] for robot in robots), *world.box_bodies()],
                  origins)
    functions = _own_functions(written, wind, robots, origins)
    for where, name in functions.items() if given is not None else ():
        load_function(name, python_path, where)
    used = {name: bodies[name] for name in sorted({robot.body for robot in robots})}
    scans = 4 * len(robots) * max(sum(laser.scan_beams for laser in sensors.lasers_of(body))
                                  for body in used.values())
    sensors, used = sensors.shared_by(used)
    if scans > limits().run_bytes:
        raise too_large(origins.where(('sensors', 'scan_beams')),
                        f'bytes of scans of {len(robots)} robots', scans, 'run_bytes')
    settings = {name: getattr(written, name) for name in declared(Settings)}
    if 'cmd_vel_stamped' not in source.data:
        settings['cmd_vel_stamped'] = all(body.own.get('cmd_vel_stamped', False)
                                          for body in used.values())
    own_classes = any(':' in name or (name != NONE and entry_of(name).programs)
                      for name in {robot.controller for robot in robots})
    scenario = Scenario(**{
        **settings, 'world': world, 'bodies': used,
        'controllers': controllers, 'sensors': sensors, 'wind': wind, 'robots': robots,
        'knowledge': knowledge,
        'given': dict(given or {}), 'source': source,
        'python_path': python_path if own_classes or functions else ()})
    _check_robots(scenario, origins)
    return scenario


def _absolute_paths(written: ScenarioFile, directory: Path,
                   origins: Origins) -> dict[str, dict[str, str]]:
    """Return the paths of the files that each group names, by key."""
    found: dict[str, dict[str, str]] = {}
    for group, key in PATH_KEYS:
        values = getattr(written, group)
        text: Any = values.get(key) if isinstance(values, dict) else getattr(values, key)
        found[group] = {}
        if names_file((group, key), text):
            found[group][key] = find_file(text, directory, origins.where((group, key)))
    return found


def _with_parameter_files(written: ScenarioFile, directory: Path,
                         origins: Origins) -> ScenarioFile:
    """Return a scenario in which the files that controllers' parameters name are absolute."""
    def absolute(name: str, parameters: dict[str, Any], path: KeyPath) -> dict[str, Any]:
        return with_files(name, parameters, directory, lambda key: origins.where((*path, key)))

    controllers = {name: absolute(name, parameters, ('controllers', name))
                   for name, parameters in written.controllers.items()}
    robots = tuple(
        replace(robot, parameters=absolute(
            robot.controller, robot.parameters, ('robots', i, 'parameters')))
        for i, robot in enumerate(written.robots))
    return replace(written, controllers=controllers, robots=robots)


def _check_controllers(written: ScenarioFile, python_path: tuple[str, ...], origins: Origins,
                       given: Mapping[str, Any] | None) -> dict[str, groups.ControllerParameters]:
    """Return the parameters of each controller in use or mentioned, sorted by name.

    Robots' own parameters are checked and stay with the robots.
    """
    first_use: dict[str, int] = {}
    for i, robot in enumerate(written.robots):
        first_use.setdefault(robot.controller, i)
    for name in written.controllers:
        # Of a module:Class that no robot has, a warning tells: another controller may be tried.
        if name not in first_use and name not in names() and ':' not in name:
            known = {*names(), *first_use}
            raise unknown_name(origins.where(('controllers', name)), name, known)
    common = {name: _check_common_parameters(
        name, written.controllers.get(name, {}), written.rate, origins)
        for name in sorted({*first_use, *written.controllers})}
    for name, controller in (given or {}).items():
        if name not in first_use or name in names():
            raise unknown_name('controllers', name, {*first_use} - {*names()})
        if not callable(getattr(controller, 'step', None)):
            raise bad_value(f'controllers: {name}', controller, 'a class or an object with a '
                            'method step(observation, rng)')
    sources = None if given is None else Sources(python_path, given)
    for i, robot in enumerate(written.robots):
        path, name = ('robots', i, 'parameters'), robot.controller
        own, first = common[name], first_use[name] == i
        if robot.parameters:
            own = _check_own_parameters(name, own, robot.parameters, path, origins)
        if (first or robot.parameters) and (
                sources is not None and isinstance(own, dict) and name != NONE):
            with _overrides_named(name, i, origins):
                entry_of(name).check(name, own, origins.where(
                    ('robots', i, 'controller') if first else path), sources)
    return {name: values for name, values in common.items() if name != NONE}


def _check_common_parameters(name: str, given: Mapping[str, object], rate: Rate,
                            origins: Origins) -> groups.ControllerParameters:
    """Return the parameters of all robots with this controller; a user's class: those given."""
    defaults: groups.ControllerParameters = {}
    if name != NONE:
        entry = entry_of(name)
        defaults = {} if entry.parameters is None else entry.parameters
        if hasattr(defaults, RATE):
            defaults = defaults._replace(**{RATE: rate.hz})
    return _check_own_parameters(name, defaults, given, ('controllers', name), origins)


def _check_own_parameters(name: str, common: groups.ControllerParameters,
                          given: Mapping[str, object], path: KeyPath,
                          origins: Origins) -> groups.ControllerParameters:
    """Return ``common`` with the parameters of a file at ``path``, checked."""
    if isinstance(common, dict):
        if name == NONE and given:
            raise InputError(f'{origins.where(path)}: parameters cannot be combined with '
                             'controller none; leave them out')
        return {**common, **given}
    where = origins.below(path)
    refuse_unknown(given, [spec.name for spec in entry_of(name).specs], where)
    return updated(common, given, where)


@contextmanager
def _overrides_named(name: str, robot: int, origins: Origins) -> Iterator[None]:
    """Add to an error of a controller which of its parameters are overrides (``--set``)."""
    try:
        yield
    except InputError as error:
        places = (('robots', robot, 'parameters'), ('controllers', name))
        keys = sorted('.'.join(map(str, path)) for path in origins.overrides
                      for place in places if path[:len(place)] == place)
        if not keys:
            raise
        raise InputError(f"{error} (overrides: {', '.join(keys)})") from None


def _check_robots(scenario: Scenario, origins: Origins) -> None:
    """Raise InputError for a robot that its controller cannot drive."""
    for i, robot in enumerate(scenario.robots):
        if robot.controller != NONE:
            entry = entry_of(robot.controller)
            if (entry.node_parameters or entry.outside) and scenario.knowledge != EXACT:
                raise InputError(f"{origins.where(('robots', i))}: controller {robot.controller} "
                                 'cannot be combined with knowledge: its node takes poses from '
                                 'topics, which carry the true ones')
            reason = entry.refusal(controller_place(scenario, i))
            if reason is not None:
                raise InputError(f"{origins.where(('robots', i))}: {reason}")


_THINNEST = 1e-3  # m; a tick is divided into steps of a quarter of the thinnest box


def _check_polygons(written: ScenarioFile, origins: Origins) -> None:
    """Raise InputError for a polygon whose sides meet."""
    for k, polygon in enumerate(written.world.polygons):
        wrong = outline_error(np.array(polygon.corners))
        if wrong is not None:
            raise bad_value(origins.where(('world', 'polygons', k, 'corners')),
                            [list(corner) for corner in polygon.corners],
                            f'an outline that does not touch itself; {wrong} (side 0 joins the '
                            'first corner to the second)')


def _check_moving(written: ScenarioFile, bodies: Sequence[Body], origins: Origins) -> None:
    """Raise InputError for an obstacle that could jump over a robot or a box in a tick."""
    least = min(body.inner_radius for body in bodies)
    most = 0.5 * least / written.rate.dt
    refuse(*((disc.speed * written.rate.dt > 0.5 * least, bad_value(
        origins.where(('world', 'moving', k, 'speed')), disc.speed,
        f'at most {most:g} m/s at {written.rate.hz:g} Hz: in a tick it moves at most half the '
        f'smallest radius of a robot or a box, here {least:g} m (of a rectangle: of the circle '
        'inside it)')) for k, disc in enumerate(written.world.moving)))


def _check_boxes(world: World, origins: Origins) -> None:
    """Raise InputError for a box without a shape or too thin, or one that starts in something.

    ``world`` has its map by absolute path.
    """
    for k, box in enumerate(world.boxes):
        where = origins.where(('world', 'boxes', k))
        if (box.size is None) == (box.radius is None):
            raise InputError(f"{where}: got {'neither' if box.size is None else 'both'} of 'size' "
                             "(a rectangle) and 'radius' (a round box), expected one")
        key, thickness = (('size', min(box.size)) if box.size else
                          ('radius', 2.0 * (box.radius or 0.0)))
        if thickness < _THINNEST:
            raise bad_value(origins.where(('world', 'boxes', k, key)), getattr(box, key),
                            f'a box of at least {_THINNEST:g} m')
    if not world.boxes:
        return
    arrays = world.at_start(with_boxes=False)
    found = Overlaps.find(arrays, BodyArrays.of((), world.box_bodies()), world.box_poses())
    if not len(found.robot):
        return
    box, kind, other, depth = min(zip(*(column.tolist() for column in found), strict=True))
    if kind == PAIR:
        box, other = max(box, other), min(box, other)
    what = f'world.boxes.{other}' if kind == PAIR else world.name_of(arrays, kind, other)
    raise bad_value(origins.where(('world', 'boxes', box, 'center')),
                    list(world.boxes[box].center),
                    f'a free place: box {box} is {depth:.3g} m too near to {what}')


def _own_functions(written: ScenarioFile, wind: groups.WindSettings, robots: Sequence[Robot],
                   origins: Origins) -> dict[str, str]:
    """Return the user's functions by where they are named: in the impulse pipeline, and ``until``.

    Raises
    ------
    InputError
        for a name that is none, and for what cannot have an effect or come true.

    """
    where, until = origins.below(('wind',)), written.until or ''
    found = {where(key): name for key, name in wind.hooks._asdict().items() if name}
    for place, name in found.items():
        if not FUNCTION.fullmatch(name):
            raise bad_value(place, name, "'module:function'")
    place = origins.where(('until',))
    refuse((wind.hooks.blocking_function and not wind.wakes.wake,
            f"{where('blocking_function')} needs wakes; add wake: true"),
           (until == 'goal_reached' and all(robot.goal is None for robot in robots),
            f"{place}: goal_reached needs a robot with a goal; give one a 'goal'"))
    return {**found, **({place: until} if ':' in until else {})}
