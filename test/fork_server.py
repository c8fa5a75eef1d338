"""Process that has loaded what commands and nodes need, and forks a child for each command.

A started Python pays two seconds for imports and machine code, a fork a few milliseconds. What a
child gets is what a started one would have: arguments, folder, environment (in /proc, too), the
standard streams, passed descriptors, signal mask and ignored signals, session, and the process
that asked as its parent. `forked.py` asks.
"""

import atexit
import ctypes
import fcntl
import gc
import inspect
import json
import os
import runpy
import signal
import socket
import struct
import sys
import tempfile
import threading
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

HEADER = struct.Struct('!i')  # length of a request, or a process id
MOST_FDS = 32
MODULES = (
    'matplotlib.backends.backend_agg', 'matplotlib.figure', 'sbot.api', 'tqdm',
    'sbot.bag.recorder', 'sbot.bag.tables', 'sbot.cli.main', 'sbot.cli.simulate',
    'sbot.cli.sweep', 'sbot.cli.replay', 'sbot.cli.bag', 'sbot.cli.show',
    'sbot.runner.loop', 'sbot.regression.replay', 'sbot.scenario.load', 'sbot.sweeps.guard',
    'sbot.sweeps.experiment', 'wind_model.generate', 'sbot.controllers.neural.function_policy')
NODES = ('sbot.ros.composed', 'sbot.ros.controller_bot', 'sbot.ros.simulator', 'sbot.ros.up',
         'potential_field_bot.node', 'wind_model.node', 'sbot_common.ros.executor',
         'rosidl_generator_py')
MESSAGES = ('builtin_interfaces.msg', 'diagnostic_msgs.msg', 'geometry_msgs.msg', 'nav_msgs.msg',
            'rcl_interfaces.msg', 'rosgraph_msgs.msg', 'sensor_msgs.msg', 'service_msgs.msg',
            'std_msgs.msg', 'std_srvs.srv', 'type_description_interfaces.msg',
            'visualization_msgs.msg')
SCENARIOS = ('leader_follower', 'evolved_aggregation')  # whose machine code is loaded

Request = dict[str, Any]


def receive(connection: socket.socket) -> tuple[Request, list[int]] | None:
    """Return a request and its descriptors, or None at the end."""
    head, fds, _, _ = socket.recv_fds(connection, HEADER.size, MOST_FDS)
    if not head:
        return None
    size, body = HEADER.unpack(head)[0], b''
    while len(body) < size:
        part = connection.recv(size - len(body))
        if not part:
            return None
        body += part
    return json.loads(body), fds


def fork_orphan(connection: socket.socket) -> bool:
    """Fork a process that the caller, as the nearest subreaper, adopts; true in that process."""
    go, told = os.pipe()
    ids, tell = os.pipe()
    between = os.fork()
    if between == 0:
        child = os.fork()
        if child:
            os.write(tell, HEADER.pack(child))
            os._exit(0)
        os.close(told)
        os.read(go, 1)  # until it is adopted: it may ask for its parent
        for fd in (go, ids, tell):
            os.close(fd)
        return True
    for fd in (go, tell):
        os.close(fd)
    os.waitpid(between, 0)
    connection.sendall(os.read(ids, HEADER.size))
    for fd in (told, ids):
        os.close(fd)
    return False


def serve(connection: socket.socket) -> tuple[Request, list[int]]:
    """Fork a child for each request; return in the children only, with what each shall be."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # of a terminal: whoever asks ends with it
    while True:
        received = receive(connection)
        if received is None:
            os._exit(0)
        if fork_orphan(connection):
            connection.close()
            return received
        for fd in received[1]:
            os.close(fd)


def place(fds: list[int], numbers: list[int]) -> None:
    """Put received descriptors at the numbers where the command expects them."""
    high = max([*fds, *numbers]) + 1
    copies = [fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, high) for fd in fds]
    for fd in fds:
        os.close(fd)
    for copy, number in zip(copies, numbers, strict=True):
        os.dup2(copy, number, inheritable=True)
        os.close(copy)


def show(command: list[str], environment: dict[str, str]) -> None:
    """Write a command and an environment where /proc shows those that this process began with."""
    bounds = Path('/proc/self/stat').read_text().rpartition(')')[2].split()[45:49]
    values = (command, [f'{name}={value}' for name, value in environment.items()])
    for texts, begin, end in zip(values, bounds[::2], bounds[1::2], strict=True):
        size = int(end) - int(begin)
        text = b''.join(os.fsencode(each) + b'\0' for each in texts)[:size - 1]
        ctypes.memmove(int(begin), text.ljust(size, b'\0'), size)


def become(request: Request, fds: list[int]) -> None:
    """Make this process what a started one would be when its code begins."""
    place(fds, [0, 1, 2, *request['pass_fds']])
    os.chdir(request['cwd'])
    os.environ.clear()
    os.environ.update(request['env'])
    show([sys.executable, *request['words']], request['env'])
    tempfile.tempdir = None
    if 'numba' in sys.modules:
        sys.modules['numba'].config.reload_config()  # NUMBA_NUM_THREADS
    if os.environ.get('PYTHONUNBUFFERED'):
        sys.stdout.reconfigure(write_through=True)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in request['ignored']:
        signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_SETMASK, request['mask'])


def execute(words: list[str], path: list[str]) -> None:
    """Execute what follows the name of the interpreter: -c CODE, -m MODULE or FILE, arguments."""
    own = os.environ.get('PYTHONPATH', '').split(os.pathsep)
    path = [*(each for each in own if each and each not in path), *path]
    if words[0] == '-c':
        sys.argv = ['-c', *words[2:]]
        sys.path = ['', *path]
        module = sys.modules['__main__'] = ModuleType('__main__')
        exec(compile(words[1], '<string>', 'exec'), module.__dict__)
    elif words[0] == '-m':
        sys.argv = words[1:]
        sys.path = [os.getcwd(), *path]
        runpy.run_module(words[1], run_name='__main__', alter_sys=True)
    else:
        sys.argv = words
        sys.path = [str(Path(words[0]).resolve().parent), *path]
        runpy.run_path(words[0], run_name='__main__')


def exit_code(error: BaseException) -> int:
    """Return the exit code that an exception gives a program, and print what Python prints."""
    if not isinstance(error, SystemExit):
        sys.excepthook(type(error), error, error.__traceback__)
        return -signal.SIGINT if isinstance(error, KeyboardInterrupt) else 1
    if error.code is None or isinstance(error.code, int):
        return error.code or 0
    print(error.code, file=sys.stderr)
    return 1


def leave(code: int) -> None:
    """End this process, but do not take modules apart.

    Libraries of ROS that a server has loaded and a child has used crash there now and then.
    """
    threading._shutdown()
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            code = code or 120  # as Python
    if code == -signal.SIGINT:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
    os._exit(code & 0xff)


def split(request: Request, fds: list[int]) -> tuple[socket.socket, bool]:
    """Fork a server for the children of this child; return its end, and whether this is it."""
    if request['session']:
        os.setsid()
    mine, its = socket.socketpair()
    if os.fork():
        its.close()
        number = fcntl.fcntl(mine, fcntl.F_DUPFD_CLOEXEC, max([*fds, *request['pass_fds']]) + 1)
        mine.close()
        return socket.socket(fileno=number), False
    for fd in fds:
        os.close(fd)
    mine.close()
    return its, True


def load() -> None:
    """Import modules, load machine code by runs of three ticks, and fill caches of libraries."""
    for name in MODULES:
        import_module(name)
    if find_spec('rclpy'):
        load_nodes()
    from sbot.runner.loop import run_scenario
    from sbot.scenario.load import load_scenario
    for name in SCENARIOS:
        run_scenario(load_scenario(name, {'duration': 0.1}))
    with tempfile.TemporaryDirectory() as folder:  # what a recording needs
        run_scenario(load_scenario(SCENARIOS[0], {'duration': 0.1}), record=f'{folder}/bag')
    tempfile.tempdir = None
    inspect.getmodule(inspect.currentframe())  # paths of modules: rclpy's logger asks for them


def load_nodes() -> None:
    """Import modules of nodes, libraries of messages, and functions that only nodes call."""
    for name in NODES:
        import_module(name)
    for name in MESSAGES:
        kind = next(each for each in vars(import_module(name)).values() if isinstance(each, type))
        type(kind).__import_type_support__()
    from potential_field_bot.bot import check_frequency
    from potential_field_bot.controller import generate_goal
    from sbot_common.angles import yaw_from_quaternion
    generate_goal(0.0, 0.0, 0.5, 0.5)
    check_frequency(0, 1.0, 30.0)
    yaw_from_quaternion(0.0, 0.0, 0.0, 1.0)


def main() -> None:
    """Serve the socket whose descriptor is the argument."""
    import forked
    from shared_compilation import compile_once
    path = sys.path[1:]
    sys.path[:] = path  # folders of tests have the names of packages
    forked.use_environment()
    compile_once()
    load()
    gc.collect()
    gc.freeze()  # no garbage collection touches these pages, which are shared
    connection, serves = socket.socket(fileno=int(sys.argv[1])), True
    while serves:
        request, fds = serve(connection)
        connection, serves = split(request, fds)
    forked.use_server(connection)
    become(request, fds)
    code = 0
    try:
        execute(request['words'], path)
    except BaseException as error:
        code = exit_code(error)
    leave(code)


if __name__ == '__main__':
    main()
