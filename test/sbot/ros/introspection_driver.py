"""Looks at a running simulation as `ros2 param dump` and `ros2 doctor` do; prints JSON.

    introspection_driver.py LOCKSTEP FOLDER
"""

import json
import subprocess
import sys
import time
from pathlib import Path

import rclpy
from rcl_interfaces.srv import GetParameters, ListParameters
from rclpy.node import Node
from rclpy.parameter import parameter_value_to_python
from rclpy.qos import QoSCompatibility, qos_check_compatible

DEADLINE = 240.0  # s
SCENARIO = """
duration: 1000
target_real_time_factor: 1
world: {bounds: [0, 0, 20, 20]}
robots: [{pose: [3, 3, 0], goal: [15, 15]}, {pose: [3, 6, 0], controller: wind_aware}]
sensors: {range_and_bearing: true}
poses_topic: true
"""
# Some of what is heard; DDS tells of all topics in its own time.
PAIRS = {'/clock', '/wind/field', '/robot_0/cmd_vel', '/robot_1/base_scan', '/poses'}
NODES = ('/sbot_sim', '/wind_model', '/robot_0/potfieldbot_0', '/robot_1/controller_1')


class Observer:
    def __init__(self, lockstep: str, folder: Path) -> None:
        (folder / 'scenario.yaml').write_text(SCENARIO)
        self.log = folder / 'log'
        with self.log.open('w') as log:
            self.process = subprocess.Popen([sys.executable, '-m', 'sbot.cli', 'up', '--composed',
                                             str(folder / 'scenario.yaml'), '--set',
                                             f'lockstep={lockstep}'], stdout=log, stderr=log)
        rclpy.init()
        self.node = Node('observer')
        self.until(lambda: 'all nodes are connected' in self.log.read_text())

    def until(self, condition) -> None:
        end = time.monotonic() + DEADLINE
        while not condition():
            rclpy.spin_once(self.node, timeout_sec=0.05)
            if time.monotonic() > end or self.process.poll() is not None:
                self.process.kill()
                raise SystemExit(f'no answer in time:\n{self.log.read_text()}')

    def call(self, kind, name: str, **request):
        client = self.node.create_client(kind, name)
        self.until(client.service_is_ready)
        future = client.call_async(kind.Request(**request))
        self.until(future.done)
        return future.result()

    def parameters(self, node: str) -> dict:
        names = self.call(ListParameters, f'{node}/list_parameters').result.names
        values = self.call(GetParameters, f'{node}/get_parameters', names=names).values
        return {name: parameter_value_to_python(value)
                for name, value in zip(names, values, strict=True)}

    def pairs(self) -> dict:
        """Return for each topic that is heard: (how many pairs, why which do not fit)."""
        found = {}
        for topic, _ in self.node.get_topic_names_and_types():
            publishers = self.node.get_publishers_info_by_topic(topic)
            subscriptions = self.node.get_subscriptions_info_by_topic(topic)
            bad = []
            for one in publishers:
                for other in subscriptions:
                    fits, why = qos_check_compatible(one.qos_profile, other.qos_profile)
                    if fits != QoSCompatibility.OK:
                        bad.append(f'{one.node_name} and {other.node_name}: {why}')
            if publishers and subscriptions:
                found[topic] = [len(publishers) * len(subscriptions), bad]
        return found


def main() -> None:
    observer = Observer(sys.argv[1], Path(sys.argv[2]))
    seen = {'parameters': {node: observer.parameters(node) for node in NODES}}
    observer.until(lambda: set(observer.pairs()) >= PAIRS)
    seen['pairs'] = observer.pairs()
    observer.process.terminate()
    observer.process.wait(DEADLINE)
    rclpy.shutdown()
    print(json.dumps(seen, default=list))


if __name__ == '__main__':
    main()
