"""Benchmark of other simulators (ir-sim, navground, VMAS) on the same scene, if installed."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from sbot.bench import scenes
from sbot.bench.evaluations import LASER_WORLDS, lasers
from sbot.bench.measure import measure
from sbot.bench.result import BenchResult
from sbot.scenario.world import world_arrays
from sbot.worlds.many import Worlds

PEERS = {'ir-sim': 'irsim', 'navground': 'navground.sim'}
SIZES = [10, 100, 1000]
_TIMEOUT = 300.0  # s for one size


class PeerResult(NamedTuple):
    """One simulator at one size, beside ours measured just before it; processor time."""

    peer: str
    case: str  # 'motion': without lasers; 'step': with
    robots: int
    cpu_ms_per_step: float
    ours_cpu_ms_per_step: float
    million_rays_per_s: float
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
    if python == sys.executable:
        try:
            return importlib.util.find_spec(module) is not None
        except ModuleNotFoundError:
            return False
    code = f'import sys; del sys.path[0]; import {module}'  # not from the current folder
    return subprocess.run([python, '-c', code], capture_output=True, check=False).returncode == 0


def run_peer(peer: str, case: str, robots: int, seconds: float,
             python: str = sys.executable) -> dict[str, float]:
    """Run one simulator in a process of its own; return its milliseconds a step.

    Raises
    ------
    RuntimeError
        with its last line, if it fails or takes too long.

    """
    return _run_script('peer_script.py', [peer], peer_scene(case, robots, seconds), python)


def _run_script(name: str, arguments: list[str], scene: dict[str, object],
                python: str) -> dict[str, float]:
    script = Path(__file__).with_name(name)
    try:
        done = subprocess.run([python, str(script), *arguments], text=True, capture_output=True,
                              input=json.dumps(scene), check=False, timeout=_TIMEOUT)
    except subprocess.TimeoutExpired:
        raise RuntimeError(f'not ready after {_TIMEOUT:g} s') from None
    lines = (done.stdout if done.returncode == 0 else done.stderr).strip().splitlines()
    if done.returncode or not lines:
        raise RuntimeError(lines[-1] if lines else f'exit code {done.returncode}')
    result: dict[str, float] = json.loads(lines[-1])
    return result


def run_peers(sizes: list[int], seconds: float, say: Callable[[str], None],
              python: str = sys.executable) -> list[PeerResult]:
    """Measure the installed simulators; report each of the others with one line."""
    results = []
    for peer, module in PEERS.items():
        if not installed(module, python):
            say(f'{peer}: not installed (pip install {peer}); skipped')
            continue
        for case in ('motion', 'step'):
            for robots in sizes:
                ours = measure(case, robots, 1, min(seconds, 1.0))
                try:
                    theirs = run_peer(peer, case, robots, seconds, python)
                except RuntimeError as error:
                    say(f'{peer} {case} {robots}: {error}')
                    break
                result = _beside(peer, case, robots, theirs['cpu_ms'], ours)
                results.append(result)
                say(f'{peer} {case} {robots}: {result.cpu_ms_per_step:.4g} ms a step, '
                    f'{result.ratio:.4g} times ours ({result.ours_cpu_ms_per_step:.4g} ms)')
    return results


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
    world, sensors = world_arrays(scenario.world), scenario.sensors.scan
    return run_vmas({
        'worlds': LASER_WORLDS, 'seconds': seconds, 'side': float(world.bounds[2]),
        'dt': scenario.rate.dt, 'radius': scenes.RADIUS, 'beams': sensors.scan_beams,
        'range': sensors.scan_range_max, 'boxes': world.rectangles[:, :4].tolist(),
        'poses': Worlds(scenario, 1, sense=()).start[0].tolist()}, say, python)


def _beside(peer: str, case: str, robots: int, cpu_ms: float, ours: BenchResult) -> PeerResult:
    rays = robots * scenes.BEAMS if case == 'step' else 0
    return PeerResult(peer, case, robots, cpu_ms, ours.cpu_ms_per_step, rays / cpu_ms / 1e3,
                      cpu_ms / ours.cpu_ms_per_step)
