"""A ROS domain that no other run of these tests on this machine uses."""

import contextlib
import os
import tempfile
from pathlib import Path

# Domains whose UDP ports lie above those that Linux hands out by itself (up to 60999): nobody
# else can be there first. Others that are safe, 0 to 101, are what people choose for their robots;
# machines with many processors take some of these, too.
DOMAINS = (*range(215, 233), *range(40, 60))


def is_inhabited(domain: int) -> bool:
    """Tell whether a process was started in a domain: an earlier run has left it behind, say.

    Its nodes would be found by those of tests.
    """
    mark = f'ROS_DOMAIN_ID={domain}'.encode()
    for file in Path('/proc').glob('[0-9]*/environ'):
        with contextlib.suppress(OSError):
            if mark in file.read_bytes().split(b'\0'):
                return True
    return False


def lock_domain() -> int:
    """Return a free domain, locked until this process ends; without locks one by chance.

    One without processes is better than one in which some are left.
    """
    try:
        import fcntl
    except ImportError:  # not a POSIX system
        return DOMAINS[os.getpid() % len(DOMAINS)]
    inhabited: dict[int, int] = {}  # and their locks
    found = None
    for domain in DOMAINS:
        path = Path(tempfile.gettempdir()) / f'potential_field_bot_domain_{domain}.lock'
        try:
            file = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        except PermissionError:  # made by another user
            continue
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(file)
            continue
        if not is_inhabited(domain):
            found = domain  # the file stays open, and so locked
            break
        inhabited[domain] = file
    if found is None and inhabited:
        found = next(iter(inhabited))
        del inhabited[found]
    for file in inhabited.values():
        os.close(file)
    if found is None:
        raise RuntimeError(f'tests use all of their {len(DOMAINS)} ROS domains already')
    return found
