"""Layers of the architecture: which folder imports which; numeric modules import no ROS."""

import ast
from pathlib import Path

import pytest
from children import passed, python

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ('sbot_common', 'potential_field_bot', 'wind_model', 'sbot_sim', 'sbot')

# Within a package a folder imports from itself and from folders before it; modules beside the
# folders are '.' or named; a folder within one is on its floor. docs/architecture.md has reasons.
FLOORS = {
    'sbot_common': ('arrays', 'errors', 'signals', 'compiled', 'elementary', 'random', '.', 'wire',
                    'ros'),
    'potential_field_bot': ('.',),
    'wind_model': ('.',),
    'sbot_sim': ('drives', 'world', 'dynamics', 'collision', 'worlds', 'engine', 'messages',
                 'ros', 'fast2d'),
    'sbot': ('version', 'environment', 'files', 'bag', 'controllers', 'scenario', 'runner',
             'worlds', 'regression', 'ros', 'figures', 'sweeps', 'viewer', 'bench',
             'navigation', 'cli', 'api', 'learn', '.', 'testing')}
# Folders on the floor of another: sensors have phases, and worlds the settings of sensors.
BESIDE = {'sensors': 'worlds'}
# Which packages a package sees beside itself.
SEES = {
    'sbot_common': (),
    'potential_field_bot': ('sbot_common',),
    'wind_model': ('sbot_common',),
    'sbot_sim': ('sbot_common', 'wind_model'),
    'sbot': ('sbot_common', 'potential_field_bot', 'wind_model', 'sbot_sim')}
PUBLIC = ROOT / 'sbot' / '__init__.py'  # hands on what stands in the highest module
# Of pip's scripts and of the nodes: they start the highest package.
COMMANDS = {ROOT / 'potential_field_bot' / name for name in ('entry.py', 'nodes.py')}

BLOCKED = ('rclpy', 'rcl_interfaces', 'yaml', 'argparse_subcommands', 'tqdm', 'launch')
# May import ROS or the command line, as their names say.
OUTER_FOLDERS = ('sbot_common/ros', 'sbot_sim/ros/node.py', 'sbot_sim/ros/connections.py',
                 'sbot_sim/ros/external_nodes.py', 'sbot_sim/fast2d')
OUTER = ('node.py', 'entry.py', 'nodes.py')
# Numeric folders of a package that is not.
NUMERIC = ('sbot/controllers/navigate/', 'sbot/controllers/neural/')


def module_files() -> list[Path]:
    files = [path for package in PACKAGES for path in sorted((ROOT / package).rglob('*.py'))]
    assert len(files) > 150, 'the modules were not found: every test of this file checks nothing'
    return files


def place(path: Path) -> tuple[str, str]:
    """The package of a module and its folder in that ('.' for the package itself)."""
    package, *folders = path.relative_to(ROOT).parent.parts
    own = path.stem if path.stem in FLOORS[package] else '.'
    return package, BESIDE.get(folders[0], folders[0]) if folders else own


def imported_modules(path: Path) -> set[Path]:
    """The project's modules that a module imports, anywhere in its text, also by their names."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text('utf-8'))):
        if isinstance(node, ast.Import):
            names = [(alias.name, '') for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [(node.module, alias.name) for alias in node.names]
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith('import_module') and (
                isinstance(node.args[0], ast.Constant) and path not in COMMANDS):
            names = [(node.args[0].value, '')]
        else:
            continue
        for module, name in names:
            if module.partition('.')[0] in PACKAGES:
                base = ROOT.joinpath(*module.split('.'))
                if base.with_suffix('.pyi').is_file():  # types only
                    continue
                tries = (base / f'{name}.py', base / name / '__init__.py',
                         base.with_suffix('.py'), base / '__init__.py')
                target = next((file for file in tries if file.is_file()), None)
                assert target is not None, f'{path}: {module} {name} is no module of the project'
                found.add(target)
    return found


@pytest.fixture(scope='module')
def imports() -> dict[Path, set[Path]]:
    return {path: imported_modules(path) for path in module_files()}


def test_every_folder_is_on_a_floor():
    for path in module_files():
        package, folder = place(path)
        assert folder in FLOORS[package] or (folder == '.' and path.name == '__init__.py'), path


def test_names_of_modules_do_not_repeat_their_folders():
    for path in module_files():
        assert path.stem != path.parent.name, path


def test_imports_go_down(imports):
    for path, targets in imports.items():
        package, folder = place(path)
        for target in targets:
            other, its = place(target)
            if path == PUBLIC:
                continue
            if other != package:
                assert other in SEES[package], f'{path} imports {target}'
                continue
            floors = FLOORS[package]
            assert floors.index(its) <= floors.index(folder), (
                f'{path.relative_to(ROOT)} imports {target.relative_to(ROOT)}, which is above it')


def test_no_module_imports_itself_in_a_circle(imports):
    done: set[Path] = set()

    def visit(path: Path, trail: list[Path]) -> None:
        assert path not in trail, ' -> '.join(
            file.relative_to(ROOT).as_posix() for file in [*trail[trail.index(path):], path])
        if path in done:
            return
        for target in imports[path]:
            visit(target, [*trail, path])
        done.add(path)

    for path in imports:
        visit(path, [])


def test_only_the_folder_compiled_imports_parts_of_numba():
    """numba's front door (``import numba``, its types) is open to all."""
    found = []
    for path in module_files():
        for node in ast.walk(ast.parse(path.read_text('utf-8'))):
            modules = ([node.module or ''] if isinstance(node, ast.ImportFrom)
                       else [alias.name for alias in node.names] if isinstance(node, ast.Import)
                       else [])
            found += [path for module in modules if module.startswith('numba.')]
    assert found
    assert {path.parent for path in found} == {ROOT / 'sbot_common' / 'compiled'}


def numeric_modules() -> list[str]:
    names = []
    for path in module_files():
        inner = path.relative_to(ROOT).as_posix()
        if (inner.startswith(NUMERIC) and path.name != '__init__.py') or (
                not inner.startswith(('sbot/', *OUTER_FOLDERS)) and path.name not in OUTER):
            names.append('.'.join(path.relative_to(ROOT).with_suffix('').parts)
                         .removesuffix('.__init__'))
    return names


def test_numeric_modules_import_with_ros_and_yaml_blocked():
    names = numeric_modules()
    assert len(names) > 80
    # rosbags itself imports yaml when it opens bags; message definitions need no YAML.
    code = f"""
import importlib, sys
class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.split('.')[0] in {BLOCKED!r}:
            raise ImportError('blocked: ' + name)
sys.meta_path.insert(0, Blocker())
for name in {names!r}:
    importlib.import_module(name)
"""
    passed('-c', code)


def test_without_rclpy_a_node_says_what_to_do_in_one_line():
    code = """
import sys
sys.modules['rclpy'] = None
from sbot.ros.simulator import main
main([])
"""
    found = python('-c', code)
    assert found.returncode == 1
    assert 'Traceback' not in found.stderr
    assert len(found.stderr.strip().splitlines()) == 1
    assert 'sbot run' in found.stderr
