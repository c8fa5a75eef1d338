"""A ROS domain that no other run of these tests on this machine uses."""

import os
import tempfile
from pathlib import Path

# Domains whose UDP ports lie above those that Linux hands out by itself (up to 60999): nobody
# else can be there first. Others that are safe, 0 to 101, are what people choose for their robots.
DOMAINS = range(215, 233)


def lock_domain() -> int:
    """Return a free domain, locked until this process ends; without locks one by chance."""
    try:
        import fcntl
    except ImportError:  # not a POSIX system
        return DOMAINS[os.getpid() % len(DOMAINS)]
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
        return domain  # the file stays open, and so locked
    raise RuntimeError(f'all ROS domains from {DOMAINS[0]} to {DOMAINS[-1]} are in use by tests')
