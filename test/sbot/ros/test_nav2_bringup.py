"""launch/nav2.launch.py with the real `ros2 launch`, Nav2's own bring-up, and stand-in nodes.

NAV2_SOURCES: a checkout of ros-navigation/navigation2 (read in version 1.3.13).
"""

import ast
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from ros_package import HAS_LAUNCH, environment

pytestmark = [
    pytest.mark.forked, pytest.mark.ros, pytest.mark.slow,
    pytest.mark.skipif(not HAS_LAUNCH, reason='ros2 launch is missing'),
    pytest.mark.skipif('NAV2_SOURCES' not in os.environ, reason='NAV2_SOURCES is not set')]
DEADLINE = 300.0  # s
COSTMAPS = {'local_costmap/local_costmap', 'global_costmap/global_costmap'}


def nodes_of(launch: Path) -> dict[str, tuple[str, str]]:
    """Name of each node that navigation_launch.py starts: its package and executable."""
    found = {}
    for call in ast.walk(ast.parse(launch.read_text())):
        if isinstance(call, ast.Call) and getattr(call.func, 'id', '') == 'Node':
            given = {word.arg: word.value.value for word in call.keywords
                     if isinstance(word.value, ast.Constant)}
            found[given.get('name', given['executable'])] = (given['package'], given['executable'])
    return found


@pytest.fixture
def nav2(tmp_path):
    """The environment with Nav2's launch files and stand-ins for its nodes, and their names."""
    sources = Path(os.environ['NAV2_SOURCES'])
    prefix = tmp_path / 'prefix'
    surroundings = environment(prefix)
    shutil.copytree(sources / 'nav2_bringup' / 'launch', prefix / 'share/nav2_bringup/launch')
    nodes = nodes_of(sources / 'nav2_bringup' / 'launch' / 'navigation_launch.py')
    index = prefix / 'share' / 'ament_index' / 'resource_index' / 'packages'
    for package, executable in [*nodes.values(), ('nav2_bringup', '')]:
        (index / package).touch()
        folder = prefix / 'lib' / package
        folder.mkdir(parents=True, exist_ok=True)
        if executable:
            (folder / executable).write_text(f'#!{sys.executable}\n' + Path(__file__).with_name(
                'nav2_stand_in.py').read_text())
            (folder / executable).chmod(0o755)
    (tmp_path / 'said').mkdir()
    surroundings.pop('ROS_AUTOMATIC_DISCOVERY_RANGE', None)
    return {**surroundings, 'STAND_INS': str(tmp_path / 'said'), 'PYTHONPATH': os.pathsep.join([
        str(sources / 'nav2_common'), surroundings['PYTHONPATH']])}, set(nodes)


def test_nav2s_own_bringup_gives_its_nodes_our_parameters_and_drives_the_robot(tmp_path, nav2):
    surroundings, nodes = nav2
    assert {'controller_server', 'collision_monitor', 'bt_navigator'} <= nodes
    place = '/arena/robot_1'
    expected = {f'{place}/{name}'.replace('/', '_') for name in nodes | COSTMAPS}
    expected.add(f'moved{place}/collision_monitor'.replace('/', '_'))
    log = tmp_path / 'log'
    with log.open('w') as stream:
        process = subprocess.Popen(
            ['ros2', 'launch', 'potential_field_bot', 'nav2.launch.py', 'namespace:=arena',
             'robots:=1', 'use_composition:=False'], env=surroundings, stdout=stream,
            stderr=stream,
            # Jobs in the background of a shell inherit that SIGINT is ignored.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    try:
        end = time.monotonic() + DEADLINE
        while not expected <= {path.stem for path in (tmp_path / 'said').glob('*.json')}:
            assert process.poll() is None, log.read_text()
            assert time.monotonic() < end, log.read_text()
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        assert process.wait(DEADLINE) == 0, log.read_text()
    finally:
        process.terminate()
    assert re.findall('process has died.*', log.read_text()) == []
    said = {path.stem.removeprefix('_arena_robot_1_'): json.loads(path.read_text())
            for path in (tmp_path / 'said').glob('_*.json')}
    assert len(said) == len(nodes | COSTMAPS)
    for name, each in said.items():
        assert each['parameters']['use_sim_time'] is (
            # Costmaps get it from their node; the lifecycle manager needs none.
            True), name
        assert each['topics']['/clock'] == '/arena/clock', name
        assert each['range'] == 'LOCALHOST', name
        if name != 'lifecycle_manager_navigation':
            assert each['topics']['/tf'].startswith(place), name
    for costmap in ('local_costmap_local_costmap', 'global_costmap_global_costmap'):
        given = said[costmap]['parameters']
        assert given['robot_radius'] == 0.3
        assert given['obstacle_layer.scan.topic'] == f'{place}/base_scan'
    assert said['global_costmap_global_costmap']['parameters'][
        'static_layer.map_topic'] == '/arena/map'
    assert said['controller_server']['parameters']['FollowPath.plugin'].endswith('Controller')
    assert said['controller_server']['topics']['cmd_vel'] == f'{place}/cmd_vel_nav'
    assert said['collision_monitor']['topics']['cmd_vel'] == f'{place}/cmd_vel'
    assert said['bt_navigator']['topics']['odom'] == f'{place}/odom'
    # By its last node, with what our file says: scans in, commands out, the robot has moved.
    moved, = (tmp_path / 'said').glob('moved*.json')
    assert json.loads(moved.read_text())['scans'] > 0
