#!/usr/bin/env python3
"""Start nodes and whole runs, press Ctrl-C at a random moment, and see how they end.

    python test/robustness/interrupts.py --count 100 --jobs 2
    python test/robustness/interrupts.py --mode up --mode composed --count 20
    python test/robustness/interrupts.py --mode sbot_sim --cold    # compiles anew each time

SIGINT goes to the process group, as from a terminal: a third within the first second, a third
until the run has begun, a third after that. A finding is a start that takes longer than
`--patience` to end, ends with another exit code than it should, prints a traceback, or leaves a
process behind. Python takes a while to start, and so does `ros2`: what does not handle signals yet
ends in its own way, which the table counts and only leftovers can make a finding. Counted are
exit codes that `ros2 launch` does not know: Python before 3.13 may lose that of a process that
ends while it is sent a signal (CPython issue 87744).
Exit code 1 after a finding. Needs /proc. `ros2 launch` where it is installed.
"""

import argparse
import contextlib
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
# Before it the checkout: test/sbot is no package, but would be taken for one.
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import ros_package
from marked_processes import marked
from ros_domain import lock_domain

ROOT = Path(__file__).resolve().parents[2]
DEADLINE = 900.0  # s for a start that nobody interrupts; a cold one compiles, on a busy machine
LAUNCH = ROOT / 'launch' / 'swarm.launch.py'
DIED = re.compile(r'process has died \[pid (\d+), exit code (-?\d+)')  # says `ros2 launch`
LOST = re.compile(r'Unknown child process pid (\d+)')  # says Python's asyncio, and then code 255
LAUNCHED = 'Default logging verbosity'
AT_REAL_TIME = 'target_real_time_factor=1'  # so that a run is still there


class Mode(NamedTuple):
    """What is started, and how it is to end."""

    command: Sequence[str]
    begun: str  # text that says that it has begun
    code: int = 0


def _node(executable: str, *arguments: str) -> list[str]:
    code = (f'import sys; from potential_field_bot.nodes import {executable}; '
            f'sys.exit({executable}())')
    return [sys.executable, '-c', code, *arguments]


def _up(*arguments: str) -> list[str]:
    return [sys.executable, '-m', 'sbot.cli', 'up', 'leader_follower', '--duration', '1000',
            '--set', AT_REAL_TIME, *arguments]


def _launch(*arguments: str) -> list[str]:
    return ['ros2', 'launch', str(LAUNCH), 'duration:=1000', f'set:={AT_REAL_TIME}', *arguments]


_CONNECTED = 'all nodes are connected'
MODES = {
    'sbot_sim': Mode(_node('sbot_sim', '--ros-args', '-p', 'scenario:=single_robot', '--log-level',
                           'rcl:=debug'), '/sbot_sim/reset'),
    'sbot_sim_free': Mode(_node('sbot_sim', '--ros-args', '-p', 'scenario:={folder}/free.yaml'),
                          _CONNECTED),
    'wind_model': Mode(_node('wind_model', '--ros-args', '--log-level', 'rcl:=debug'),
                       "'/clock'"),
    'potfield_bot': Mode(_node('potfield_bot', '0', '1', '28', '12'), 'Node Initialized.'),
    'controller_bot': Mode(_node('wind_aware_bot', '--ros-args', '--params-file',
                                 '{folder}/aware.yaml'), 'waiting for'),
    # A run that is cut short never ends with exit code 0.
    'up': Mode(_up(), _CONNECTED, 1),
    'up_free': Mode(_up('--set', 'lockstep=false'), _CONNECTED, 1),
    'composed': Mode(_up('--composed'), _CONNECTED, 1),
    'launch': Mode(_launch(), _CONNECTED),
    'launch_free': Mode(_launch('lockstep:=false'), _CONNECTED),
    'launch_composed': Mode(_launch('composed:=true'), _CONNECTED),
}


class Ending(NamedTuple):
    """How a start has ended."""

    delay: float  # s from the start to the signal
    took: float  # s from the signal to the end
    early: bool  # before all of its processes handled signals
    lost: bool  # the exit code of a node below `ros2 launch` is not known
    findings: list[str]

    def __str__(self) -> str:
        notes = ', while Python starts' * self.early + ', exit code lost' * self.lost
        return (f'after {self.delay:.2f} s, took {self.took:.1f} s{notes}: '
                f'{"; ".join(self.findings) or "in order"}')


def start(mode: Mode, log: Path, domain: int, mark: str, folder: Path) -> subprocess.Popen:
    """Start a mode; its processes can be found by the mark in their environment."""
    environment = {**ros_package.environment(folder / 'prefix'), 'ROS_DOMAIN_ID': str(domain),
                   'SBOT_TEST': mark, 'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST',
                   'PYTHONUNBUFFERED': '1'}
    with log.open('w') as stream:
        return subprocess.Popen(
            [word.replace('{folder}', str(folder)) for word in mode.command], env=environment,
            stdin=subprocess.DEVNULL, stdout=stream, stderr=stream, start_new_session=True,
            # Jobs in the background of a shell inherit that SIGINT is ignored.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))


def handles_signals(pid: int) -> bool:
    """Tell whether a process has a handler of SIGTERM, or blocks it: Python alone has none."""
    try:
        status = Path(f'/proc/{pid}/status').read_text()
    except OSError:  # it has ended
        return True
    masks = re.findall(r'^Sig(?:Cgt|Blk|Ign):\s*(\w+)', status, re.MULTILINE)
    return any(int(mask, 16) & 1 << signal.SIGTERM - 1 for mask in masks)


def wait_for(text: str, process: subprocess.Popen, log: Path) -> bool:
    """Wait until a log has a text; tell whether the process is still there."""
    end = time.monotonic() + DEADLINE
    while text not in log.read_text(errors='replace'):
        if process.poll() is not None or time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def interrupt(mode: Mode, delay: float, domain: int, folder: Path, name: str, *,
              begun: bool = False, patience: float = 120.0) -> Ending:
    """Start a mode, interrupt it, and see how it ends.

    Parameters
    ----------
    mode : what to start
    delay : s from the start, or from where the run has begun, to the signal
    domain : of ROS
    folder : of the log, which is kept after a finding
    name : of the start
    begun : wait until the run has begun
    patience : s in which it should have ended

    """
    log, mark = folder / f'{name}.log', f'{os.getpid()}-{name}'
    started = time.monotonic()
    process = start(mode, log, domain, mark, folder)
    findings = []
    try:
        if begun and not wait_for(mode.begun, process, log):
            findings.append(f'had not begun, exit code {process.poll()}')
        time.sleep(max(0.0, delay - (0.0 if begun else time.monotonic() - started)))
        unready = {pid for pid in marked(mark) if not handles_signals(pid)}
        if LAUNCHED in log.read_text(errors='replace'):
            unready.discard(process.pid)  # `ros2 launch` has another way, of SIGINT only
        elif mode.command[0] == 'ros2':
            unready.add(process.pid)
        sent = time.monotonic()
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGINT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(patience)
        code, took = process.poll(), time.monotonic() - sent
        left = [pid for pid in marked(mark) if pid != process.pid]
    finally:
        for pid in marked(mark):
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        process.wait()
    text = log.read_text(errors='replace')
    lost = LOST.findall(text)
    # What had not begun to handle signals ends as Python, or the tool that starts us, has it.
    early = process.pid in unready
    if code is None:
        findings.append(f'hangs for {patience:g} s')
    elif code != mode.code and not early:
        findings.append(f'exit code {code}, expected {mode.code}')
    findings += [f'node: exit code {died}' for pid, died in DIED.findall(text)
                 if int(pid) not in unready and pid not in lost]
    if not unready:
        findings += [words for words in ('Traceback', 'exit code -', 'failed to terminate')
                     if words in text]
    if left:
        findings.append(f'leaves {len(left)} processes')
    if not findings:
        log.unlink()
    return Ending(sent - started, took, bool(unready), bool(lost), findings)


def moments(name: str, count: int, seed: int, begins: float) -> list[tuple[float, bool]]:
    """Return (delay, whether from where the run has begun) of each start.

    ``begins``: s that a start takes to begin its run.
    """
    rng = random.Random(f'{seed} {name}')
    return [((rng.uniform(0, 1), False), (rng.uniform(0, begins), False),
             (rng.uniform(0, 1.5), True))[i % 3] for i in range(count)]


def try_mode(name: str, count: int, *, seed: int = 0, jobs: int = 1, cold: bool = False,
             folder: Path, say=print) -> list[Ending]:
    """Interrupt a number of starts of a mode; return how they ended."""
    mode = MODES[name]
    (folder / 'free.yaml').write_text(
        'lockstep: false\nduration: 1000\nworld: {bounds: [0, 0, 20, 20]}\n'
        'robots: [{pose: [3, 3, 0], goal: [15, 15]}]\n')
    (folder / 'aware.yaml').write_text(
        '/**: {ros__parameters: {scenario_text: "world: {bounds: [0, 0, 9, 9]}\\n'
        'robots: [{pose: [2, 2, 0], controller: wind_aware}]"}}\n')
    domains = [lock_domain() for _ in range(jobs)]
    if cold:
        os.environ['NUMBA_CACHE_DIR'] = str(folder / 'cache')
    # The first one is waited for: it says how long a start takes.
    before = time.monotonic()
    first = interrupt(mode, 0.0, domains[0], folder, f'{name}_first', begun=True)
    begins = first.delay
    say(f'{name}: begins after {begins:.1f} s, {time.monotonic() - before:.1f} s in all, '
        f'logs of findings in {folder}')
    say(f'{name} first: {first}')
    endings = [first]

    def one(i: int, delay: float, begun: bool) -> Ending:
        domain = domains.pop()
        if cold:
            shutil.rmtree(folder / 'cache', ignore_errors=True)
        try:
            ending = interrupt(mode, delay, domain, folder, f'{name}_{i}', begun=begun)
        finally:
            domains.append(domain)
        say(f'{name} {i}: {ending}')
        return ending

    with ThreadPoolExecutor(jobs) as pool:
        tasks = [pool.submit(one, i, *moment)
                 for i, moment in enumerate(moments(name, count - 1, seed, begins))]
        try:
            endings += [task.result() for task in tasks]
        except KeyboardInterrupt:
            pool.shutdown(cancel_futures=True)
            raise
    return endings


def main() -> int:
    """Print a line for each start, so that a run cut short counts, too, and a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--mode', action='append', choices=MODES, help='may be repeated')
    parser.add_argument('--count', type=int, default=100, help='starts of each mode')
    parser.add_argument('--jobs', type=int, default=1, help='starts at a time')
    parser.add_argument('--seed', type=int, default=0, help='of the moments')
    parser.add_argument('--cold', action='store_true', help='compile anew in each start')
    args = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix='sbot_interrupts_'))
    names = args.mode or [name for name in MODES
                          if not name.startswith('launch') or ros_package.HAS_LAUNCH]
    rows, bad = [], 0
    for name in names:
        endings = try_mode(name, args.count, seed=args.seed, jobs=1 if args.cold else args.jobs,
                           cold=args.cold, folder=folder,
                           say=lambda text: print(text, flush=True))
        findings = sum(bool(ending.findings) for ending in endings)
        bad += findings
        rows.append(f'| {name} | {len(endings)} | {sum(ending.early for ending in endings)} | '
                    f'{sum(ending.lost for ending in endings)} | {findings} | '
                    f'{max(ending.took for ending in endings):.1f} |')
        print(rows[-1], flush=True)
    print('| mode | starts | while Python starts | exit code lost | findings | longest end (s) |',
          '| --- | --- | --- | --- | --- | --- |', *rows, sep='\n')
    if not bad:
        shutil.rmtree(folder)
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
