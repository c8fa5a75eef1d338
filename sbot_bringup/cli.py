"""The command `sbot`: one line per error, exit codes 0, 1 (failed or differs), 2 (bad input)."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module

from sbot_bringup.recording import package_version
from sbot_common.errors import InputError

# In the order of --help. Each has `add_parsers(subparsers)`; its commands set `run`.
_COMMANDS = ('simulate_commands', 'replay', 'bag_commands', 'plot', 'view', 'wind_commands',
             'bench_commands')


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of all commands."""
    parser = argparse.ArgumentParser(
        prog='sbot', description='Wind-blown robot swarms in the plane: simulate, record, replay.')
    parser.add_argument('--version', action='version', version=f'sbot {package_version()}')
    subparsers = parser.add_subparsers(metavar='COMMAND', required=True)
    for module in _COMMANDS:
        import_module(f'sbot_bringup.{module}').add_parsers(subparsers)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; return its exit code."""
    from sbot_bringup.recorder import RecorderError
    from sbot_bringup.simulate_commands import end_on_signals
    from sbot_bringup.up import NodeFailed
    end_on_signals()
    try:
        arguments = make_parser().parse_args(argv)
        return int(arguments.run(arguments))
    except InputError as error:
        print(f'sbot: {error}', file=sys.stderr)
        return 2
    except (NodeFailed, RecorderError) as error:
        print(f'sbot: {error}', file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print('sbot: interrupted', file=sys.stderr)
        return 1
    except BrokenPipeError:  # whoever read our output has had enough, e.g. `head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


if __name__ == '__main__':
    sys.exit(main())
