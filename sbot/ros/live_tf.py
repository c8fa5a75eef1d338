# SPDX-License-Identifier: Apache-2.0
"""Messages that no wheel has (tf2_msgs, ackermann_msgs): type support, kept with machine code.

What was made of a package is a folder for PYTHONPATH. Its name is a hash over what it was made
with, so that an update makes another; it appears as a whole, so that an interrupt or a second
process at the same time does no harm.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path

from sbot.controllers.registry import is_outside
from sbot.environment import message_package
from sbot.scenario.model import Scenario
from sbot_common import topics
from sbot_common.compiled.cache import CACHE_DIRECTORY
from sbot_common.wire.cdr import OTHER_PACKAGES
from sbot_sim.drives.registry import drive_of

_TF = 'tf2_msgs'
_PACKAGES = {_TF: {'TFMessage': 'geometry_msgs/TransformStamped[] transforms\n'},
             **OTHER_PACKAGES}
# What is missing without them.
_LOST = {_TF: '/tf and /tf_static are only in recordings',
         'ackermann_msgs': f'{topics.DRIVE.name} is not heard'}
_INPUTS = ('geometry_msgs', 'std_msgs', 'builtin_interfaces', 'fastcdr', 'rmw', 'rosidl_adapter',
           'rosidl_generator_c', 'rosidl_generator_py', 'rosidl_generator_type_description',
           'rosidl_runtime_c', 'rosidl_typesupport_c', 'rosidl_typesupport_fastrtps_c',
           'rosidl_typesupport_introspection_c')
_BUILD_TIMEOUT = 120.0  # s; a busy machine


def packages_of(scenario: Scenario) -> list[str]:
    """Return the packages that no wheel has whose messages go to or from a scenario's nodes.

    A node that watches a car may have the messages of its drive, too, whoever drives it.
    """
    drives = {drive_of(scenario.bodies[robot.body].drive) for robot in scenario.robots
              if scenario.record_topics or is_outside(robot.controller)}
    used = {drive.message.topic.type.partition('/')[0] for drive in drives if drive.message}
    return [name for name in _PACKAGES if name == _TF or name in used]


def messages_path(say: Callable[[str], None], packages: Iterable[str] = (_TF,),
                  cache: Path | None = None) -> list[str]:
    """Return the folders that nodes need in PYTHONPATH for packages.

    None of a package that is installed, or cannot be made. The first time it is made, in a second
    or three of processor time.

    Parameters
    ----------
    say : called with a line, if one is made or that fails
    packages : of ``packages_of``
    cache : where it is kept; None: with machine code

    """
    folders = [_folder(name, say, cache or CACHE_DIRECTORY) for name in packages]
    return [folder for folder in folders if folder]


def _folder(package: str, say: Callable[[str], None], cache: Path) -> str:
    """Return the folder of one package; '' where it is installed, or cannot be made."""
    prefix = ros_prefix()
    if find_spec(package) is not None or prefix is None or message_package.compilers() is None:
        return ''  # the simulator says that it is missing
    folder = cache / f'messages-{_key(package, prefix)}'
    if folder.is_dir():
        return str(folder)
    say(f'making {package}, this first time only; nothing else is needed (a node that uses its '
        f'messages and is started by hand needs PYTHONPATH={folder})')
    problem = _make(package, folder, prefix)
    if problem:
        say(f'{package}: {problem}; {_LOST[package]}')
        return ''
    return str(folder)


def main() -> int:
    """Print what `messages_path` returns for all packages; return the exit code."""
    folders = messages_path(lambda line: print(line, file=sys.stderr), _PACKAGES)
    missing = [name for name in _PACKAGES if find_spec(name) is None]
    if folders:
        print(os.pathsep.join(folders))
    elif missing:
        print(f'{", ".join(missing)} cannot be made here (docs/ros2_topics.md)', file=sys.stderr)
    else:
        print(f'{", ".join(_PACKAGES)}: installed, nothing to add', file=sys.stderr)
    return 0 if folders or not missing else 1


def with_path(environment: dict[str, str], folders: Sequence[str]) -> dict[str, str]:
    """Return an environment in which Python finds modules in folders, too, after all others."""
    if not folders:
        return environment
    before = environment.get('PYTHONPATH', '')
    return {**environment, 'PYTHONPATH': os.pathsep.join([before] * bool(before) + [*folders])}


def ros_prefix() -> Path | None:
    """Return where ROS 2 is installed with its generators; None where it is without them."""
    if any(find_spec(name) is None for name in _INPUTS if name.startswith('rosidl_') and (
            'generator' in name or 'adapter' in name)):
        return None
    spec = find_spec('geometry_msgs')
    origin = Path(spec.origin) if spec is not None and spec.origin else Path()
    return next((path for path in origin.parents
                 if (path / 'share' / 'geometry_msgs' / 'package.xml').is_file()), None)


def _key(package: str, prefix: Path) -> str:
    digest = sha256(repr((sys.version, str(prefix), package, _PACKAGES[package])).encode())
    for path in (*(prefix / 'share' / name / 'package.xml' for name in _INPUTS),
                 Path(message_package.__file__)):
        with contextlib.suppress(OSError):
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _make(package: str, folder: Path, prefix: Path) -> str:
    """Make a package; return in words what went wrong, '' if nothing."""
    try:
        with tempfile.TemporaryDirectory(prefix='making-', dir=folder.parent) as name:
            place = Path(name)
            messages = place / 'sources' / 'msg'
            messages.mkdir(parents=True)
            for message, text in _PACKAGES[package].items():
                (messages / f'{message}.msg').write_text(text)
            if problem := message_package.make_in_child(messages.parent, place, package, prefix,
                                                        _BUILD_TIMEOUT):
                return problem
            with contextlib.suppress(OSError):  # another process was first
                (place / 'made').rename(folder)
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    return '' if folder.is_dir() else f'{folder} cannot be written'


if __name__ == '__main__':
    sys.exit(main())
