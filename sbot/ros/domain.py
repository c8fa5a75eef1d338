# SPDX-License-Identifier: Apache-2.0
"""One simulation in a ROS domain: a lock on this machine, so that a second run is refused."""

from __future__ import annotations

import contextlib
import fcntl
import os
import tempfile
from pathlib import Path

from sbot_common.errors import InputError, bad_value
from sbot_common.topics import CLOCK

FREE = 'free'  # instead of a number: any domain without a run
# Of these `free` takes the first, from above: their ports are never handed out by Linux, and
# people begin to count at 0.
_CANDIDATES = range(100, 0, -1)
_HIGHEST = 232
_RESERVED = '/reserved'  # of the lock of a domain that `free` has given

_reserved: int | None = None  # descriptor of the last one of this process


def claim(domain: int, clock: str = CLOCK.name) -> int:
    """Take the lock of a domain; return its file descriptor.

    The lock ends with the process, however that ends, or when the descriptor is closed.

    Parameters
    ----------
    domain : ROS_DOMAIN_ID
    clock : resolved name of the clock's topic: simulations with clocks of their own get along

    Raises
    ------
    InputError
        if another simulation on this machine has it.

    """
    name = f'sbot_run_{domain}{clock.replace("/", "_")}.lock'
    path = Path(tempfile.gettempdir()) / name
    with contextlib.suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDONLY, 0o644))
    descriptor = os.open(path, os.O_RDONLY)  # also a file of another user
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        raise InputError(
            f'another simulation runs in ROS domain {domain} and publishes {clock}: wait for its '
            'end, set ROS_DOMAIN_ID to another number (sbot up --domain free finds one), or give '
            'one of them a namespace (sbot up --namespace; launch argument namespace)',
        ) from None
    return descriptor


def check_free(domain: int, clock: str = CLOCK.name) -> None:
    """Raise InputError if a simulation with that clock runs in a domain."""
    os.close(claim(domain, clock))


def _check_free_of_all(domain: int) -> None:
    """Raise InputError if a simulation runs in a domain, whatever its clock."""
    begin, end = f'sbot_run_{domain}', '.lock'
    for path in Path(tempfile.gettempdir()).glob(f'{begin}_*{end}'):
        clock = path.name[len(begin):-len(end)]
        if clock != _RESERVED.replace('/', '_'):
            check_free(domain, clock)


def current_domain() -> int:
    """Return the domain of nodes that this process starts.

    Raises
    ------
    InputError
        if ROS_DOMAIN_ID is no domain.

    """
    return parse_domain(os.environ.get('ROS_DOMAIN_ID') or '0', 'ROS_DOMAIN_ID')


def parse_domain(text: str, where: str = '--domain') -> int:
    """Return the domain that a number, or ``free``, stands for.

    A free one is not given to another process until this one ends, or gets another: its simulation
    takes the lock of a run seconds later only.

    Raises
    ------
    InputError
        if it is neither, or every domain that may be taken has a run.

    """
    if text == FREE:
        return _reserve_free()
    if not text.strip().isdecimal() or int(text) > _HIGHEST:
        raise bad_value(where, text, f"a number from 0 to {_HIGHEST}, or '{FREE}'")
    return int(text)


def _reserve_free() -> int:
    global _reserved
    for domain in _CANDIDATES:
        try:
            descriptor = claim(domain, _RESERVED)
        except InputError:
            continue
        try:
            _check_free_of_all(domain)
        except InputError:
            os.close(descriptor)
            continue
        before, _reserved = _reserved, descriptor
        if before is not None:
            os.close(before)
        return domain
    raise InputError(f'--domain {FREE}: a simulation runs in each of the domains '
                     f'{_CANDIDATES[-1]} to {_CANDIDATES[0]}')
