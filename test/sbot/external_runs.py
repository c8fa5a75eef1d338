"""Runs of nodes of somebody's own, of every kind."""

import os
import shlex
import sys
from pathlib import Path

from children import run_sbot

NODES = Path(__file__).parent / 'ros' / 'external_nodes.py'
SBOT = [sys.executable, '-m', 'sbot.cli']
SIM_TIME = ['--ros-args', '-p', 'use_sim_time:=true']
DEADLINE = 900.0  # s; long, as the first run compiles
TICKS = 41  # stamps of a bag of 2 s
# 0: after each scan; 1, 2: by timers, of 0.1 s and of a tick; 3: some commands, or none.
CASES = {0: ('scan', {}), 1: ('timer0.1', {'command_period': 0.1}),
         2: ('timer0.05', {'command_period': 0.05}),
         3: ('sometimes', {'command_timeout': 0.1})}
SCENARIO = """
duration: 2.0
rate: 20
lockstep_timeout: 240
cmd_vel_stamped: STAMPED
world: {bounds: [0, 0, 12, 12]}
sensors: {scan_beams: 8}
robots:
"""


def scenario(folder, cases, stamped='true', others='[1, 11, 0]'):
    robots = [f'  - {{pose: [2, {2 + 2 * i}, 0], controller: external, '
              f'parameters: {parameters}}}\n' for i, (_, parameters) in cases.items()]
    path = folder / 'scenario.yaml'
    path.write_text(SCENARIO.replace('STAMPED', stamped) + ''.join(robots)
                    + f'  - {{pose: {others}, controller: none}}\n')
    return path


def up(path, cases, *arguments):
    nodes = [word for i, (case, _) in cases.items()
             for word in ('--node', shlex.join([str(NODES), case, str(i), *SIM_TIME]))]
    return run_sbot('up', path, *nodes, *arguments)


def running():
    """The command lines of the processes that this one, of those that run tests, has started."""
    worker = os.environ.get('PYTEST_XDIST_WORKER')
    ours = b'' if worker is None else f'PYTEST_XDIST_WORKER={worker}\0'.encode()
    found = []
    for folder in Path('/proc').glob('[0-9]*'):
        try:
            if ours in (folder / 'environ').read_bytes():
                found.append((folder / 'cmdline').read_bytes().replace(b'\0', b' ').decode())
        except OSError:
            continue
    return found
