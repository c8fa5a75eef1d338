"""Runs and recordings in a notebook: the page of the viewer in a frame, inline and offline."""

from __future__ import annotations

import html

from sbot.bag.reader import Bag
from sbot.figures.data import from_result
from sbot.figures.recording import from_bag
from sbot.runner.history import Run
from sbot.viewer.data import kept_scans, page_data, read_scans
from sbot.viewer.page import page

HEIGHT = 480  # px
MOST_BYTES = 8_000_000  # of a page: a notebook keeps it with every output


def frame(shown: Run | Bag) -> str | None:
    """Return the HTML of a run or recording; None if it has no poses or its page is too large."""
    if isinstance(shown, Run):
        if not len(shown.poses):
            return None  # of a run with keep=False
        data = page_data(from_result(shown), kept_scans(shown))
    else:
        run = from_bag(shown)
        data = page_data(run, read_scans(shown, run))
    text = page(data, data['name'])
    if len(text) > MOST_BYTES:
        data.pop('scans', None)
        data.pop('scan_frames', None)
        text = page(data, data['name'])
    if len(text) > MOST_BYTES:
        return None
    return (f'<iframe style="width: 100%; height: {HEIGHT}px; border: 1px solid #ccc" '
            f'sandbox="allow-scripts" srcdoc="{html.escape(text)}"></iframe>')
