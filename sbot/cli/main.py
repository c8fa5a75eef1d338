# SPDX-License-Identifier: Apache-2.0
"""The command `sbot`: exit codes 0, 1 (failed or differs), 2 (bad input); one line per error.

`sbot sweep` has 3, too: its runs are done, and some failed.
"""

from __future__ import annotations

import argparse
import atexit
import errno
import gc
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from sbot.cli.command import Command
from sbot_common.compiled.lazy import uncollected
from sbot_common.errors import (
    InputError,
    keep_warnings_plain,
    one_line,
    plain_lines,
    question,
)
from sbot_common.signals import came, end_on_signals, raise_swallowed

# In the order of --help: command, module and what it does. Only the module of the command given is
# imported: all of them take longer than many a command. Its `COMMANDS` has a `Command` by name.
COMMANDS = (
    ('list', 'library',
     'list scenarios, swarms, maps, wind fields, robots, controllers and tasks'),
    ('new', 'library',
     'write a commented scenario, with a controller or a ROS 2 node, to start from'),
    ('run', 'simulate', 'simulate a scenario in one process, without ROS'),
    ('pack', 'simulate', 'pack a run in one file, which repeats it elsewhere to the bit'),
    ('up', 'simulate', 'start the ROS 2 nodes of a scenario'),
    ('sweep', 'sweep', 'run a scenario over parameters and seeds, here or on a cluster'),
    ('sweep show', 'sweep_results', 'print the results of a sweep as a table'),
    ('sweep plot', 'sweep_results', 'draw the results of a sweep'),
    ('replay', 'replay', 'feed a recording to the controllers and compare every command'),
    ('debug', 'replay', 'open a Python prompt at a turn of a recording or scenario'),
    ('bag', 'bag', 'inspect, compare and export recordings'),
    ('plot', 'show', 'draw a recording or scenario as a picture or film'),
    ('view', 'show', 'show a recording in the browser, or a run live'),
    ('wind', 'wind', 'query, export or generate a wind field'),
    ('bench', 'bench', 'measure speed and memory on the standard workload'),
    ('bench navigation', 'navigation', 'compare controllers on a library of scenes'),
    ('docs', 'library', 'list the pages of the documentation, or read one'),
)

# What more is said of a word that a command does not know.
_HINTS = {
    ('sbot run', '--seeds'): 'for several seeds: sbot sweep SCENARIO --seeds 1:10',
    ('sbot bench', 'navigation'): 'options of sbot bench navigation come after that word'}
# What a disk, or an output that a shell has closed, may say at any time.
_DISK = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS, errno.EBADF)
_NAMES = (errno.ENAMETOOLONG, errno.ELOOP)  # of files that nobody can have


class _Version(argparse.Action):
    """Print the version and exit."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from sbot.version import VERSION
        print(f'sbot {VERSION}')
        parser.exit()


def make_parser(command: str | None = None) -> argparse.ArgumentParser:
    """Return the parser of one command, which knows the others by name only.

    Parameters
    ----------
    command : name; None or an unknown one: all are known by name only

    """
    parser = argparse.ArgumentParser(
        prog='sbot', allow_abbrev=False,
        description='Simulate robot swarms in wind: run, record, replay, compare.')
    parser.add_argument('--version', action=_Version, nargs=0,
                        help='print the version and exit')
    subparsers = parser.add_subparsers(metavar='COMMAND', required=True)
    for name, module, text in COMMANDS:
        if name != command:
            subparsers.add_parser(name, help=text)
            continue
        with uncollected():
            known: dict[str, Command] = import_module(f'sbot.cli.{module}').COMMANDS
        if name in known:
            _add_command(subparsers, name, known[name]._replace(help=text))
            continue
        within = subparsers.add_parser(name, help=text, description=_sentence(text))
        inner = within.add_subparsers(metavar='COMMAND', required=True)
        for each, of_command in known.items():
            _add_command(inner, each, of_command)
    return parser


def _add_command(subparsers: Any, name: str, command: Command) -> None:  # noqa: ANN401 - no public type
    """Add a command; ``run`` of its arguments runs it, ``parser`` is its parser."""
    parser = subparsers.add_parser(name, help=command.help, allow_abbrev=False,
                                   description=command.description or _sentence(command.help))
    known = []
    for heading, options in (('', command.options), *command.more):
        group = parser.add_argument_group(heading) if heading else parser
        for names, settings in options.items():
            group.add_argument(*names.split(), **settings)
            known += names.split()
    parser.set_defaults(run=command.run, parser=parser, known=known)


def _sentence(text: str) -> str:
    return f'{text[0].upper()}{text[1:]}.'


def _parse(given: Sequence[str]) -> argparse.Namespace:
    """Return the arguments of a command; exit with its usage for words that it does not know."""
    words = ' '.join(given[:2])  # `sweep show` is a command
    if words in [name for name, _, _ in COMMANDS]:
        given = [words, *given[2:]]
    # No option before the command takes a value.
    command = next((text for text in given if not text.startswith('-')), None)
    arguments, unknown = make_parser(command).parse_known_args(given)
    if unknown:
        option = next((each for each in unknown if each.startswith('--')), '')
        near = question(option.partition('=')[0], sorted(arguments.known), 0.7)
        hints = [_HINTS.get((arguments.parser.prog, each), '') for each in unknown]
        arguments.parser.error('; '.join(filter(None, (
            f'unrecognized arguments: {" ".join(unknown)}', near, *hints))))
    return arguments


def _failures() -> tuple[type[Exception], ...]:
    """Return what ends a command with exit code 1; looked up only when something has."""
    from sbot.bag.recorder import RecorderError
    from sbot.ros.up import NodeFailed
    from sbot_common.user_code import UserCodeError
    return NodeFailed, RecorderError, UserCodeError


def _drop_output() -> None:
    """Let Python flush what could not be written to nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _interrupted() -> int:
    # Python remembers an interrupt of source text that was executed, as `namedtuple` does, and
    # with -m ends by SIGINT whatever we return. More text makes it forget.
    exec('')
    print('sbot: interrupted', file=sys.stderr)
    return 1


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; return its exit code.

    Parameters
    ----------
    argv : its arguments; then signals have their handlers back afterwards. None: those of this
        process, which ends with the command

    """
    if argv is None:
        atexit.register(gc.freeze)  # the interpreter's end looks at no garbage: a third of a start
        _open_closed_streams()
    restore = end_on_signals()
    try:
        keep_warnings_plain()
        return _answer(sys.argv[1:] if argv is None else argv)
    except KeyboardInterrupt:
        return _interrupted()
    finally:
        if argv is not None:
            restore()


def _open_closed_streams() -> None:
    """Stand in for standard streams that a shell has closed (``>&-``); Python has None.

    Results that are written to a closed stdout are lost, which is an error (EBADF).
    """
    for name, mode, flags in (('stdin', 'r', os.O_RDONLY), ('stdout', 'w', os.O_RDONLY),
                              ('stderr', 'w', os.O_WRONLY)):
        if getattr(sys, name) is None:  # the new one takes the free number
            setattr(sys, name, open(os.open(os.devnull, flags), mode, encoding='utf-8'))  # noqa: SIM115


def _call(arguments: argparse.Namespace) -> int:
    try:
        return int(arguments.run(arguments))
    except InputError as error:
        if f"--{str(error).partition(':')[0]}" in arguments.known:  # an argument of a function
            raise InputError(f'--{error}') from None
        raise
    except SystemExit as error:  # with code 0 it would pass for a good run
        print(f'sbot: a module that the command imports raised SystemExit({error.code})',
              file=sys.stderr)
        return 1


def _answer(given: Sequence[str]) -> int:
    """Return the exit code of a command, or raise KeyboardInterrupt."""
    try:
        try:
            arguments = _parse(given)
            raise_swallowed()
            return _call(arguments)
        finally:
            sys.stdout.flush()  # here, where a full disk has a message
    except InputError as error:
        print(f'sbot: {error}', file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader of our output has closed it, e.g. `head`
        _drop_output()
        return 1
    except MemoryError:
        print('sbot: needs more memory than the machine has', file=sys.stderr)
        return 1
    except OSError as error:
        if error.errno in _NAMES and error.filename is not None:
            print(one_line(f'sbot: {error.filename}: {error.strerror}'), file=sys.stderr)
            return 2
        if error.errno not in _DISK:
            raise
        print(one_line(f'sbot: {error.filename or "output"}: {error.strerror}'), file=sys.stderr)
        _drop_output()
        return 1
    except Exception as error:
        if came():  # what some libraries make of an interrupt while they are imported
            raise KeyboardInterrupt from None
        if not isinstance(error, _failures()):
            raise
        of_user = getattr(error, 'traceback', str)()  # of a UserCodeError
        print(plain_lines(f'{of_user}sbot: {error}'), file=sys.stderr)
        return 1
