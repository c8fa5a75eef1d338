import signal
import subprocess
import sys

import pytest
import yaml
from children import python

from sbot.bag.reader import Bag
from sbot.ros.processes import _controller_process, own_names, ros_arguments
from sbot.runner.loop import run_scenario
from sbot.scenario.load import load_scenario

pytest.importorskip('rclpy')
pytestmark = [pytest.mark.forked, pytest.mark.ros]

DEADLINE = 240.0  # s
NODE = 'import sys; from potential_field_bot.node import main; sys.exit(main(sys.argv[1:]))'


def start_controllers(scenario, folder, changes, run):
    """Start `potfield_bot` for each robot, as `sbot up` does but with stamped commands."""
    processes = []
    for i, robot in enumerate(scenario.robots):
        process = _controller_process(scenario, i, robot, run)
        parameters = {**process.parameters, 'stamped_cmd_vel': True, **changes}
        file = folder / f'{i}.yaml'
        file.write_text(yaml.safe_dump({'/**': {'ros__parameters': parameters}}))
        processes.append(subprocess.Popen(
            [sys.executable, '-c', NODE, '--ros-args', '-r', f'__ns:={process.namespace}',
             '--params-file', str(file), '-p', f'robot_id:={i}',
             *ros_arguments(own_names(run))],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True))
    return processes


def play(tmp_path, rate, poses_topic=False, run='', **changes):
    robots = [{'pose': [5.0, 11.0, 0.0], 'goal': [29.0, 12.0]}, {'pose': [3.0, 9.0, 0.0]}]
    scenario = load_scenario('leader_follower', {
        'duration': 1.5, 'robots': robots, 'poses_topic': poses_topic})
    run_scenario(scenario, record=tmp_path / 'bag')
    processes = start_controllers(scenario, tmp_path, changes, run)
    try:
        return python('-m', 'sbot.ros.player', tmp_path / 'bag', '--rate', rate, '--timeout',
                      DEADLINE, '--namespace', run)
    finally:
        for process in processes:
            process.send_signal(signal.SIGINT)
        for process in processes:
            process.communicate(timeout=DEADLINE)


@pytest.mark.parametrize(('rate', 'poses_topic', 'run'), [
    (0.0, False, ''), (1.0, False, ''), (5.0, False, ''), (0.0, True, ''),
    (0.0, True, '/arena'), (0.0, False, '/arena')])
def test_nodes_answer_a_played_bag_to_the_bit_at_any_rate(tmp_path, rate, poses_topic, run):
    result = play(tmp_path, rate, poses_topic, run)
    assert result.returncode == 0, result.stdout + result.stderr
    assert '46 ticks, 92 answers, 0 of 92 differ' in result.stdout
    assert len(list(Bag(tmp_path / 'bag').messages(['/robot_1/cmd_vel']))) == 46
