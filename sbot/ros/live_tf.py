"""Live TF without an installed tf2_msgs: its type support, made once, kept with machine code.

What was made is a folder for PYTHONPATH. Its name is a hash over what it was made with, so that
an update makes another; it appears as a whole, so that an interrupt or a second process at the
same time does no harm.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path

from sbot.environment import message_package
from sbot_common.compiled.cache import CACHE_DIRECTORY

_PACKAGE = 'tf2_msgs'
_MESSAGES = {'TFMessage': 'geometry_msgs/TransformStamped[] transforms\n'}
_INPUTS = ('geometry_msgs', 'std_msgs', 'builtin_interfaces', 'fastcdr', 'rmw', 'rosidl_adapter',
           'rosidl_generator_c', 'rosidl_generator_py', 'rosidl_generator_type_description',
           'rosidl_runtime_c', 'rosidl_typesupport_c', 'rosidl_typesupport_fastrtps_c',
           'rosidl_typesupport_introspection_c')
_BUILD_TIMEOUT = 120.0  # s; a busy machine


def live_tf_path(say: Callable[[str], None], cache: Path | None = None) -> str | None:
    """Return the folder that nodes need in PYTHONPATH for tf2_msgs; None: there is nothing to add.

    That is where it is installed, or cannot be made. The first time it is made, in a second or
    three of processor time.

    Parameters
    ----------
    say : called with a line, if it is made or that fails
    cache : where it is kept; None: with machine code

    """
    if find_spec(_PACKAGE) is not None:
        return None
    prefix = ros_prefix()
    if prefix is None or message_package.compilers() is None:
        return None  # the simulator says that it is missing
    cache = CACHE_DIRECTORY if cache is None else cache
    folder = cache / f'messages-{_key(prefix)}'
    if folder.is_dir():
        return str(folder)
    say(f'making {_PACKAGE} for live TF, this first time only; nothing else is needed (a node '
        f'that reads /tf and is started by hand needs PYTHONPATH={folder})')
    problem = _make(folder, prefix)
    if problem:
        say(f'{_PACKAGE}: {problem}; /tf and /tf_static are only in recordings')
        return None
    return str(folder)


def main() -> int:
    """Print the folder that `live_tf_path` returns, for PYTHONPATH; return the exit code."""
    folder = live_tf_path(lambda line: print(line, file=sys.stderr))
    if folder is None:
        print('tf2_msgs is installed: nothing to add' if find_spec(_PACKAGE) is not None else
              'tf2_msgs cannot be made here (docs/ros2_topics.md)', file=sys.stderr)
    else:
        print(folder)
    return 0 if folder or find_spec(_PACKAGE) is not None else 1


def with_path(environment: dict[str, str], path: str | None) -> dict[str, str]:
    """Return an environment in which Python finds modules in a folder, too, after all others."""
    if path is None:
        return environment
    before = environment.get('PYTHONPATH', '')
    return {**environment, 'PYTHONPATH': os.pathsep.join([before, path] if before else [path])}


def ros_prefix() -> Path | None:
    """Return where ROS 2 is installed with its generators; None where it is without them."""
    if any(find_spec(name) is None for name in _INPUTS if name.startswith('rosidl_') and (
            'generator' in name or 'adapter' in name)):
        return None
    spec = find_spec('geometry_msgs')
    origin = Path(spec.origin) if spec is not None and spec.origin else Path()
    return next((path for path in origin.parents
                 if (path / 'share' / 'geometry_msgs' / 'package.xml').is_file()), None)


def _key(prefix: Path) -> str:
    digest = sha256(repr((sys.version, str(prefix), _MESSAGES)).encode())
    for path in (*(prefix / 'share' / name / 'package.xml' for name in _INPUTS),
                 Path(message_package.__file__)):
        with contextlib.suppress(OSError):
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _make(folder: Path, prefix: Path) -> str:
    """Make the package; return in words what went wrong, '' if nothing."""
    try:
        with tempfile.TemporaryDirectory(prefix='making-', dir=folder.parent) as name:
            place = Path(name)
            messages = place / _PACKAGE / 'msg'
            messages.mkdir(parents=True)
            for message, text in _MESSAGES.items():
                (messages / f'{message}.msg').write_text(text)
            if problem := message_package.make_in_child(place, _PACKAGE, prefix, _BUILD_TIMEOUT):
                return problem
            with contextlib.suppress(OSError):  # another process was first
                (place / 'made').rename(folder)
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    return '' if folder.is_dir() else f'{folder} cannot be written'


if __name__ == '__main__':
    sys.exit(main())
