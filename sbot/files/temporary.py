"""Temporary folders; those of processes that were killed are deleted by the next one.

Each has a file that its process keeps locked. The kernel unlocks it however that process ends.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import weakref
from pathlib import Path

try:
    import fcntl
except ImportError:  # not a POSIX system: nothing is locked, and nothing deleted later
    fcntl = None  # type: ignore[assignment]

_PREFIX = 'sbot_'
_LOCK = '.in_use'


class TemporaryFolder(tempfile.TemporaryDirectory[str]):
    """A temporary folder, deleted at the end of a ``with`` or with this object.

    Parameters
    ----------
    purpose : a word of its name

    """

    def __init__(self, purpose: str) -> None:
        delete_abandoned()
        super().__init__(prefix=f'{_PREFIX}{purpose}_')
        if fcntl is not None:
            weakref.finalize(self, os.close, _locked_file(Path(self.name)))


def _locked_file(folder: Path) -> int:
    """Return a file descriptor whose end unlocks a folder; it is locked before it has its name."""
    new = folder / f'{_LOCK}.new'
    file = os.open(new, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        new.rename(folder / _LOCK)
    except OSError:  # a file system without locks: nobody deletes what has no such file
        with contextlib.suppress(OSError):
            new.unlink()
    return file


def delete_abandoned() -> None:
    """Delete this user's temporary folders whose process has ended without doing so."""
    if fcntl is None:
        return
    with contextlib.suppress(OSError), os.scandir(tempfile.gettempdir()) as entries:
        for entry in entries:
            if entry.name.startswith(_PREFIX):
                _delete_if_abandoned(entry)


def _delete_if_abandoned(entry: os.DirEntry[str]) -> None:
    try:
        if not entry.is_dir(follow_symlinks=False) or (
                entry.stat(follow_symlinks=False).st_uid != os.getuid()):
            return
        file = os.open(Path(entry.path) / _LOCK, os.O_RDWR | os.O_NOFOLLOW)
    except OSError:  # without a lock, e.g. somebody else's folder; or just deleted
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:  # its process lives
        return
    else:
        shutil.rmtree(entry.path, ignore_errors=True)
    finally:
        os.close(file)
