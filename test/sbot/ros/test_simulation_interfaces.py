"""Services of simulation_interfaces over a real node, where the package is installed."""

import importlib.util
import signal
import subprocess
import sys
import time

import pytest

from sbot.environment.running import THIS_MACHINE

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
    done = subprocess.run([sys.executable, '-m', 'sbot.cli', 'up', str(path),
                           '--standard-services'], capture_output=True, text=True,
                          timeout=DEADLINE, check=False)
    assert done.returncode == 2
    lines = [line for line in done.stderr.splitlines() if 'simulation_interfaces' in line]
    assert 'needs the package simulation_interfaces; install it' in lines[-1]


@needs_package
def test_a_client_pauses_places_steps_and_resets(tmp_path, monkeypatch):
    for name, value in THIS_MACHINE.items():
        monkeypatch.setenv(name, value)
    import rclpy
    from simulation_interfaces import srv
    path = tmp_path / 'two.yaml'
    path.write_text(SCENARIO)
    process = subprocess.Popen([sys.executable, '-m', 'sbot.cli', 'up', str(path), '--composed',
                                '--standard-services', '--quiet'])
    rclpy.init()
    node = rclpy.create_node('client')

    def call(service, kind, **values):
        client = node.create_client(kind, f'/sbot_sim/{service}')
        end = time.monotonic() + DEADLINE
        while not client.wait_for_service(0.5):
            assert process.poll() is None
            assert time.monotonic() < end, service
        future = client.call_async(kind.Request(**values))
        rclpy.spin_until_future_complete(node, future, timeout_sec=DEADLINE)
        return future.result()

    def state(name):
        found = call('get_entity_state', srv.GetEntityState, entity=name).state
        assert (found.header.stamp.sec, found.header.stamp.nanosec) != (0, 0)
        return found.pose.position.x, found.pose.position.y

    try:
        features = call('get_simulator_features', srv.GetSimulatorFeatures).features
        assert (len(features.features), features.spawn_formats) == (11, ['sdf', 'urdf'])
        assert call('get_entities', srv.GetEntities).entities == ['robot_0', 'robot_1']
        request = srv.SetSimulationState.Request()
        request.state.state = 2
        assert call('set_simulation_state', srv.SetSimulationState,
                    state=request.state).result.result == 1
        assert call('get_simulation_state', srv.GetSimulationState).state.state == 2
        request.state.state = 77
        assert call('set_simulation_state', srv.SetSimulationState,
                    state=request.state).result.result == 4
        wanted = srv.SetEntityState.Request()
        wanted.state.pose.position.x, wanted.state.pose.position.y = 7.0, 6.0
        place = {'entity': 'robot_1', 'set_pose': True}
        assert call('set_entity_state', srv.SetEntityState, state=wanted.state,
                    **place).result.result == 1
        assert call('step_simulation', srv.StepSimulation, steps=3).result.result == 1
        assert state('robot_1') == (7.0, 6.0)
        wanted.state.pose.position.x, wanted.state.pose.position.y = 2.0, 2.2
        taken = call('set_entity_state', srv.SetEntityState, state=wanted.state, **place).result
        assert taken.result == 101
        assert 'teleport of robot 1' in taken.error_message
        assert call('reset_simulation', srv.ResetSimulation).result.result == 1
        end = time.monotonic() + DEADLINE
        while state('robot_1') != (5.0, 2.0):  # by the next tick
            assert time.monotonic() < end
        request = srv.SpawnEntity.Request(name='post')
        request.entity_resource.resource_string = (
            '<robot name="a"><link name="b"><collision><geometry><sphere radius="0.5"/>'
            '</geometry></collision></link></robot>')
        request.initial_pose.pose.position.x = request.initial_pose.pose.position.y = 7.0
        spawned = call('spawn_entity', srv.SpawnEntity, name='post',
                       entity_resource=request.entity_resource, initial_pose=request.initial_pose)
        assert (spawned.result.result, spawned.entity_name) == (1, 'post')
        odd = call('spawn_entity', srv.SpawnEntity, name='more', entity_namespace='a b',
                   entity_resource=request.entity_resource, initial_pose=request.initial_pose)
        assert odd.result.result == srv.SpawnEntity.Response.NAMESPACE_INVALID
        assert state('post') == (7.0, 7.0)
        assert call('delete_entity', srv.DeleteEntity, entity='post').result.result == 1
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(DEADLINE)
        node.destroy_node()
        rclpy.shutdown()
