"""Parameters of all nodes out of one YAML file, as `ros2 run ... --params-file` gives them."""

import subprocess

import pytest
import yaml

from sbot.ros.processes import process_command
from sbot.scenario.shipped import config_directory

pytestmark = [pytest.mark.forked, pytest.mark.ros]

FILE = config_directory() / 'nodes.yaml'
DEADLINE = 240.0  # s


@pytest.fixture
def nodes():
    started = [subprocess.Popen(process_command(executable, *words, '--ros-args', '--params-file',
                                                str(FILE))) for executable, *words in (
        ['sbot_sim'], ['wind_model'], ['potfield_bot', '0', '1', '28.0', '12.0'])]
    yield
    for process in started:
        process.terminate()
    assert [process.wait(DEADLINE) for process in started] == [0, 0, 0]


@pytest.mark.usefixtures('nodes')
def test_three_nodes_have_the_values_of_one_file_and_run():
    import rclpy
    from rcl_interfaces.srv import GetParameters
    from rclpy.executors import SingleThreadedExecutor
    from rclpy.parameter import parameter_value_to_python
    from rosgraph_msgs.msg import Clock
    context = rclpy.Context()
    rclpy.init(context=context, args=[])
    node = rclpy.create_node('reader', context=context)
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(node)
    stamps = []
    node.create_subscription(Clock, '/clock', lambda message: stamps.append(message.clock), 10)
    for name, given in yaml.safe_load(FILE.read_text()).items():
        client = node.create_client(GetParameters, f'/{name}/get_parameters')
        assert client.wait_for_service(DEADLINE)
        wanted = given['ros__parameters']
        answer = client.call_async(GetParameters.Request(names=list(wanted)))
        executor.spin_until_future_complete(answer, DEADLINE)
        got = map(parameter_value_to_python, answer.result().values)
        assert [each.tolist() if hasattr(each, 'tolist') else each
                for each in got] == list(wanted.values())
    while not stamps:  # they have found each other
        executor.spin_once(timeout_sec=DEADLINE)
    executor.shutdown()
    node.destroy_node()
    context.shutdown()
