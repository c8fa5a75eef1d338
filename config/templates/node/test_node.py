"""Feeds the recording to the node: every command must be as recorded."""

from pathlib import Path

pytest_plugins = ['sbot.ros.testing']  # it has replay_to_node

COMMAND = ('node.py --ros-args -r __ns:={namespace} -p use_sim_time:=true '
           '-p goal_x:={goal_x} -p goal_y:={goal_y}')


def test_the_node_does_what_it_did(replay_to_node, monkeypatch):
    """Compare each command with the recorded one."""
    monkeypatch.chdir(Path(__file__).parent)  # its files are named as from there
    replay_to_node('recording', COMMAND)
