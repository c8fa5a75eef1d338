"""Draw pictures of single pages: `python docs/make_page_figures.py [NAME ...]`.

They are in docs/figures. The site's build does the `jobs` of those on a dark ground.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from make_gallery import Job, dark_name, is_new
from make_wind_figures import FIGURES
from page_figures import lockstep, packages, peers, replay, scenes, viewer

# A function of the file and of whether the ground is dark.
PICTURES: dict[str, Callable[[Path, bool], None]] = {
    **{name: partial(scenes.draw, name) for name in (*scenes.PASSAGES, scenes.STRIP)},
    'peers.svg': peers.draw,
    'packages.svg': packages.draw,
    'lockstep.svg': lockstep.draw,
    'replay.svg': replay.draw,
    'viewer.png': viewer.draw,
}


def jobs(folder: Path) -> list[Job]:
    """Return what draws the dark pictures that are older than the light ones of the repository.

    Without Chromium there is no dark picture of the viewer.
    """
    names = [name for name in PICTURES if name != 'viewer.png' or viewer.HAS_BROWSER]
    return [partial(draw_dark, name, path) for name in names
            if not is_new(path := folder / dark_name(name), FIGURES / name)]


def draw_dark(name: str, path: Path) -> None:
    """Draw one of PICTURES on a dark ground."""
    PICTURES[name](path, True)


def main() -> None:
    """Draw all, or those named."""
    for name in sys.argv[1:] or PICTURES:
        PICTURES[name](FIGURES / name, False)
        print(f'{name}: {(FIGURES / name).stat().st_size / 1000:.0f} kB')


if __name__ == '__main__':
    main()
