# SPDX-License-Identifier: Apache-2.0
"""Registry of tasks: the ``ENTRY`` of each module here, and ``module:ENTRY`` of users' modules."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from sbot.controllers.registry import load_named
from sbot.learn.task import Task
from sbot.learn.task_checks import checked_ranges
from sbot.learn.tasks.entry import Entry, Scene
from sbot.scenario.model import Scenario
from sbot.worlds.setting import MOST_TICKS
from sbot_common.arguments import whole
from sbot_common.errors import InputError, bad_value, unknown_name
from sbot_common.user_code import call_user_code, records_of

_MOST_ROBOTS = 1_000_000
_LONGEST = 1e9  # s, of an episode


@lru_cache(maxsize=1)
def entries() -> dict[str, Entry]:
    """Return the entries of the package by name, in alphabetical order."""
    found: list[Entry] = records_of(__package__, 'ENTRY')
    return {entry.name: entry for entry in sorted(found, key=lambda entry: str(entry.name))}


def entry_of(name: str) -> Entry:
    """Return the entry of a task: of the package, or of a module of the user's.

    Parameters
    ----------
    name : of a task of the package, or ``module:ENTRY``; such an entry has this as its name.
        The module may be in the current folder; it is executed

    Raises
    ------
    InputError
        for an unknown name, with the nearest known one, and for what is no name; if the module
        cannot be imported, or has no such entry; for a field of the entry that is wrong.
    UserCodeError
        if the class of its scenes cannot be made without arguments.

    """
    found = _load(name)
    if not isinstance(found, Entry):
        raise bad_value('task', name, 'an Entry, which has a metric; a class has none')
    return found


def scene_of(name: str) -> Scene:
    """Return the task of a name with scenes of its own; ``module:Class`` is enough for it."""
    found = _load(name)
    if isinstance(found, Entry):
        return found.make_scene()
    if not issubclass(found, Scene):
        raise bad_value('task', name, 'a class of Scene, which has scenes of its own')
    scene: Scene = call_user_code(found, lambda: f'{found.__name__}()')
    _check_scene(scene)
    return scene


def make_task(task: Task | str | None, scenario: Scenario) -> Task:
    """Return a task, checked; None: the shipped one that a scenario's goals and sensors suggest.

    Raises
    ------
    InputError
        for an unknown name, or something else; ``module:Class`` is enough.

    """
    if task is None:
        if scenario.robots[0].goal is not None:
            task = 'reach_goal' if len(scenario.robots) == 1 else 'follow_leader'
        else:
            task = 'avoid_obstacles'
    if isinstance(task, str):
        found = _load(task)
        kind: type[Task] = found.task if isinstance(found, Entry) else found
        task = call_user_code(kind, lambda: f'{kind.__name__}()')
    if isinstance(task, type) and issubclass(task, Task):
        raise bad_value('task', f'the class {task.__name__}', f'an object; did you mean '
                        f'{task.__name__}()?')
    if not isinstance(task, Task):
        raise bad_value('task', task, f"a Task, module:ENTRY, or one of {', '.join(entries())}")
    checked_ranges(task.randomise)
    if isinstance(task, Scene):
        _check_scene(task)
    _check_task(task)
    return task


def home_of(task: Task | str | None) -> tuple[dict[str, Any], Scene]:
    """Return a scenario of a task's own scenes, and the task that draws the others.

    Raises
    ------
    InputError
        without a task, or if the task has no scenes.

    """
    if task is None:
        raise InputError('an environment needs a scenario, or a task with scenes of its own; give '
                         'task=')
    if isinstance(task, Task) and not isinstance(task, Scene):
        raise InputError(f'{type(task).__name__} needs scenario, as it has no scenes of its own; '
                         'give scenario=')
    scene = task if isinstance(task, Scene) else scene_of(task)
    return scene.scenario(0), scene


def _load(name: str) -> Any:  # noqa: ANN401
    """Return the Entry of a name, or the class of Task that ``module:NAME`` names."""
    if not isinstance(name, str):
        raise bad_value('task', name, f"a name: module:ENTRY, or one of {', '.join(entries())}")
    if name in entries():
        return entries()[name]
    if ':' not in name:
        raise unknown_name('task', name, [*entries(), 'module:ENTRY'])
    found = load_named(name, (str(Path.cwd()),), 'task', 'task', _is_task)
    if found in (Task, Scene):
        raise bad_value('task', name, 'a class of your own')
    if not isinstance(found, Entry):
        return found
    entry = found._replace(name=name)
    try:
        entry.network()
        _check_scene(entry.make_scene())
    except InputError as error:
        raise InputError(f'task: {name}: {error}') from None
    return entry


def _is_task(value: object) -> bool:
    return isinstance(value, Entry) or (inspect.isclass(value) and issubclass(value, Task))


def _check_scene(scene: Scene) -> None:
    """Raise InputError for attributes of a task with scenes of its own.

    What only environments would draw is refused, as runs would not have it.
    """
    name = type(scene).__name__
    for what, is_own, instead in (
            ('begin()', type(scene).begin is not Scene.begin,
             'draw the wind in weather() and poses in start()'),
            ('goals()', type(scene).goals is not Scene.goals, 'draw goals in aims()'),
            ('randomise', bool(scene.randomise), 'draw the wind in weather()')):
        if is_own:
            raise InputError(f'task: {what} of {name} cannot be combined with Scene, as it would '
                             f'not reach scenario(seed); {instead}, or use a class of Task')
    _check_task(scene)
    whole('team of the task', scene.team, 1, _MOST_ROBOTS)


def _check_task(task: Task) -> None:
    """Raise InputError for attributes of a task: another type, or a number out of range."""
    if isinstance(task.senses, str) or not isinstance(task.senses, Sequence):
        raise bad_value('senses of the task', task.senses, 'a list of names of sensors')
    whole('hold of the task (ticks)', task.hold, 1, MOST_TICKS)
    if not isinstance(task.seconds, int | float) or not 0.0 < task.seconds <= _LONGEST:
        raise bad_value('seconds of the task', task.seconds,
                        f'a number > 0 and <= {_LONGEST:g} (s)')
