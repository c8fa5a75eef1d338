"""Message packages that are not installed, made from their sources: messages and services.

``python -m sbot.ros.interfaces SOURCES FOLDER`` makes what Python needs for PYTHONPATH.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from sbot.environment import message_package
from sbot.environment.child_python import python_command
from sbot.environment.message_names import check_free
from sbot.environment.message_sources import read_sources
from sbot.files.temporary import TemporaryFolder
from sbot.ros.live_tf import ros_prefix
from sbot_common.errors import InputError, bad_value

_TIMEOUT = (600.0, 60.0)  # s: for a package, and for each file, which has seconds of work


def make_interfaces(sources: Path, folder: Path) -> None:
    """Make a package of messages and services in FOLDER/PACKAGE; actions are left out.

    Parameters
    ----------
    sources : has package.xml, and msg/*.msg, srv/*.srv or both; nothing is written there
    folder : for PYTHONPATH

    Raises
    ------
    InputError
        where sources, generators or compilers are missing, a name is taken, a source is none of
        ROS 2, or something fails.

    """
    found = read_sources(sources)
    package, prefix = found.package, ros_prefix()
    if prefix is None or message_package.compilers() is None:
        raise InputError(f'{package} needs the generators of ROS 2, gcc, g++ and Python.h; '
                         'install them')
    check_free(f'{sources / "package.xml"}: <name>', package, prefix)
    target = folder / package
    if os.path.lexists(target):
        raise bad_value('folder', str(folder), f'one without {package}')
    with TemporaryFolder('interfaces') as place:
        found.write(Path(place) / package)
        _make(package, prefix, place, _TIMEOUT[0] + _TIMEOUT[1] * len(found.texts))
        try:
            shutil.copytree(Path(place) / 'made' / package, target)
        except OSError as error:
            raise InputError(f'{target}: cannot be written: '
                             f'{error.strerror or error}') from None


def _make(package: str, prefix: Path, place: str, timeout: float) -> None:
    """Generate and compile in a process of its own, which ends with all that it started."""
    command = python_command('from sbot.environment.message_package import main; '
                             'sys.exit(main(*sys.argv[1:]))', place, package, str(prefix))
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                             stderr=subprocess.PIPE, text=True, errors='replace',
                             start_new_session=True)
    try:
        _, output = child.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        raise InputError(f'{package}: making it took more than {timeout:g} s') from None
    finally:  # also after Ctrl-C, which it does not get
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()
    if child.returncode:
        reason = output.strip() or f'exit code {child.returncode}'
        raise InputError(f'{package}: {reason.splitlines()[-1]}')


def main(argv: Sequence[str] | None = None) -> int:
    """Make a package; return the exit code."""
    parser = argparse.ArgumentParser(allow_abbrev=False, prog='python -m sbot.ros.interfaces',
                                     description='Make the Python package of message types '
                                                 'that are not installed. More: docs/ros2.md.')
    parser.add_argument('sources', metavar='SOURCES', type=Path,
                        help='folder with package.xml, and msg or srv')
    parser.add_argument('folder', metavar='FOLDER', type=Path,
                        help='folder to write the package to, for PYTHONPATH')
    arguments = parser.parse_args(argv)
    try:
        make_interfaces(arguments.sources, arguments.folder)
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    except OSError as error:  # of the temporary folder, e.g. a full disk
        print(f'{error.filename or "temporary files"}: {error.strerror}', file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print('interrupted', file=sys.stderr)
        return 1
    print(f'PYTHONPATH={arguments.folder.resolve()}')
    return 0


if __name__ == '__main__':
    sys.exit(main())
