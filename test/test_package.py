"""package.xml, setup.py and the tree agree with each other."""

import ast
import importlib
import importlib.util
import json
import re
import sys
from pathlib import Path
from unittest import mock
from xml.etree import ElementTree

import pytest
import yaml

import sbot

ROOT = Path(__file__).resolve().parents[1]
# Names on PyPI (or of modules) -> keys of rosdep, where they are not python3-<name>.
ROSDEP = {'pyyaml': 'python3-yaml', 'pillow': 'python3-pil'}
# What pip installs for two of these keys: by their metadata mcap needs the last two.
BY_PIP = {'rosbags': 'python3-rosbags-pip', 'mcap': 'mcap-ros2-support',
          'zstandard': 'mcap-ros2-support', 'lz4': 'mcap-ros2-support'}
# In rosdep/python.yaml of rosdistro, 2026-08-22; `rosdep install` ends at a key that is not there.
ROSDEP_KEYS = {'python3-numpy', 'python3-numba', 'python3-yaml',
               'python3-tqdm', 'python3-matplotlib', 'python3-pil', 'python3-defusedxml',
               'python3-pytest', 'python3-hypothesis', 'python3-shapely',
               'python3-rosbags-pip', 'mcap-ros2-support'}
# Released in jazzy/ and kilted/distribution.yaml of that day.
RELEASED = {'rclpy', 'rcl_interfaces', 'builtin_interfaces', 'rosgraph_msgs', 'std_msgs',
            'std_srvs', 'geometry_msgs', 'sensor_msgs', 'nav_msgs', 'visualization_msgs',
            'diagnostic_msgs', 'ackermann_msgs', 'tf2_msgs', 'tf2_ros', 'launch', 'launch_ros',
            'ros2launch', 'ros2bag', 'rosbag2_storage_mcap', 'rviz2', 'ament_index_python',
            'ament_flake8', 'ament_pep257'}
# Needed by few: docs/dependencies.md.
OPTIONAL = {'navground', 'irsim', 'torch', 'vmas', 'cffi', 'pytest', 'pandas', 'distributed',
            'pyarrow', 'cloudpickle', 'scipy', 'gymnasium', 'pettingzoo', 'cma',
            'stable_baselines3', 'torchrl', 'tensordict', 'benchmarl',
            # These come with rclpy's messages, and make tf2_msgs where it is not installed.
            'rosidl_adapter', 'rosidl_generator_py', 'rosidl_generator_type_description',
            'rosidl_pycommon',
            'typing_extensions'}  # only type checkers look, and bring it
ROS_PACKAGES = ('rclpy', 'launch', 'launch_ros', 'rcl_interfaces', 'ament_index_python')


@pytest.fixture(scope='module')
def setup_arguments() -> dict:
    """What setup.py hands to setuptools."""
    spec = importlib.util.spec_from_file_location('potential_field_bot_setup', ROOT / 'setup.py')
    with pytest.MonkeyPatch.context() as patch, mock.patch('setuptools.setup') as setup:
        patch.chdir(ROOT)
        spec.loader.exec_module(importlib.util.module_from_spec(spec))
    return setup.call_args.kwargs


@pytest.fixture(scope='module')
def manifest() -> ElementTree.Element:
    return ElementTree.parse(ROOT / 'package.xml').getroot()


def own_packages() -> list[str]:
    return [path.parent.name for path in ROOT.glob('*/__init__.py')]


def names(manifest, *tags) -> set:
    return {element.text for tag in tags for element in manifest.findall(tag)}


def requirement(text: str) -> str:
    return text.lower().partition(';')[0].split('[')[0].split('>')[0].split('=')[0].strip()


def test_names_versions_and_people_agree(setup_arguments, manifest):
    assert manifest.get('format') == '3'
    assert manifest.find('export/build_type').text == 'ament_python'
    for tag, key in (('name', 'name'), ('version', 'version'), ('license', 'license'),
                     ('maintainer', 'maintainer')):
        assert manifest.find(tag).text == setup_arguments[key]
    assert setup_arguments['version'] == sbot.__version__
    changes = (ROOT / 'CHANGELOG.md').read_text('utf-8')
    assert changes.partition('\n## ')[2].split()[0] == sbot.__version__
    assert manifest.find('maintainer').get('email') == setup_arguments['maintainer_email']
    assert manifest.find('author').text == setup_arguments['author']
    assert manifest.find('author').get('email') == setup_arguments['author_email']
    urls, kinds = setup_arguments['project_urls'], {
        'website': 'Homepage', 'repository': 'Source', 'bugtracker': 'Issues'}
    assert {each.get('type'): each.text for each in manifest.findall('url')} == {
        kind: urls[name] for kind, name in kinds.items()}


def test_every_package_is_installed(setup_arguments):
    found = {'.'.join(path.relative_to(ROOT).parent.parts) for package in own_packages()
             for path in (ROOT / package).rglob('__init__.py')}
    assert set(setup_arguments['packages']) == found


def test_data_files_are_complete(setup_arguments):
    share = 'share/potential_field_bot'
    installed = {f'{folder}/{Path(name).name}': name
                 for folder, files in setup_arguments['data_files'] for name in files}
    assert 'share/ament_index/resource_index/packages/potential_field_bot' in installed
    assert f'{share}/package.xml' in installed
    shipped = [path.relative_to(ROOT) for folder in ('launch', 'config', 'examples')
               for path in (ROOT / folder).rglob('*')
               if path.is_file() and '__pycache__' not in path.parts]
    assert len(shipped) > 10
    for path in shipped:
        assert installed.get(f'{share}/{path.as_posix()}') == path.as_posix()


def test_every_module_names_its_license(setup_arguments):
    line = f"# SPDX-License-Identifier: {setup_arguments['license']}\n"
    files = [path for package in own_packages() for path in (ROOT / package).rglob('*.py*')
             if path.suffix in ('.py', '.pyi')]
    assert len(files) > 200
    for path in (*files, *(ROOT / 'launch').glob('*.py'), ROOT / 'setup.py'):
        assert path.read_text('utf-8').startswith(line), path


def test_console_scripts_can_be_called(setup_arguments):
    scripts = [line.split(' = ') for line in setup_arguments['entry_points']['console_scripts']]
    assert {name for name, _ in scripts} == {
        'sbot', 'sbot_sim', 'wind_model', 'potfield_bot', 'wind_aware_bot', 'controller_bot'}
    for _, target in scripts:
        module, _, function = target.partition(':')
        assert callable(getattr(importlib.import_module(module), function))


def test_scripts_go_where_ros2_run_looks():
    text = (ROOT / 'setup.cfg').read_text().replace(' = ', '=')  # as an sdist has it
    assert 'script_dir=$base/lib/potential_field_bot' in text
    assert 'install_scripts=$base/lib/potential_field_bot' in text


def test_package_xml_names_what_pip_installs(setup_arguments, manifest):
    depends = names(manifest, 'exec_depend', 'depend')
    for text in setup_arguments['install_requires']:
        name = requirement(text)
        assert {**ROSDEP, **BY_PIP}.get(name, f'python3-{name}') in depends, name


def test_rosdep_knows_every_key(manifest):
    keys = [each.text for each in manifest if each.tag.endswith('depend')]
    assert len(keys) == len(set(keys)) > 30
    assert set(keys) <= ROSDEP_KEYS | RELEASED


def test_rosdoc2_finds_its_file(manifest):
    first, second = yaml.safe_load_all(
        (ROOT / manifest.find('export/rosdoc2').text).read_text('utf-8'))
    assert first == {'type': 'rosdoc2 config', 'version': 1}
    sphinx = second['builders'][0]['sphinx']
    assert sphinx['name'] == manifest.find('name').text
    assert (ROOT / sphinx['user_doc_dir'] / 'ros2.md').is_file()


def test_the_table_of_extras_is_complete(setup_arguments):
    table = (ROOT / 'docs' / 'install.md').read_text('utf-8').partition('## Extras')[2]
    extras = re.findall(r'^\| `([\w-]+)` \|', table, re.MULTILINE)
    assert sorted(extras) == sorted(setup_arguments['extras_require'])


def test_all_has_every_extra_that_fits_beside_the_others(setup_arguments):
    extras = setup_arguments['extras_require']
    apart = {'all', 'test', 'docs', 'train', 'marl', 'ros-kilted'}
    assert set(extras['all']) == {line for name in set(extras) - apart for line in extras[name]}


def test_tests_have_every_optional_package_but_ros_and_pytorch(setup_arguments):
    extras = setup_arguments['extras_require']
    given = {requirement(line) for line in extras['test']}
    for name in ('sweep', 'fit', 'pandas', 'fast2d', 'navground', 'cluster', 'learn', 'evolve'):
        assert given >= {requirement(line) for line in extras[name]}, name


def test_both_ros_extras_bring_the_same(setup_arguments):
    extras = setup_arguments['extras_require']
    assert [line.replace('jazzy', 'kilted') for line in extras['ros']] == extras['ros-kilted']


def imported(path: Path) -> set:
    """Top-level modules that a file imports anywhere, and those in 'package/msg/Name' strings."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition('.')[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found.add(node.module.partition('.')[0])
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            first, *rest = node.value.split('/')
            if len(rest) == 2 and rest[0] in ('msg', 'srv') and first.isidentifier():
                found.add(first)
    return found


def test_everything_imported_is_a_dependency(setup_arguments, manifest):
    depends = names(manifest, 'exec_depend', 'depend')
    pip = {requirement(text) for text in setup_arguments['install_requires']} | {'yaml', 'PIL'}
    own = {package.partition('.')[0] for package in setup_arguments['packages']}
    files = [path for package in own for path in (ROOT / package).rglob('*.py')]
    assert len(files) > 150
    files += (ROOT / 'launch').glob('*.py')
    for path in files:
        for name in imported(path) - own - set(sys.stdlib_module_names) - OPTIONAL:
            is_ros = name in ROS_PACKAGES or name.endswith(('_msgs', '_srvs', '_interfaces'))
            assert name in (depends if is_ros else pip), f'{path.name} imports {name}'


def test_the_citation_names_this_version(setup_arguments):
    text = (ROOT / 'CITATION.cff').read_text('utf-8')
    assert f'\nversion: {setup_arguments["version"]}\n' in text
    assert f'\nlicense: {setup_arguments["license"]}\n' in text


def test_the_recipe_for_conda_names_this_version_and_what_pip_installs(setup_arguments):
    recipe = yaml.safe_load((ROOT / 'conda' / 'recipe.yaml').read_text('utf-8'))
    assert recipe['context']['version'] == setup_arguments['version']
    packages = [line.replace('-base', '').replace(' ', '')
                for line in recipe['requirements']['run'] if not line.startswith('python ')]
    assert packages == [line.lower() for line in setup_arguments['install_requires']]


def test_classifiers_are_of_the_pythons_that_workflows_try(setup_arguments):
    text = (ROOT / '.github' / 'workflows' / 'platforms.yml').read_text('utf-8')
    tried = yaml.safe_load(text)['jobs']['install']['strategy']['matrix']['python-version']
    name = 'Programming Language :: Python :: '
    assert [f'{name}{version}' for version in tried] == [
        line for line in setup_arguments['classifiers'] if line.startswith(f'{name}3.')]


def test_the_readme_on_pypi_has_no_relative_links(setup_arguments):
    text = setup_arguments['long_description']
    links = re.findall(r'\]\(([^)]+)\)', text)
    assert len(links) > 20
    assert all(link.startswith('https://') for link in links)
    assert f'/raw/v{sbot.__version__}/docs/figures/demo.gif)' in text
    assert f'/blob/v{sbot.__version__}/docs/install.md)' in text


def test_settings_of_github_and_the_dev_container_can_be_read():
    files = [*(ROOT / '.github').rglob('*.yml'), ROOT / 'CITATION.cff', ROOT / 'mkdocs.yml']
    assert len(files) > 6
    for path in files:
        assert isinstance(yaml.safe_load(path.read_text('utf-8')), dict)
    container = json.loads((ROOT / '.devcontainer' / 'devcontainer.json').read_text('utf-8'))
    assert '.venv/.installed' in container['postCreateCommand']
