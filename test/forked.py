"""`subprocess.Popen` that forks children of Python from a server instead of starting them.

A test with the mark `forked` gets it as `subprocess.Popen`, and so do the processes that it starts
this way. Anything else than this interpreter with code, a module or a file, and settings that
Python or numba read when they start, are left to `subprocess`.
"""

import ctypes
import importlib.util
import inspect
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path

from fork_server import HEADER

SERVER = Path(__file__).with_name('fork_server.py')
KEEPER = ['-I', '-S', str(SERVER.parents[1] / 'sbot' / 'environment' / 'keeper.py')]
# What is read at the start or by imports; NUMBA_NUM_THREADS and PYTHONUNBUFFERED are read again.
READ_EARLY = ('HOME', 'LD_', 'MPL', 'NUMBA_', 'PYTHON', 'XDG_')
READ_AGAIN = ('NUMBA_NUM_THREADS', 'PYTHONPATH', 'PYTHONUNBUFFERED')
_SUBREAPER, _IS_SUBREAPER = 36, 37  # PR_SET_CHILD_SUBREAPER and PR_GET_CHILD_SUBREAPER
_ROOM = ' ' * 32768  # for a child's command and its environment, where /proc shows the server's
Started = subprocess.Popen
_lock = threading.Lock()


class Server:
    """The server of this process."""

    connection: socket.socket | None = None
    owner = 0  # process id: children of the server become this process's
    early: dict[str, str] = {}  # noqa: RUF012
    folders: list[str] = []  # noqa: RUF012
    path: list[str] = []  # noqa: RUF012


def early(environment: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environment.items()
            if name.startswith(READ_EARLY) and name not in READ_AGAIN}


def use_environment() -> None:
    """Keep what the server that starts now reads of the environment."""
    Server.early, Server.folders = early(os.environ), _folders(os.environ)
    Server.path = [*sys.path]


def use_server(connection: socket.socket) -> None:
    """Let children of this process come from the server at the other end of a connection."""
    Server.connection, Server.owner = connection, os.getpid()
    subprocess.Popen = Popen


def start_server() -> bool:
    """Start the server of this process, unless it has one; false where there can be none."""
    if sys.platform != 'linux':  # which has subreapers
        return False
    if Server.owner == os.getpid():
        return True
    mine, its = socket.socketpair()
    Started([sys.executable, str(SERVER), str(its.fileno()), _ROOM], pass_fds=[its.fileno()],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            env={**os.environ, 'FORK_SERVER_ROOM': _ROOM})
    its.close()
    Server.connection, Server.owner = mine, os.getpid()
    use_environment()
    return True


class Popen(Started):
    """Child process that may come from the server; used as any other."""

    def _execute_child(self, *given: object, **named: object) -> None:
        bound = inspect.signature(Started._execute_child).bind(self, *given, **named).arguments
        words = _words(bound)
        if words is None:
            super()._execute_child(*given, **named)
            return
        pipes = [bound[name] for name in ('p2cread', 'c2pwrite', 'errwrite')]
        fds = [number if pipe == -1 else pipe for number, pipe in enumerate(pipes)]
        passed = sorted(bound['pass_fds'])
        self.pid = _ask([*fds, *passed], {
            'words': words, 'pass_fds': passed, 'cwd': os.fspath(bound['cwd'] or os.getcwd()),
            'env': dict(os.environ if bound['env'] is None else bound['env']),
            'session': bool(bound['start_new_session']),
            'mask': [int(number) for number in signal.pthread_sigmask(signal.SIG_BLOCK, [])],
            'ignored': [int(number) for number in signal.valid_signals()
                        if signal.getsignal(number) == signal.SIG_IGN]})
        self._child_created = True
        devnull = getattr(self, '_devnull', None)
        others = [bound[name] for name in ('p2cwrite', 'c2pread', 'errread')]
        for its, ours in zip(pipes, others, strict=True):
            if its != -1 and ours != -1 and its != devnull:
                os.close(its)
        if devnull is not None:
            os.close(devnull)
        self._closed_child_pipe_fds = True


def _words(bound: dict) -> list[str] | None:
    """Return what follows the interpreter's name, or None: this is to be started."""
    if Server.owner != os.getpid() or any(
            bound[name] for name in ('preexec_fn', 'shell', 'executable', 'gid', 'gids', 'uid')
            if bound[name] is not None and bound[name] != -1):
        return None
    if isinstance(bound['args'], str | bytes | os.PathLike):
        return None
    words = [os.fspath(word) for word in bound['args']]
    if words[1:4] == KEEPER:  # of a user's node, which is forked, too
        del words[1:3]
    if words[0] != sys.executable or len(words) < 2 or not (
            words[1] in ('-c', '-m') or words[1].endswith('.py')
            or Path(words[1]).parent == Path(sys.executable).parent):  # of an entry point
        return None
    environment = os.environ if bound['env'] is None else bound['env']
    if early(environment) != Server.early or not _only_adds(_folders(environment)):
        return None
    return words[1:]


def _folders(environment: Mapping[str, str]) -> list[str]:
    return [folder for folder in environment.get('PYTHONPATH', '').split(os.pathsep) if folder]


def _only_adds(folders: list[str]) -> bool:
    """Whether a PYTHONPATH has the server's folders, and others only with new modules.

    Not with a module that the server may have imported, nor with a package's entry points.
    """
    added = [Path(folder) for folder in folders if folder not in (*Server.folders, *Server.path)]
    files = [each for folder in added if folder.is_dir() for each in folder.iterdir()]
    names = {name for each in files if each.suffix in ('', '.py', '.so')
             if (name := each.name.partition('.')[0])}  # not of hidden files
    return (set(Server.folders) <= set(folders)
            and not any(importlib.util.find_spec(name) for name in names)
            and not any(each.suffix in ('.dist-info', '.egg-info') for each in files))


def _ask(fds: list[int], request: dict) -> int:
    """Return the process id of a new child of this process."""
    body = json.dumps(request).encode()
    connection = Server.connection
    assert connection is not None
    libc, before = ctypes.CDLL(None), ctypes.c_int()
    with _lock:
        libc.prctl(_IS_SUBREAPER, ctypes.byref(before), 0, 0, 0)
        libc.prctl(_SUBREAPER, 1, 0, 0, 0)
        try:
            socket.send_fds(connection, [HEADER.pack(len(body))], fds)
            connection.sendall(body)
            answer = connection.recv(HEADER.size, socket.MSG_WAITALL)
        finally:
            libc.prctl(_SUBREAPER, before.value, 0, 0, 0)
    if len(answer) < HEADER.size:
        raise RuntimeError('the fork server has ended; its last words are on stderr')
    return HEADER.unpack(answer)[0]
