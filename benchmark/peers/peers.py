"""Benchmark of other simulators on the same scene, if installed: table.py is the command."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

from sbot import bench as scenes
from sbot.bench import LASER_WORLDS, BenchResult, laser_rate, lasers
from sbot.worlds.many import Worlds

PEERS = {'ir-sim': 'irsim', 'navground': 'navground.sim'}  # modules of Python packages
CASES = {'ARGoS': ('motion',)}  # of the others both: 'motion' without lasers, 'step' with them
SIZES = [10, 100, 1000]
ROUNDS = 3  # ours and theirs in turn, medians
_TIMEOUT = 300.0  # s for one size
_FOLDER = Path(__file__).parent


class Compiled(NamedTuple):
    """A simulator in C++ that is installed: our scene is compiled against it."""

    name: str  # Enki, Stage or ARGoS
    version: str
    flags: tuple[str, ...]  # of g++: where headers and libraries are

    @property
    def source(self) -> Path:
        """The scene's source."""
        return _FOLDER / f'{self.name.lower()}_scene.cpp'


class PeerResult(NamedTuple):
    """One simulator at one size, beside ours in turn; processor time, medians."""

    peer: str
    version: str
    case: str  # motion, step, or lasers: many worlds of four robots with 16 beams
    robots: int
    cpu_ms_per_step: float
    ours_cpu_ms_per_step: float
    ratio: float  # its time over ours


def peer_scene(case: str, robots: int, seconds: float, seed: int = 0) -> dict[str, object]:
    """Return the standard scene as numbers that need nothing of ours to be read."""
    scene = scenes.make_bench_scene(robots, seed=seed)
    return {
        'side': float(scene.world.bounds[2]), 'radius': scenes.RADIUS, 'dt': scenes.STEP,
        'speed': scenes.SPEED, 'turn': scenes.TURN, 'steps_a_draw': scenes.STEPS_A_DRAW,
        'range': scenes.RANGE, 'beams': scenes.BEAMS if case == 'step' else 0,
        'poses': scene.pose.tolist(), 'boxes': scene.world.rectangles[:, :4].tolist(),
        'seconds': seconds, 'seed': seed}


def installed(module: str, python: str) -> bool:
    """Tell whether that interpreter can import a module."""
    code = f'import sys; del sys.path[0]; import {module}'  # not from the current folder
    return subprocess.run([python, '-c', code], capture_output=True, check=False).returncode == 0


def run_peer(peer: str, python: str, case: str, robots: int, seconds: float) -> dict[str, float]:
    """Run one simulator in a process of its own; return its milliseconds a step.

    Raises
    ------
    RuntimeError
        with its last line, if it fails or takes too long.

    """
    return _run_script('peer_script.py', [peer], peer_scene(case, robots, seconds), python)


def _run_script(name: str, arguments: list[str], scene: dict[str, object],
                python: str) -> dict[str, float]:
    return _answer([python, str(_FOLDER / name), *arguments], json.dumps(scene))


def _answer(command: list[str], text: str) -> dict[str, float]:
    """Return the JSON object that a program prints last."""
    try:
        done = subprocess.run(command, text=True, capture_output=True, input=text, check=False,
                              timeout=_TIMEOUT)
    except subprocess.TimeoutExpired:
        raise RuntimeError(f'not ready after {_TIMEOUT:g} s') from None
    lines = (done.stdout if done.returncode == 0 else done.stderr).strip().splitlines()
    if done.returncode or not lines:
        raise RuntimeError(lines[-1] if lines else f'exit code {done.returncode}')
    result: dict[str, float] = json.loads(lines[-1])
    return result


def compile_scene(peer: Compiled, folder: Path) -> Path:
    """Compile our scene for a simulator in C++; return the program.

    Raises
    ------
    RuntimeError
        with the compiler's first error.

    """
    program = folder / peer.name
    done = subprocess.run(['g++', '-O3', '-std=c++17', '-w', str(peer.source), '-o', str(program),
                           *peer.flags], capture_output=True, text=True, check=False)
    if done.returncode:
        errors = [line for line in done.stderr.splitlines() if 'rror' in line] or ['g++ failed']
        raise RuntimeError(errors[0])
    return program


def run_compiled(program: Path, case: str, robots: int, seconds: float) -> dict[str, float]:
    """Run a compiled scene; return its milliseconds a step, as ``run_peer`` does."""
    scene = peer_scene(case, robots, seconds)
    poses, boxes = scene['poses'], scene['boxes']
    assert isinstance(poses, list)
    assert isinstance(boxes, list)
    numbers = [scene[name] for name in (
        'side', 'radius', 'dt', 'speed', 'turn', 'range', 'seconds', 'steps_a_draw', 'beams',
        'seed')]
    rows = [[*numbers, len(poses), len(boxes)], *poses, *boxes]
    return _answer([str(program)], '\n'.join(' '.join(map(repr, row)) for row in rows))


def run_peers(sizes: list[int], seconds: float, say: Callable[[str], None],
              python: str = sys.executable,
              compiled: list[Compiled] | None = None) -> list[PeerResult]:
    """Measure the installed simulators; report each of the others with one line.

    Parameters
    ----------
    sizes : numbers of robots
    seconds : of wall time, for each number and round
    say : takes a line
    python : interpreter that has the Python packages
    compiled : simulators in C++

    """
    results = []
    with tempfile.TemporaryDirectory() as folder:
        for peer, version, run in _runners(say, python, compiled or [], Path(folder)):
            for case in CASES.get(peer, ('motion', 'step')):
                for robots in sizes:
                    ours, theirs = [], []
                    try:
                        for _ in range(ROUNDS):
                            ours.append(
                                BenchResult.measure(case, robots, 1, seconds).cpu_ms_per_step)
                            theirs.append(run(case, robots, seconds)['cpu_ms'])
                    except RuntimeError as error:
                        say(f'{peer} {case} {robots}: {error}')
                        break
                    results.append(_result(peer, version, case, robots, theirs, ours))
                    say(_line(results[-1]))
    return results


_Run = Callable[[str, int, float], dict[str, float]]


def _runners(say: Callable[[str], None], python: str, compiled: list[Compiled],
             folder: Path) -> list[tuple[str, str, _Run]]:
    """Return name, version and measurement of each simulator that is there."""
    found: list[tuple[str, str, _Run]] = []
    for peer, module in PEERS.items():
        if not installed(module, python):
            say(f'{peer}: not installed (pip install {peer}); skipped')
            continue
        found.append((peer, version_of(peer, python), partial(run_peer, peer, python)))
    for each in compiled:
        try:
            program = compile_scene(each, folder)
        except RuntimeError as error:
            say(f'{each.name}: {error}; skipped')
            continue
        found.append((each.name, each.version, partial(run_compiled, program)))
    return found


def version_of(package: str, python: str) -> str:
    """Return the version of a package of an interpreter."""
    code = f'import importlib.metadata as m; print(m.version({package!r}))'
    return subprocess.run([python, '-c', code], capture_output=True, text=True,
                          check=True).stdout.strip()


def _result(peer: str, version: str, case: str, robots: int, theirs: list[float],
            ours: list[float]) -> PeerResult:
    its, our = statistics.median(theirs), statistics.median(ours)
    return PeerResult(peer, version, case, robots, its, our, its / our)


def _line(result: PeerResult) -> str:
    return (f'{result.peer} {result.version} {result.case} {result.robots}: '
            f'{result.cpu_ms_per_step:.4g} ms a step, {result.ratio:.4g} times ours '
            f'({result.ours_cpu_ms_per_step:.4g} ms)')


def run_vmas_beside(seconds: float, say: Callable[[str], None],
                    python: str) -> list[PeerResult]:
    """Measure VMAS in the scene of ``lasers``, milliseconds a step of one world; none without it.

    """
    ours, theirs = [], []
    for _ in range(ROUNDS):
        ours.append(4e3 / laser_rate(seconds))
        rate = vmas_beside(seconds, say, python)
        if rate is None:
            return []
        theirs.append(4e3 / rate)
    result = _result('VMAS', version_of('vmas', python), 'lasers', 4, theirs, ours)
    say(_line(result))
    return [result]


def run_vmas(scene: dict[str, object], say: Callable[[str], None],
             python: str = sys.executable) -> float | None:
    """Return robot-steps a second of processor time of VMAS; None, and a line, if it cannot run.

    ``scene`` is what ``vmas_script`` reads.
    """
    if not installed('vmas', python):
        say('VMAS: not installed (pip install vmas); skipped')
        return None
    try:
        return _run_script('vmas_script.py', [], scene, python)['robot_steps_per_cpu_s']
    except RuntimeError as error:
        say(f'VMAS: {error}')
        return None


def vmas_beside(seconds: float, say: Callable[[str], None], python: str) -> float | None:
    """Return robot-steps a second of processor time of VMAS in the scene of ``lasers``.

    None, and a line for ``say``, if that interpreter does not have it.
    """
    scenario = lasers()
    world, sensors = scenario.world.arrays(), scenario.sensors.scan
    return run_vmas({
        'worlds': LASER_WORLDS, 'seconds': seconds, 'side': float(world.bounds[2]),
        'dt': scenario.rate.dt, 'radius': scenes.RADIUS, 'beams': sensors.scan_beams,
        'range': sensors.scan_range_max, 'boxes': world.rectangles[:, :4].tolist(),
        'poses': Worlds(scenario, 1, sense=()).start[0].tolist()}, say, python)
