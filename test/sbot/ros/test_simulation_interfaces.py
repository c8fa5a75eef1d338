"""Services of simulation_interfaces over a real node, where the package is installed."""

import importlib.util
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from functools import partial

import numpy as np
import pytest
from children import run_sbot

import sbot
from sbot.environment.running import THIS_MACHINE
from sbot.regression.commands import Recording
from sbot_sim.ros.standard_services import SERVICES

pytestmark = [pytest.mark.forked, pytest.mark.ros]
needs_package = pytest.mark.skipif(importlib.util.find_spec('simulation_interfaces') is None,
                                   reason='simulation_interfaces is missing')
DEADLINE = 240.0  # s
SCENARIO = """
duration: 600
lockstep: false
world: {bounds: [0, 0, 9, 9]}
robots: [{pose: [2, 2, 0], controller: none}, {pose: [5, 2, 0], controller: none}]
"""


@pytest.mark.skipif(importlib.util.find_spec('simulation_interfaces') is not None,
                    reason='simulation_interfaces is installed')
def test_without_the_package_one_line_says_so(tmp_path):
    path = tmp_path / 'two.yaml'
    path.write_text(SCENARIO)
    done = run_sbot('up', path, '--standard-services')
    assert done.returncode == 2
    lines = [line for line in done.stderr.splitlines() if 'simulation_interfaces' in line]
    assert 'needs the package simulation_interfaces; install it' in lines[-1]


@pytest.fixture
def simulated(monkeypatch, tmp_path):
    """Return what simulates a scenario for the time of a block, which calls services."""
    for name, value in THIS_MACHINE.items():
        monkeypatch.setenv(name, value)

    @contextmanager
    def run(text, *options):
        import rclpy
        path = tmp_path / 'scenario.yaml'
        path.write_text(text)
        process = subprocess.Popen([sys.executable, '-m', 'sbot.cli', 'up', str(path),
                                    '--composed', '--standard-services', '--quiet', *options])
        rclpy.init()
        node = rclpy.create_node('client')
        try:
            yield partial(_call, process, node)
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(DEADLINE)
            node.destroy_node()
            rclpy.shutdown()
    return run


def _call(process, node, service, **values):
    """Return the response of a service to a request with these values."""
    import rclpy
    from simulation_interfaces import srv
    kind = getattr(srv, SERVICES[service])
    client = node.create_client(kind, f'/sbot_sim/{service}')
    end = time.monotonic() + DEADLINE
    while not client.wait_for_service(0.5):
        assert process.poll() is None
        assert time.monotonic() < end, service
    future = client.call_async(kind.Request(**values))
    rclpy.spin_until_future_complete(node, future, timeout_sec=DEADLINE)
    return future.result()


@needs_package
def test_a_client_pauses_places_steps_and_resets(simulated):
    from simulation_interfaces import srv
    with simulated(SCENARIO) as call:

        def state(name):
            found = call('get_entity_state', entity=name).state
            assert (found.header.stamp.sec, found.header.stamp.nanosec) != (0, 0)
            return found.pose.position.x, found.pose.position.y

        features = call('get_simulator_features').features
        assert (len(features.features), features.spawn_formats) == (15, ['sdf', 'urdf'])
        assert call('get_entities').entities == ['robot_0', 'robot_1']
        request = srv.SetSimulationState.Request()
        request.state.state = 2
        assert call('set_simulation_state', state=request.state).result.result == 1
        assert call('get_simulation_state').state.state == 2
        request.state.state = 77
        assert call('set_simulation_state', state=request.state).result.result == 4
        wanted = srv.SetEntityState.Request()
        wanted.state.pose.position.x, wanted.state.pose.position.y = 7.0, 6.0
        place = {'entity': 'robot_1', 'set_pose': True}
        assert call('set_entity_state', state=wanted.state, **place).result.result == 1
        assert call('step_simulation', steps=3).result.result == 1
        assert state('robot_1') == (7.0, 6.0)
        wanted.state.pose.position.x, wanted.state.pose.position.y = 2.0, 2.2
        taken = call('set_entity_state', state=wanted.state, **place).result
        assert taken.result == 101
        assert 'teleport of robot 1' in taken.error_message
        assert call('reset_simulation').result.result == 1
        end = time.monotonic() + DEADLINE
        while state('robot_1') != (5.0, 2.0):  # by the next tick
            assert time.monotonic() < end
        request = srv.SpawnEntity.Request(name='post')
        request.entity_resource.resource_string = (
            '<robot name="a"><link name="b"><collision><geometry><sphere radius="0.5"/>'
            '</geometry></collision></link></robot>')
        request.initial_pose.pose.position.x = request.initial_pose.pose.position.y = 7.0
        spawned = call('spawn_entity', name='post',
                       entity_resource=request.entity_resource, initial_pose=request.initial_pose)
        assert (spawned.result.result, spawned.entity_name) == (1, 'post')
        odd = call('spawn_entity', name='more', entity_namespace='a b',
                   entity_resource=request.entity_resource, initial_pose=request.initial_pose)
        assert odd.result.result == srv.SpawnEntity.Response.NAMESPACE_INVALID
        assert state('post') == (7.0, 7.0)
        assert call('delete_entity', entity='post').result.result == 1


RESERVE = """
target_real_time_factor: 1
duration: 600
world: {bounds: [0, 0, 9, 9]}
sensors: {scan_sees_robots: true}
robots:
  - {pose: [2, 2, 0], controller: navigate, goal: [8, 2]}
  - {pose: [2, 5, 0], controller: navigate, goal: [8, 5]}
  - {reserved: true, controller: navigate, goal: [8, 8]}
"""


@needs_package
def test_a_recorded_run_in_which_robots_are_spawned_and_deleted_is_replayed(simulated, tmp_path):
    from simulation_interfaces import msg, srv
    paused = msg.SimulationState(state=2)
    with simulated(RESERVE, '--record', str(tmp_path / 'bag')) as call:
        assert call('set_simulation_state', state=paused).result.result == 1
        [spawnable] = call('get_spawnables').spawnables
        one = msg.SpawnEntity(name='robot_2', entity_resource=spawnable.entity_resource)
        one.initial_pose.pose.position.x, one.initial_pose.pose.position.y = 2.0, 7.0
        answer = call('spawn_entities', spawn_requests=[one, one])
        assert answer.result.result == srv.SpawnEntities.Response.ENTITIES_SPAWN_FAILED
        assert [each.result.result for each in answer.results] == [1, 4]  # there is no other
        assert call('step_simulation', steps=60).result.result == 1
        assert call('get_entity_state', entity='robot_2').state.pose.position.x > 2.1
        bounds = call('get_entity_bounds', entity='robot_2').bounds
        assert (bounds.type, bounds.points[0].x) == (bounds.TYPE_BOX, spawnable.spawn_bounds
                                                     .points[0].x)
        assert call('get_entity_info', entity='robot_2').info.description == 'body: robot'
        assert call('delete_entity', entity='robot_1').result.result == 1
        assert call('step_simulation', steps=30).result.result == 1
        assert call('get_entities').entities == ['robot_0', 'robot_2']
    bag = sbot.Bag(tmp_path / 'bag')
    there = ~np.isnan(Recording.read(bag).poses[:, :, 0])
    assert [int(there[:, robot].sum()) for robot in range(3)] == [len(there), len(there) - 29, 89]
    result = sbot.replay(bag)
    assert (result.commands, result.differences) == (3 * result.ticks, 0)
