"""Entries of `bodies` and `controllers` that no robot uses: mostly misspelt names."""

from __future__ import annotations

from collections.abc import Iterator

from sbot.files.yaml_text import Origins
from sbot.scenario.model import ScenarioFile
from sbot_common.errors import hint


def unused_entries(written: ScenarioFile, origins: Origins) -> Iterator[str]:
    """Yield a warning for each unused body and each unused set of controller parameters.

    There is none for a file's entries where the user gives its robots others.
    """
    for group, key, what in (('bodies', 'body', 'body'),
                             ('controllers', 'controller', 'controller')):
        used = {getattr(robot, key) for robot in written.robots}
        needed = _with_models(used, written) if group == 'bodies' else used
        chosen = any(path[:1] == ('robots',) and path[2:] in ((), (key,))
                     for path in origins.overrides)
        for name in getattr(written, group):
            own = sorted((path for path in origins.overrides if path[:2] == (group, name)),
                         key=str)
            if name not in needed and (own or not chosen):
                yield (f'{origins.where(own[0] if own else (group, name))}: has no effect: '
                       f"no robot has this {what}; {hint(name, used, 'in use')}")


def _with_models(used: set[str], written: ScenarioFile) -> set[str]:
    """Return bodies in use, and those that they are like."""
    needed: set[str] = set()
    waiting = sorted(used)
    while waiting:
        name = waiting.pop()
        if name not in needed:
            needed.add(name)
            model = written.bodies.get(name, {}).get('like', 'robot')
            waiting += [model] if name in written.bodies and isinstance(model, str) else []
    return needed
