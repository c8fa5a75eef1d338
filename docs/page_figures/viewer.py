"""The page of `sbot view` in a real browser (Chromium)."""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from make_gallery import save_small
from PIL import Image

import sbot
from sbot.viewer.data import write_view

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / 'test' / 'sbot'))
from browser import CHROMIUM, Browser  # noqa: E402 - of the tests

HAS_BROWSER = CHROMIUM is not None
WINDOW = 800, 520  # px
SHARP = 1.6  # pixels of the picture for one of the window
SHOWN = 't=7.7&scans=1&names=1&curve=speed'  # of the address
COLOURS = 128


def draw(path: Path, dark: bool = False) -> None:
    """Take a picture of a replay of ``leader_follower``."""
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        bag, html = Path(folder) / 'bag', Path(folder) / 'run.html'
        sbot.run('leader_follower', duration=20, record=bag)
        write_view(sbot.Bag(bag), html)
        with Browser(Path(folder) / 'profile', *WINDOW) as browser:
            browser.call('Emulation.setDeviceMetricsOverride', width=WINDOW[0], height=WINDOW[1],
                         deviceScaleFactor=SHARP, mobile=False)
            browser.open(f'{html.as_uri()}#{SHOWN}&theme={"dark" if dark else "light"}')
            pixels = browser.screenshot()
        large = Path(folder) / 'large.png'
        Image.fromarray(np.asarray(pixels, np.uint8)).save(large)
        save_small(large, path, round(SHARP * WINDOW[0]), 0 if dark else COLOURS)
