"""Isolation of users' modules in a sweep: no scenario sees the imports of another one."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path

from sbot.sweeps.plan import PlannedRun
from sbot.sweeps.simulate import Job


def module_folders(job: Job, run: PlannedRun) -> str:
    """Return where a run looks for a user's modules, as one text.

    Runs that look elsewhere need another process: one that has imported a module of this name from
    there would not look again.
    """
    values = {'python_path': job.parsed[run.source][0].get('python_path'),
              **job.fixed, **run.values}
    return repr((job.sources[run.source].directory, [
        (key, value) for key, value in values.items() if key.partition('.')[0] == 'python_path']))


@contextlib.contextmanager
def own_imports(forget: bool) -> Iterator[None]:
    """Give ``sys.path`` back as it was; with ``forget`` drop what was imported from new folders.

    Compiled modules do not survive being imported twice, so only who must forget does.
    """
    path, known = list(sys.path), set(sys.modules)
    try:
        yield
    finally:
        added = {folder for folder in sys.path if folder not in path}
        sys.path[:] = path
        if forget and added:
            own = {name for name in set(sys.modules) - known
                   if '.' not in name and _folder(name) in added}
            for name in [name for name in sys.modules if name.partition('.')[0] in own]:
                del sys.modules[name]


def _folder(name: str) -> str:
    """Return the folder in which an imported module or package was found."""
    module = sys.modules[name]
    file = getattr(module, '__file__', None)
    if not file:  # a package without __init__.py
        return str(Path(next(iter(getattr(module, '__path__', ())), '')).parent)
    path = Path(file)
    return str(path.parent.parent if path.name == '__init__.py' else path.parent)
