"""Load a scenario: text, overrides, checks, placement."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from copy import deepcopy
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from sbot.controllers.entry import Sources
from sbot.controllers.registry import NONE, entry_of, names
from sbot.controllers.user import load_function, name_controllers
from sbot.files.limits import limits, too_large
from sbot.files.yaml_text import (
    LARGEST,
    KeyPath,
    Origins,
    decode_text,
    is_key,
    parse_yaml,
    read_file,
)
from sbot.scenario import groups
from sbot.scenario.checks.boxes import check_boxes
from sbot.scenario.checks.idle import warn_of_idle
from sbot.scenario.checks.unused import warn_of_unused
from sbot.scenario.controllers import controller_place
from sbot.scenario.errors import validate
from sbot.scenario.knowledge import EXACT
from sbot.scenario.model import (
    FUNCTION,
    Robot,
    Scenario,
    ScenarioFile,
    Settings,
    Source,
)
from sbot.scenario.overrides import apply_overrides
from sbot.scenario.paths import (
    PATH_KEYS,
    find_file,
    find_folder,
    names_file,
)
from sbot.scenario.placement import Placement, place_robots
from sbot.scenario.shipped import find_scenario
from sbot.scenario.world import box_bodies
from sbot_common.errors import InputError, bad_value, unknown_name
from sbot_common.params import updated
from sbot_sim.world.bodies import Body
from sbot_sim.world.polygons import outline_error

_MOST_ITEMS = 10_000_000  # of an array in a dict


def load_scenario(path_or_name: str, overrides: Mapping[str, object] | None = None,
                  controllers: Mapping[str, Any] | None = None) -> Scenario:
    """Return the complete scenario of a file, or of a shipped scenario's name.

    A file whose name ends with `.argos` is an experiment of ARGoS (``argos.experiment``), one
    whose name ends with `.world` a world of Stage (``stage.worldfile``).

    Parameters
    ----------
    path_or_name : a path, or a name such as 'leader_follower'
    overrides : values by dotted key path, e.g. {'seed': 2, 'robots.2.goal': [10, 3]}
    controllers : classes or objects that stand for controllers' names in the file

    Raises
    ------
    InputError
        one line with file, line, key path, value and what was expected.

    """
    path = find_scenario(path_or_name)
    raw = read_file(path, typed=True)
    if path.suffix == '.argos':
        from sbot.scenario.argos.experiment import argos_scenario
        values, origins = argos_scenario(raw, str(path), overrides)
        return _checked(values, origins, path.parent, path.stem, overrides, controllers or {},
                        warn=True)
    if path.suffix == '.world':
        from sbot.scenario.stage.worldfile import stage_scenario
        values, origins = stage_scenario(raw, str(path))
        return _checked(values, origins, path.parent, path.stem, overrides, controllers or {},
                        warn=True)
    text = decode_text(raw, str(path))
    return parse_scenario(text, str(path), path.parent, path.stem, overrides, controllers,
                          warn=True)


def scenario_from_mapping(data: Mapping[str, Any], overrides: Mapping[str, object] | None = None,
                          controllers: Mapping[str, Any] | None = None) -> Scenario:
    """Return the complete scenario of a dict with the keys of a scenario file.

    Parameters
    ----------
    data : plain values, NumPy arrays and numbers; a robot's ``controller`` may be a class or an
        object. Relative paths start in the current folder. Not changed.
    overrides : values by dotted key path
    controllers : classes or objects by the names that ``data`` has for them

    Raises
    ------
    InputError
        naming the key path, the value and what was expected.

    """
    named, given = name_controllers(data, 'scenario')
    return _checked(plain_values(named), Origins('scenario', {}, set()), Path.cwd(), 'scenario',
                    overrides, {**given, **(controllers or {})}, warn=True)


def changed_scenario(scenario: Scenario, overrides: Mapping[str, object],
                     controllers: Mapping[str, Any]) -> Scenario:
    """Return a scenario as if loaded with other values: robots are placed again.

    Parameters
    ----------
    scenario : loaded before
    overrides : values by dotted key path of the scenario as it was written
    controllers : classes or objects by name

    """
    if scenario.source is None:
        return parse_scenario(scenario.to_yaml(), scenario.name, Path.cwd(), overrides=overrides,
                              controllers=controllers)
    return _checked(deepcopy(scenario.source.data), Origins('scenario', {}, set()),
                    scenario.source.directory, scenario.name, overrides, controllers)


def placement_of(scenario: Scenario) -> Placement:
    """Return the start poses of a loaded scenario by seed, without loading it for each."""
    assert scenario.source is not None
    origins = Origins('scenario', {}, set())
    written = validate(ScenarioFile, deepcopy(scenario.source.data), origins)
    return Placement(written.model_copy(update={'world': scenario.world}), scenario.bodies,
                     origins)


def plain_values(value: Any, where: str = 'scenario') -> Any:  # noqa: ANN401 - any plain value
    """Return a deep copy of values as YAML has them: NumPy's numbers and arrays become Python's.

    Raises
    ------
    InputError
        naming the key path, for a key or a value that a scenario file cannot have.

    """
    if isinstance(value, np.ndarray | np.generic):
        if value.size > _MOST_ITEMS:
            raise bad_value(where, f'shape {value.shape}', f'at most {_MOST_ITEMS} numbers')
        value = value.tolist()
    if isinstance(value, str):
        try:
            value.encode('utf-8')
        except UnicodeEncodeError:
            raise bad_value(where, value, 'text, which can be written as UTF-8') from None
    if isinstance(value, int) and abs(value) > LARGEST:
        raise bad_value(where, value, 'a whole number that fits into 64 bits')
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Path | Fraction):
        return str(value)
    if where.count('.') > (most := limits().text_depth):
        raise InputError(f'{where[:80]}...: nested more than {most} levels deep')
    if isinstance(value, list | tuple):
        return [plain_values(item, f'{where}.{i}') for i, item in enumerate(value)]
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str) or not is_key(plain_values(key, f'{where}: key')):
                raise bad_value(f'{where}: key', key, 'text without white space')
        return {key: plain_values(item, f'{where}.{key}') for key, item in value.items()}
    raise bad_value(where, value, 'numbers, text, lists and dicts')


def parse_scenario(text: str, file: str, directory: Path, default_name: str = 'scenario',
                   overrides: Mapping[str, object] | None = None,
                   controllers: Mapping[str, Any] | None = None, *,
                   import_controllers: bool = True, warn: bool = False) -> Scenario:
    """Return the complete scenario of a YAML text, e.g. one taken from a recording.

    Parameters
    ----------
    text : the YAML
    file : what messages call it
    directory : where the relative paths in it start
    default_name : the scenario's name if the text gives none
    overrides : values by dotted key path
    controllers : classes or objects that stand for controllers' names in the text
    import_controllers : import the modules of the user's controllers and check their parameters;
        without it nothing that the text names is executed
    warn : of settings without effect; a recording and a node say nothing a second time

    """
    data, origins = parse_yaml(text, file)
    if data is None:
        raise InputError(f'{file}: is empty; a scenario needs robots')
    if not isinstance(data, dict):
        raise bad_value(origins.where(()), data, 'a mapping with the keys of a scenario')
    given = (controllers or {}) if import_controllers else None
    return _checked(data, origins, directory, default_name, overrides, given, warn=warn)


def scenario_of_parsed(data: Mapping[str, Any], origins: Origins, directory: Path,
                       default_name: str, overrides: Mapping[str, object],
                       controllers: Mapping[str, Any]) -> Scenario:
    """Return the complete scenario of the value of ``parse_yaml``; may be called repeatedly.

    ``data`` and ``origins`` are not changed; the rest is as ``parse_scenario`` takes it.
    """
    own = Origins(origins.file, dict(origins.lines), set())
    return _checked(deepcopy(dict(data)), own, directory, default_name, overrides, controllers)


def _checked(data: dict[str, Any], origins: Origins, directory: Path, default_name: str,
             overrides: Mapping[str, object] | None,
             given: Mapping[str, Any] | None, *, warn: bool = False) -> Scenario:
    """Return the complete scenario of plain values, which are changed on the way.

    ``given``: classes and objects by name; None: import no controller.
    """
    apply_overrides(data, plain_values(overrides or {}, f'{origins.file}, override'), origins)
    groups.check_finite(data, (), origins)
    data.setdefault('name', default_name)
    if 'seed' in data and data['seed'] is None:
        data['seed'] = secrets.randbits(32)
    written = validate(ScenarioFile, data, origins)
    scenario = _complete(written, directory, origins, given, Source(data, directory))
    if warn:
        warn_of_idle(written, scenario, origins)
        warn_of_unused(written, origins)
    return scenario


def _complete(written: ScenarioFile, directory: Path, origins: Origins,
              given: Mapping[str, Any] | None, source: Source) -> Scenario:
    """Check what models alone cannot, fill in every default and place the robots."""
    if written.world.bounds is None and written.world.map is None:
        raise InputError(f"{origins.where(('world',))}: key 'bounds' is missing; "
                         'give [xmin, ymin, xmax, ymax] (m)')
    bodies = groups.check_bodies(written.bodies, origins)
    files = _absolute_paths(written, directory, origins)
    sensors = groups.check_group(groups.SensorSettings(),
                                 {**written.sensors, **files['sensors']}, 'sensors', origins)
    wind = groups.check_group(groups.WindSettings(), {**written.wind, **files['wind']}, 'wind',
                              origins)
    knowledge = updated(EXACT, written.knowledge, groups.below(('knowledge',), origins))
    world = written.world.model_copy(update=files['world'])
    python_path = tuple(find_folder(text, directory) for text in written.python_path)
    if given is not None:
        written = _with_parameter_files(written, directory, origins)
    controllers = _check_controllers(written, python_path, origins, given)
    _check_polygons(written, origins)
    check_boxes(world, origins)
    robots = place_robots(written.model_copy(update={'world': world}), bodies, origins)
    _check_moving(written, [*(bodies[robot.body] for robot in robots), *box_bodies(world)],
                  origins)
    own_hooks = _check_hooks(wind, python_path, origins, given is not None)
    scans = 4 * len(robots) * sensors.scan.scan_beams
    if scans > limits().run_bytes:
        raise too_large(origins.where(('sensors', 'scan_beams')),
                        f'bytes of scans of {len(robots)} robots', scans, 'run_bytes')
    own_function = _check_until(written, robots, python_path, origins, given is not None)
    used = sorted({robot.body for robot in robots})
    settings = {name: getattr(written, name) for name in Settings.model_fields}
    own_classes = any(':' in name or (name != NONE and entry_of(name).programs)
                      for name in {robot.controller for robot in robots})
    scenario = Scenario.model_construct(**{
        **settings, 'world': world, 'bodies': {name: bodies[name] for name in used},
        'controllers': controllers, 'sensors': sensors, 'wind': wind, 'robots': robots,
        'knowledge': knowledge,
        'given': dict(given or {}), 'source': source,
        'python_path': python_path if own_classes or own_function or own_hooks else ()})
    _check_robots(scenario, origins)
    return scenario


def _check_polygons(written: ScenarioFile, origins: Origins) -> None:
    """Raise InputError for a polygon whose sides meet."""
    for k, polygon in enumerate(written.world.polygons):
        wrong = outline_error(np.array(polygon.corners))
        if wrong is not None:
            raise bad_value(origins.where(('world', 'polygons', k, 'corners')),
                            [list(corner) for corner in polygon.corners],
                            f'an outline that does not meet itself; {wrong} (side 0 goes from the '
                            'first corner to the second)')


def _check_moving(written: ScenarioFile, bodies: Sequence[Body], origins: Origins) -> None:
    """Raise InputError for an obstacle that could jump over a robot or a box in a tick."""
    least = min(body.inner_radius for body in bodies)
    for k, disc in enumerate(written.world.moving):
        if disc.speed * written.rate.dt > 0.5 * least:
            raise bad_value(
                origins.where(('world', 'moving', k, 'speed')), disc.speed,
                f'at most {0.5 * least / written.rate.dt:g} m/s at {written.rate.hz:g} Hz: half '
                'the smallest collision circle, or circle in a rectangle, of a robot or a box in '
                'a tick')


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
        keys = () if name == NONE else entry_of(name).paths
        return {**parameters, **{key: find_file(parameters[key], directory,
                                                origins.where((*path, key)))
                                 for key in keys if isinstance(parameters.get(key), str)}}

    controllers = {name: absolute(name, parameters, ('controllers', name))
                   for name, parameters in written.controllers.items()}
    robots = tuple(
        robot.model_copy(update={'parameters': absolute(
            robot.controller, robot.parameters, ('robots', i, 'parameters'))})
        for i, robot in enumerate(written.robots))
    return written.model_copy(update={'controllers': controllers, 'robots': robots})


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
    common = {name: groups.check_common_parameters(
        name, written.controllers.get(name, {}), written.rate, origins)
        for name in sorted({*first_use, *written.controllers})}
    for name, controller in (given or {}).items():
        if name not in first_use or name in names():
            raise unknown_name('controllers', name, {*first_use} - {*names()})
        if not callable(getattr(controller, 'step', None)):
            raise bad_value(f'controllers: {name}', controller, 'a class or an object with a '
                            'method step(observation, rng)')
    sources = None if given is None else Sources(python_path, given)
    for name, i in first_use.items():
        if sources is not None and name != NONE and isinstance(common[name], dict):
            entry_of(name).check(name, {**common[name], **written.robots[i].parameters},
                                 origins.where(('robots', i, 'controller')), sources)
    for i, robot in enumerate(written.robots):
        if robot.parameters:
            path, name = ('robots', i, 'parameters'), robot.controller
            own = groups.check_own_parameters(name, common[name], robot.parameters, path, origins)
            if sources is not None and isinstance(own, dict) and name != NONE:
                entry_of(name).check(name, own, origins.where(path), sources)
    return {name: values for name, values in common.items() if name != NONE}


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


def _check_hooks(wind: groups.WindSettings, python_path: tuple[str, ...], origins: Origins,
                 import_them: bool) -> bool:
    """Check the user's functions in the impulse pipeline; tell whether there are any."""
    where = groups.below(('wind',), origins)
    for key, name in wind.hooks._asdict().items():
        if name and not FUNCTION.fullmatch(name):
            raise bad_value(where(key), name, "'module:function'")
    if wind.hooks.blocking_function and not wind.wakes.wake:
        raise InputError(f"{where('blocking_function')} needs wakes; add wake: true")
    if import_them:
        for key, name in wind.hooks._asdict().items():
            if name:
                load_function(name, python_path, where(key))
    return any(wind.hooks)


def _check_until(written: ScenarioFile, robots: Sequence[Robot], python_path: tuple[str, ...],
                 origins: Origins, import_it: bool) -> bool:
    """Refuse a condition that cannot come true; tell whether it is a function of the user's."""
    until, where = written.until, origins.where(('until',))
    if until == 'goal_reached' and all(robot.goal is None for robot in robots):
        raise InputError(f"{where}: goal_reached needs a robot with a goal; give one a 'goal'")
    if until is None or ':' not in until:
        return False
    if import_it:
        load_function(until, python_path, where)
    return True
