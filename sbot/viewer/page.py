"""HTML page of a run: one offline file with style, script and data; notebooks show it."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path
from typing import Any

from sbot.bag.reader import Bag
from sbot.figures.data import from_bag, from_result
from sbot.runner.history import Run
from sbot.viewer.data import kept_scans, page_data, read_scans
from sbot_common.errors import InputError, bad_value

_HERE = Path(__file__).parent
_SCRIPTS = ('page.js', 'around.js', 'start.js')  # in this order


def page(run: dict[str, Any] | None, title: str) -> str:
    """Return the whole page: HTML, style, script and data, nothing to load from elsewhere.

    Parameters
    ----------
    run : as ``data.page_data`` returns it; None: the page asks its server for a live run
    title : shown until the name of the run has arrived

    """
    template = (_HERE / 'page.html').read_text('utf-8')
    script = '\n'.join((_HERE / name).read_text('utf-8') for name in _SCRIPTS)
    # '<' is all that could end the element early.
    data = json.dumps(run, separators=(',', ':'), allow_nan=False).replace('<', '\\u003c')
    texts = {'@TITLE@': html.escape(title), '@SCRIPT@': script, '@RUN@': data}
    return re.sub('|'.join(texts), lambda mark: texts[mark[0]], template)


def write_view(source: Bag | str | Path, output: str | Path) -> None:
    """Write the page of a recording.

    Raises
    ------
    InputError
        if the bag cannot be used or the file cannot be written.

    """
    bag = source if isinstance(source, Bag) else Bag(source)
    data = from_bag(bag)
    _write(page_data(data, read_scans(bag, data)), output)


def write_run(run: Run, output: str | Path) -> None:
    """Write the page of a run in this process, with scans if it has kept them.

    Raises
    ------
    InputError
        if the file cannot be written.

    """
    _write(page_data(from_result(run), kept_scans(run)), output)


def check_name(output: str | Path) -> None:
    """Raise InputError unless the file name is valid for a page."""
    if not str(output).endswith(('.html', '.htm')):
        raise bad_value('output', str(output), 'a file that ends in .html')


def _write(run: dict[str, Any], output: str | Path) -> None:
    check_name(output)
    try:
        text = page(run, run['name']).encode('utf-8', 'replace')
        Path(output).write_bytes(text)
    except OSError as error:
        raise InputError(f'{output}: cannot be written: {error.strerror}') from None


# Runs and recordings in a notebook: the page of the viewer in a frame, inline and offline.

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
