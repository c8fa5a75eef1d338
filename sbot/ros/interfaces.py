# SPDX-License-Identifier: Apache-2.0
"""Message packages that are not installed, made from their sources: messages and services.

``python -m sbot.ros.interfaces SOURCES FOLDER`` makes what Python needs for PYTHONPATH.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

from sbot.environment import message_package
from sbot.files.limits import TemporaryFolder
from sbot.ros.live_tf import ros_prefix
from sbot_common.errors import InputError, bad_value


def _make_interfaces(sources: Path, folder: Path) -> None:
    """Make a package of messages and services in FOLDER/PACKAGE; actions are left out.

    Parameters
    ----------
    sources : has package.xml, and msg/*.msg, srv/*.srv or both; nothing is written there
    folder : for PYTHONPATH

    Raises
    ------
    InputError
        where sources, generators or compilers are missing, a name is taken, or something fails.

    """
    try:
        package = (ElementTree.parse(sources / 'package.xml').findtext('name') or '').strip()
        found = any(any(sources.glob(f'{kind}/*.{kind}')) for kind in message_package.KINDS)
    except (OSError, ElementTree.ParseError) as error:
        raise InputError(f'{sources / "package.xml"}: {error}') from None
    if not package or not found:
        raise bad_value('sources', str(sources),
                        'a folder with package.xml, and msg/*.msg or srv/*.srv')
    prefix = ros_prefix()
    if prefix is None or message_package.compilers() is None:
        raise InputError(f'{package} needs the generators of ROS 2, gcc, g++ and Python.h; '
                         'install them')
    if (prefix / 'share' / package).is_dir():
        raise bad_value(f'{sources / "package.xml"}: <name>', package,
                        f'a package that is not installed; {prefix / "share" / package} is')
    target = folder / package
    with TemporaryFolder('interfaces') as place:
        if problem := message_package.make_in_child(
                sources.resolve(), Path(place), package, prefix):
            raise InputError(f'{package}: {problem}')
        try:
            shutil.copytree(Path(place) / 'made' / package, target)
        except OSError as error:
            raise InputError(f'{target}: cannot be written: '
                             f'{error.strerror or error}') from None


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
        _make_interfaces(arguments.sources, arguments.folder)
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print('interrupted', file=sys.stderr)
        return 1
    print(f'PYTHONPATH={arguments.folder.resolve()}')
    return 0


if __name__ == '__main__':
    sys.exit(main())
