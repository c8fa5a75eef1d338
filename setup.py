# SPDX-License-Identifier: Apache-2.0
"""Build file for pip and colcon (ament_python)."""

import os
import platform
import re
import shutil
import sys
from glob import glob
from pathlib import Path

from setuptools import find_packages, setup
from setuptools.command.build_py import build_py
from setuptools.dist import Distribution

NAME = 'potential_field_bot'
# `colcon build --symlink-install` runs this file through a link, in a folder without README.md.
ROOT = Path(__file__).resolve().parent
README = ROOT / 'README.md'
NUMBER = re.findall(r"^VERSION = '(.+)'", (ROOT / 'sbot' / 'version.py').read_text('utf-8'),
                    re.MULTILINE)[0]
TOP = [NAME, 'sbot_common', 'wind_model', 'sbot_sim', 'sbot']
PACKAGES = find_packages(include=[pattern for name in TOP for pattern in (name, f'{name}.*')])

# A folder that .ci/machine_code.py has filled: the wheel is then for this Python and platform.
MACHINE_CODE = os.environ.get('SBOT_MACHINE_CODE', '')


class BuildWithMachineCode(build_py):
    """Modules, and the machine code beside the module that loads it."""

    def run(self) -> None:
        """Copy the folder as it is."""
        super().run()
        if not MACHINE_CODE or getattr(self, 'editable_mode', False):
            return
        if not glob(f'{MACHINE_CODE}/*/*.code'):
            raise SystemExit(f'SBOT_MACHINE_CODE: {MACHINE_CODE}: expected a folder of '
                             '.ci/machine_code.py')
        folder = Path(self.build_lib) / 'sbot_common/compiled/machine_code'
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(MACHINE_CODE, folder)


class PlatformDistribution(Distribution):
    """A distribution whose wheel is for one platform where it brings machine code."""

    def has_ext_modules(self) -> bool:
        """Tell whether there is machine code."""
        return bool(MACHINE_CODE)


def wheel_options() -> dict[str, dict[str, str]]:
    """Return the platform of the wheel's name: code that needs no library fits any glibc."""
    if not MACHINE_CODE or sys.platform != 'linux' or platform.libc_ver()[0] != 'glibc':
        return {}
    return {'bdist_wheel': {'plat_name': f'manylinux_2_17_{platform.machine()}'}}


def data_files() -> list[tuple[str, list[str]]]:
    """Return what `ros2 run` and `ros2 launch` look for below share/."""
    files = [('share/ament_index/resource_index/packages', [f'resource/{NAME}']),
             (f'share/{NAME}', ['package.xml'])]
    # Shipped scenarios find the controllers of examples/ at ../../examples.
    folders = ['launch']
    folders += sorted({str(path.parent) for top in ('config', 'examples')
                       for path in Path(top).rglob('*')
                       if path.is_file() and '__pycache__' not in path.parts})
    for folder in folders:
        names = sorted(name for name in glob(f'{folder}/*') if Path(name).is_file())
        files.append((f'share/{NAME}/{folder}', names))
    for folder in ('docs', 'docs/tutorials'):  # what `sbot docs` shows
        files.append((f'share/{NAME}/{folder}', sorted(glob(f'{folder}/*.md'))))
    return files


def ros_wheels(distribution: str) -> list[str]:
    """Return what a ROS 2 distribution's extra installs: wheels for x86-64 Linux."""
    where = '; platform_system == "Linux" and platform_machine == "x86_64"'
    packages = ('rclpy[fastrtps]', 'geometry-msgs', 'sensor-msgs', 'nav-msgs',
                'visualization-msgs', 'std-srvs', 'diagnostic-msgs')
    return [f'ros-{distribution}-{package}{where}' for package in packages]


# Placeholders: the one place that names where the project lives. `make release HOME=...` replaces
# them here and in all other files (.ci/release.py).
HOME = 'https://home.invalid/potential_field_bot'
DOCS = 'https://docs.invalid/potential_field_bot'
MAIL = 'maintainers@home.invalid'
URLS = {'Homepage': HOME, 'Documentation': DOCS, 'Source': HOME, 'Issues': f'{HOME}/issues',
        'Changelog': f'{HOME}/blob/main/CHANGELOG.md'}


def long_description() -> str:
    """Return the README as PyPI shows it: links and pictures lead to the home of this version."""
    def absolute(found: re.Match[str]) -> str:
        kind = 'raw' if found[1] else 'blob'
        return f'{found[1]}[{found[2]}]({HOME}/{kind}/v{NUMBER}/{found[3]})'
    return re.sub(r'(!?)\[([^\]]*)\]\((?!https?://)([^)]+)\)', absolute,
                  README.read_text(encoding='utf-8'))


# Beside the base: what some commands and functions add. `all` has those that go together.
EXTRAS = {
    'sweep': ['pyarrow>=14', 'cloudpickle>=2.2', 'pandas>=1.5'],
    'fit': ['scipy>=1.10'],
    'pandas': ['pandas>=1.5'],
    'fast2d': ['cffi>=1.15', 'setuptools'],
    'navground': ['navground>=0.7'],
    'cluster': ['dask>=2024.1', 'distributed>=2024.1'],
    'learn': ['pettingzoo>=1.24', 'gymnasium>=1.1'],
    'evolve': ['cma>=3.3'],
}

setup(
    name=NAME,
    version=NUMBER,
    description='Wind-blown robot swarms in the plane: simulator, wind, leader and followers',
    long_description=long_description(),
    long_description_content_type='text/markdown',
    license='Apache-2.0',
    maintainer='potential_field_bot maintainers',
    maintainer_email=MAIL,
    author='potential_field_bot authors',
    author_email=MAIL,
    url=HOME,
    project_urls=URLS,
    keywords=['swarm robotics', 'multi-robot simulation', 'ROS 2', 'wind', 'potential field',
              'reproducibility', 'reinforcement learning'],
    classifiers=[
        'Development Status :: 4 - Beta',
        'Environment :: Console',
        'Intended Audience :: Education',
        'Intended Audience :: Science/Research',
        'Operating System :: MacOS',
        'Operating System :: Microsoft :: Windows',
        'Operating System :: POSIX :: Linux',
        *(f'Programming Language :: Python :: 3.{minor}' for minor in range(10, 15)),
        'Programming Language :: Python :: Implementation :: CPython',
        'Topic :: Scientific/Engineering :: Artificial Intelligence',
        'Topic :: Scientific/Engineering :: Physics',
        'Typing :: Typed',
    ],
    packages=PACKAGES,
    package_data={package: ['py.typed', '*.pyi', '*.html', '*.js', 'include/plugins/fast2d/*.h']
                  for package in PACKAGES},
    data_files=data_files(),
    cmdclass={'build_py': BuildWithMachineCode},
    distclass=PlatformDistribution,
    options=wheel_options(),
    python_requires='>=3.10',
    zip_safe=False,
    install_requires=[
        'numpy>=1.24',
        'numba>=0.61,<0.69',  # the folder compiled uses its inside
        'rosbags>=0.10.4',
        'mcap>=1.2',
        'zstandard>=0.21',
        'lz4>=4.0',
        'PyYAML>=6.0',
        'tqdm>=4.64',
        'matplotlib>=3.7',
        'pillow>=9.2',
        'defusedxml>=0.7',
    ],
    extras_require={
        'ros': ros_wheels('jazzy'),
        'ros-kilted': ros_wheels('kilted'),
        **EXTRAS,
        'all': sorted({*ros_wheels('jazzy'),
                       *(line for lines in EXTRAS.values() for line in lines)}),
        'docs': ['zensical>=0.0.70', 'mkdocstrings-python>=2.0', 'griffelib>=2.0',
                 'jupytext>=1.16', 'nbclient>=0.10', 'ipykernel>=6.29'],
        'train': ['stable-baselines3>=2.6', 'gymnasium>=1.1'],
        # BenchMARL 1.5 imports a name that TorchRL 0.13 took away.
        'marl': ['torchrl>=0.10,<0.13', 'benchmarl>=1.5', 'supersuit>=3.9', 'pettingzoo>=1.24',
                 'gymnasium>=1.1'],
        'test': ['dask>=2024.1', 'distributed>=2024.1', 'pettingzoo>=1.24', 'gymnasium>=1.1',
                 'cma>=3.3', 'navground>=0.7', 'cffi>=1.15', 'pandas>=1.5', 'pytest>=8.0',
                 'pytest-xdist>=3.5', 'scipy>=1.10', 'pyarrow>=14', 'cloudpickle>=2.2',
                 'meshio>=5.3', 'hypothesis>=6.80', 'shapely>=2.0', 'mpmath>=1.3', 'mypy>=1.8',
                 'ruff>=0.4', 'types-PyYAML', 'types-tqdm', 'types-defusedxml',
                 'setuptools>=70.1'],
    },
    entry_points={
        'console_scripts': [
            'sbot = potential_field_bot.entry:main',
            *(f'{name} = potential_field_bot.nodes:{name}' for name in (
                'sbot_sim', 'wind_model', 'potfield_bot', 'wind_aware_bot', 'controller_bot')),
        ],
    },
)
