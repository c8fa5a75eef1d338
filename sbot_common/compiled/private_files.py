"""Private files and folders, which nobody else can write to: code is executed only from these.

Others are all users but this one and root. Access control lists are not looked at.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

_CHECKED = hasattr(os, 'getuid')  # elsewhere than on POSIX folders of a user are private


def is_private(status: os.stat_result) -> bool:
    """Tell whether only this user, or root, can write to a file or a folder.

    A group counts as others, unless it is the user's own, of the same name and without members.
    """
    if not _CHECKED:
        return True
    if status.st_uid not in (os.getuid(), 0) or status.st_mode & stat.S_IWOTH:
        return False
    return not status.st_mode & stat.S_IWGRP or _is_own_group(status.st_gid)


def _is_own_group(number: int) -> bool:
    import grp  # only on POSIX, and slow where a network answers
    import pwd
    try:
        user, group = pwd.getpwuid(os.getuid()), grp.getgrgid(number)
    except KeyError:
        return False
    return user.pw_gid == number and group.gr_name == user.pw_name and not (
        {*group.gr_mem} - {user.pw_name})


def shared_part(folder: Path) -> Path | None:
    """Return the folder on the way to this one, or itself, that others can write to; else None.

    Whoever can write to a folder can put another one in the place of one in it, except where it is
    sticky, as the temporary folder is.

    Parameters
    ----------
    folder : exists, without symbolic links

    """
    for part in (*reversed(folder.parents), folder):
        status = part.stat()
        sticky = part != folder and status.st_mode & stat.S_ISVTX and status.st_uid == 0
        if not sticky and not is_private(status):
            return part
    return None


def make_private(folder: Path) -> Path:
    """Make a folder, and those above it, for this user alone; return it without symbolic links."""
    for part in (*reversed(folder.parents), folder):
        part.mkdir(mode=0o700, exist_ok=True)
    return folder.resolve()


def write_private(path: Path, data: bytes) -> None:
    """Write a new file that this user alone can read and write."""
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), 'wb') as file:
        file.write(data)
