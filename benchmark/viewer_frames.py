"""Time of a frame of the viewer in a real browser: 300 robots with scans, trails and a curve.

    python benchmark/viewer_frames.py [--robots 300] [--beams 180] [--frames 120] [--most MS]

For each window it prints

* percentiles of the time of the draw calls of a frame;
* the processor time of all processes of the browser for a frame while the recording plays
  (Chromium paints in software here);
* percentiles of the time between frames then.

The first and the last depend on what else the machine does; medians of short draw calls hardly
do. With --most the exit code is 1 if the median of the draw calls is above it.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

import sbot
from sbot.figures.data import RunData
from sbot.viewer.data import Scans, page, page_data

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / 'test' / 'sbot'))
from browser import CHROMIUM, Browser  # type: ignore[import-not-found]  # noqa: E402 - tests

WINDOWS = ((1280, 800), (390, 800))  # px
TICKS = 1800  # a minute
Floats = NDArray[np.float64]

# Frames that a played recording would show, one after the other, each drawn at once.
DRAW = """(() => {
  const times = [];
  for (let k = 0; k < %d; k++) {
    const began = performance.now();
    now = k / 60; draw(); drawCurves(); show();
    times.push(performance.now() - began);
  }
  return times;
})()"""
INTERVALS = """new Promise(done => {
  const times = []; playing = true; now = 0;
  const one = t => {
    times.push(t);
    times.length > %d ? done(times) : requestAnimationFrame(one);
  };
  requestAnimationFrame(one);
})"""


def crowd(robots: int, beams: int) -> str:
    """Return the page of a minute of robots that drive in circles, with scans of every tick."""
    rng = np.random.default_rng(5)
    still = RunData.from_result(sbot.run({
        'name': 'crowd', 'duration': 0.1,
        'world': {'bounds': [0, 0, 48, 32], 'circles': [{'center': [20, 16], 'radius': 1}]},
        'wind': {'wind_speed_mean': 0.3}, 'sensors': {'scan_beams': beams},
        'robots': [{'pose': [1 + k % 40, 1 + k // 40, 0], 'controller': 'none'}
                   for k in range(robots)]}))
    angle = np.arange(TICKS)[:, None] / 60 + rng.uniform(0, 6.3, robots)
    start = rng.uniform([4, 4], [44, 28], (robots, 2))
    poses = np.stack([start[:, 0] + 3 * np.sin(angle), start[:, 1] - 3 * np.cos(angle),
                      np.mod(angle + np.pi, 2 * np.pi) - np.pi], axis=2)
    wind = np.full((TICKS, robots, 2), 0.1)
    data = still._replace(poses=poses, wind=wind, free_wind=wind,
                          stamps_ns=np.arange(1, TICKS + 1) * 33_333_333,
                          obstacles=np.zeros((TICKS, 0, 2)), boxes=np.zeros((TICKS, 0, 3)))
    every = max(1, TICKS * robots * beams // 8_000_000)  # as the viewer keeps them
    scans = Scans(np.arange(0, TICKS, every), rng.uniform(
        0.5, 8, (len(range(0, TICKS, every)), robots, beams)).astype(np.float32))
    return page(page_data(data, scans), 'crowd')


def used(browser: Any) -> float:  # noqa: ANN401 - of the tests
    """Return processor seconds of all processes of the browser."""
    parents: dict[int, list[int]] = {}
    ticks: dict[int, int] = {}
    for path in Path('/proc').glob('[0-9]*/stat'):
        try:
            fields = path.read_text().rpartition(') ')[2].split()
        except OSError:
            continue  # it has just ended
        number = int(path.parent.name)
        parents.setdefault(int(fields[1]), []).append(number)
        ticks[number] = int(fields[11]) + int(fields[12])
    total, left = 0, [browser.process_id]
    while left:
        number = left.pop()
        total += ticks.get(number, 0)
        left += parents.get(number, [])
    return total / os.sysconf('SC_CLK_TCK')


def measure(browser: Any, address: str, frames: int) -> tuple[Floats, float, Floats]:  # noqa: ANN401
    """Return ms of the draw calls (F,), of the browser a frame, and between frames (F,)."""
    browser.open(address)
    browser.evaluate(DRAW % 20)  # compiled
    script = np.array(browser.evaluate(DRAW % frames))
    before = used(browser)
    between = np.diff(browser.evaluate(INTERVALS % frames))
    return script, 1e3 * (used(browser) - before) / frames, between


def _three(values: Floats) -> str:
    return ', '.join(f'{value:.2f}' for value in np.percentile(values, [50, 95, 99]))


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(allow_abbrev=False,
                                     description='Time of a frame of the viewer.')
    parser.add_argument('--robots', type=int, default=300)
    parser.add_argument('--beams', type=int, default=180)
    parser.add_argument('--frames', type=int, default=120)
    parser.add_argument('--most', type=float, default=float('inf'),
                        help='of the draw calls of a frame (ms)')
    arguments = parser.parse_args()
    if CHROMIUM is None:
        print('viewer_frames needs Chromium; apt install chromium', file=sys.stderr)
        return 2
    worst = 0.0
    with TemporaryDirectory() as folder:
        path = Path(folder) / 'crowd.html'
        path.write_text(crowd(arguments.robots, arguments.beams), 'utf-8')
        print('window, shown | ms of draw calls: 50 %, 95 %, 99 % | processor ms of the browser a '
              'frame | ms between frames: 50 %, 95 %, 99 %')
        for width, height in WINDOWS:
            with Browser(Path(folder) / f'profile{width}', width, height) as browser:
                for shown in ('scans=0', 'scans=1', 'scans=1&curve=speed', 'scans=1&follow=7'):
                    script, task, between = measure(
                        browser, f'{path.as_uri()}#speed=1&{shown}', arguments.frames)
                    worst = max(worst, float(np.median(script)))
                    print(f'{width} x {height} {shown} | {_three(script)} | {task:.2f} | '
                          f'{_three(between)}', flush=True)
    return int(worst > arguments.most)


if __name__ == '__main__':
    sys.exit(main())
