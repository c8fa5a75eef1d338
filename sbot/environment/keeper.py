# SPDX-License-Identifier: Apache-2.0
"""Keeper of a user's command: ends it with all of its child processes.

A script of its own, started with the command's words. It ends everything when its standard input
does, as a pipe does whose other end dies, also by SIGKILL; or when a signal comes. Its exit code
is that of the command.
"""

import contextlib
import os
import select
import signal
import subprocess
import sys
import time

# s for each. SIGINT first: rclpy.spin may miss a SIGTERM while no message comes (its thread wakes
# it before the context is shut down), but no KeyboardInterrupt.
_STEPS = ((signal.SIGINT, 2.0), (signal.SIGTERM, 0.7), (signal.SIGKILL, 5.0))
_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER: what loses its parent becomes a child of ours


def _keep(words: list[str]) -> int:
    """Run a command to its end or ours; return its exit code."""
    if sys.platform == 'linux':
        import ctypes
        ctypes.CDLL(None).prctl(_SUBREAPER, 1)
    read_end, write_end = os.pipe()
    os.set_blocking(write_end, False)
    signal.set_wakeup_fd(write_end, warn_on_full_buffer=False)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD):
        signal.signal(number, lambda *_: None)
    try:
        child = subprocess.Popen(words, stdin=subprocess.DEVNULL, start_new_session=True)
    except OSError as error:
        print(f'{words[0]}: {error.strerror}', file=sys.stderr)
        return 127
    steps, due = iter(_STEPS), 0.0
    ending = False
    while child.poll() is None:
        ready, _, _ = select.select([read_end, *[0] * (not ending)], [], [],
                                    max(0.0, due - time.monotonic()) if ending else None)
        asked = read_end in ready and set(os.read(read_end, 4096)) - {signal.SIGCHLD}
        if child.poll() is None and (asked or 0 in ready or (
                ending and time.monotonic() >= due)):
            ending = True
            number, patience = next(steps, _STEPS[-1])
            due = time.monotonic() + patience
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child.pid, number)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)
    _end_children()
    return child.returncode if child.returncode >= 0 else 128 - child.returncode


def _end_children() -> None:
    """Kill all remaining processes that the command has started.

    What a killed process had started becomes ours: we look again until there is nothing.
    """
    while sys.platform == 'linux':
        with open(f'/proc/self/task/{os.getpid()}/children', encoding='ascii') as file:
            children = [int(pid) for pid in file.read().split()]
        if not children:
            return
        for pid in children:
            os.kill(pid, signal.SIGKILL)
        for pid in children:
            os.waitpid(pid, 0)


if __name__ == '__main__':
    sys.exit(_keep(sys.argv[1:]))
