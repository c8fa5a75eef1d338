"""This checkout as an installed ROS 2 package, for `ros2 launch` and `ros2 run`."""

import importlib.util
import os
import shutil
import sys
from pathlib import Path

from sbot.ros.executables import MODULES

ROOT = Path(__file__).resolve().parents[1]
NAME = 'potential_field_bot'
# `ros2 launch` is there: of a sourced workspace, or installed otherwise.
HAS_LAUNCH = shutil.which('ros2') is not None and all(
    importlib.util.find_spec(name) is not None for name in ('launch_ros', 'ros2launch'))


def environment(folder: Path) -> dict[str, str]:
    """Return the environment in which ROS 2 finds this checkout, below a folder, as the package.

    It needs no build, and comes before one that is there.
    """
    index = folder / 'share' / 'ament_index' / 'resource_index' / 'packages'
    library, launch = folder / 'lib' / NAME, folder / 'share' / NAME / 'launch'
    for each in (index, library, launch):
        each.mkdir(parents=True, exist_ok=True)
    (index / NAME).touch()
    for file in (ROOT / 'launch').glob('*.py'):
        shutil.copy(file, launch)
    for name in MODULES:
        path = library / name
        if name == 'composed':  # is no executable of its own
            continue
        path.write_text(f'#!{sys.executable}\nimport sys\n'
                        f'from potential_field_bot.nodes import {name}\nsys.exit({name}())\n')
        path.chmod(0o755)
    return {**os.environ, **{name: os.pathsep.join(filter(None, [str(path), os.environ.get(name)]))
                             for name, path in (('AMENT_PREFIX_PATH', folder),
                                                ('PYTHONPATH', ROOT))}}
