"""Pictures, films and commands of docs/gallery.md: `python docs/make_gallery.py [NAME ...]`.

A name of FIGURES or DRAWN is that of a picture of other pages, in docs/figures.

The site's build calls `complete` for what is not in the repository: dark pictures, and all films.
"""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import make_collision_figure
import make_comparison_figure
import make_learning_figures
import make_sensor_figures
import make_wind_figures
from PIL import Image

from sbot.figures.data import RunData
from sbot.figures.film import animate_run, palette_of
from sbot.figures.look import Film, Look
from sbot.figures.picture import plot_run
from sbot.runner.loop import run_scenario
from sbot.scenario.load import load_scenario

FOLDER = Path(__file__).resolve().parent / 'gallery'
PAGE = FOLDER.with_suffix('.md')
WIDTH = 1000  # pixels
COLOURS = 192  # of a picture
GIF_WIDTH, README_WIDTH = 420, 560  # pixels of films
Job = Callable[[], None]


class Shown(NamedTuple):
    """How one scenario is shown; without moments by its tracks and curves."""

    at: tuple[float, ...] = ()  # s
    colour: str = ''
    svg: bool = False  # lines are few
    gif: float = 0.0  # s of its GIF in the repository; 0: no GIF


GALLERY = {
    'gallery/flocking': Shown((0, 10, 40, 90), 'heading', gif=8),
    'gallery/aggregation': Shown((0, 60, 150, 300)),
    'gallery/foraging': Shown((0, 20, 45, 90), gif=8),
    'gallery/transport': Shown((0, 20, 40, 90)),
    'gallery/door': Shown((0, 10, 30, 60), gif=8),
    'gallery/spreading': Shown((0, 5, 15, 60)),
    'gallery/formation': Shown((0, 8, 18, 30)),
    'gallery/vortex': Shown((0, 20, 60)),
    'gallery/cars': Shown((0, 10, 30, 60), gif=8),
    'gallery/crossing': Shown((0, 6, 10, 30), 'heading'),
    'gallery/circle': Shown((0, 8, 14, 40), 'robot'),
    'evolved_aggregation': Shown((0, 20, 60)),
    'leader_in_gusts': Shown((0, 4, 12, 20)),
    'leader_follower': Shown(svg=True),
    'rooms': Shown(),
    'wind_wake': Shown(svg=True),
    'wind_blocking': Shown(svg=True),
}


def _named(draw: Callable[[Path, str, bool], None], name: str, path: Path, dark: bool) -> None:
    draw(path, name, dark)


# Pictures and films of other pages: scenario, and what it is run with.
FIGURES: dict[str, tuple[str, dict[str, object]]] = {
    'demo.gif': ('gallery/flocking', {}),
    'leader_run.svg': ('leader_in_gusts', {}),
    'boxes.svg': ('examples/push_boxes.yaml', {}),
    'yard.svg': ('examples/yard.yaml', {}),
}
# Pictures that other scripts draw.
DRAWN: dict[str, Callable[[Path, bool], None]] = {
    'wake_reduction.png': make_wind_figures.draw,
    'collisions.svg': make_collision_figure.draw,
    'comparison.svg': make_comparison_figure.draw,
    **{name: partial(_named, make_sensor_figures.draw, name)
       for name in make_sensor_figures.FIGURE},
    **{name: partial(_named, make_learning_figures.draw, name)
       for name in make_learning_figures.NAMES},
}


def stem(name: str) -> str:
    """Return the name of a scenario's files."""
    return name.removeprefix('gallery/')


def ending(shown: Shown) -> str:
    """Return how the name of a scenario's picture ends."""
    return '.svg' if shown.svg else '.png'


def picture_of(name: str) -> str:
    """Return the file of a scenario's picture."""
    return stem(name) + ending(GALLERY[name])


def command(name: str) -> str:
    """Return the line of the page with the command that draws a scenario."""
    shown, output = GALLERY[name], stem(name)
    at = f' --at {",".join(map(str, shown.at))}' if shown.at else ''
    colour = f' --colour {shown.colour}' if shown.colour else ''
    return f'`sbot plot {name}{at}{colour} -o {output}{ending(shown)}`'


def mend_page(text: str) -> str:
    """Return the gallery's page with a command for each scenario."""
    for name in GALLERY:
        text = re.sub(rf'^`sbot plot {name} .*$', lambda _, name=name: command(name),  # type: ignore[misc]
                      text, flags=re.MULTILINE)
    return text


def draw(data: RunData, shown: Shown, path: Path, dark: bool = False) -> None:
    """Draw a run; light pictures, which the repository has, have few colours."""
    if path.suffix == '.svg':
        plot_run(data, path, Look(shown.at, shown.colour, dark))
        return
    with TemporaryDirectory() as folder:
        large = Path(folder) / 'large.png'
        plot_run(data, large, Look(shown.at, shown.colour, dark))
        save_small(large, path, colours=0 if dark else COLOURS)


def save_small(large: Path, path: Path, width: int = WIDTH, colours: int = 0) -> None:
    """Write a picture anew, smaller; 0 colours: all, as tracks by time are gradients."""
    with Image.open(large) as image:
        height = round(image.height * width / image.width)
        small = image.convert('RGB').resize((width, height), Image.Resampling.LANCZOS)
    if colours:
        small = small.quantize(palette=palette_of(small, colours), dither=Image.Dither.NONE)
    small.save(path, optimize=True)


def save_film(data: RunData, colour: str, path: Path, width: int, length: float,
              dark: bool = False) -> None:
    """Write a short film of few pixels, at the 12.5 frames a second of all GIFs."""
    speed = float(data.seconds[-1]) / length
    animate_run(data, path, Look(colour=colour, dark=dark), Film(width, speed=speed))


def complete(folder: Path, processes: int = 1, others: Iterable[Job] = ()) -> None:
    """Write what a site has beyond the repository, in some processes side by side.

    Of each scenario of the gallery a dark picture, and with ffmpeg NAME.mp4 and NAME.dark.mp4; of
    pictures and films of other pages a dark one. What is new enough is kept. ``others`` are done
    beside it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    jobs: list[Job] = [partial(complete_one, folder, name)
                       for name in (*GALLERY, *FIGURES, *DRAWN) if lacking(folder, name)]
    jobs += others
    if processes == 1 or len(jobs) < 2:
        for job in jobs:
            job()
        return
    # Started, not forked: threads of compiled code and of libraries do not survive a fork.
    with ProcessPoolExecutor(processes, get_context('spawn')) as pool:
        for made in [pool.submit(job) for job in jobs]:
            made.result()


def lacking(folder: Path, name: str) -> list[Path]:
    """Return the files that a site lacks of one scenario or picture."""
    if name not in GALLERY:
        wanted, drawn = [dark_name(name)], FOLDER.with_name('figures') / name
    else:
        films = ['.mp4', '.dark.mp4'] if shutil.which('ffmpeg') else []
        wanted = [stem(name) + end for end in (dark_name(ending(GALLERY[name])), *films)]
        drawn = FOLDER / picture_of(name)
    return [folder / file for file in wanted if not is_new(folder / file, drawn)]


def load_run(name: str, overrides: Mapping[str, object] | None = None) -> RunData:
    """Return the run of a scenario."""
    return RunData.from_result(run_scenario(load_scenario(name, overrides)))


def complete_one(folder: Path, name: str) -> None:
    """Write what a site lacks of one scenario or picture."""
    data = load_run(name) if name in GALLERY else None
    for path in lacking(folder, name):
        if name in DRAWN:
            DRAWN[name](path, True)
        elif data is None:
            draw_figure(name, path, dark=True)
        elif path.suffix == '.mp4':
            animate_run(data, path, Look(colour=GALLERY[name].colour,
                                         dark=path.stem.endswith('.dark')))
        else:
            draw(data, GALLERY[name], path, dark=True)


def dark_name(name: str) -> str:
    """Return the name of a picture or film on a dark ground."""
    return re.sub(r'(\.\w+)$', r'.dark\1', name)


def is_new(made: Path, drawn: Path) -> bool:
    """Tell whether a file of the site is at least as new as its picture in the repository."""
    return made.is_file() and made.stat().st_mtime >= drawn.stat().st_mtime


def draw_figure(name: str, path: Path, dark: bool = False) -> None:
    """Draw one of FIGURES."""
    scenario, values = FIGURES[name]
    root = FOLDER.parents[1]
    data = load_run(str(root / scenario) if scenario.endswith('.yaml') else scenario, values)
    if path.suffix == '.gif':
        save_film(data, GALLERY[scenario].colour, path, README_WIDTH, 10.0, dark)
    elif path.suffix == '.svg':
        plot_run(data, path, Look(dark=dark))
    else:
        draw(data, Shown(), path, dark)
    print(f'{name}: {path.stat().st_size / 1000:.0f} kB')


def main() -> None:
    """Draw everything, or the scenarios that are named."""
    FOLDER.mkdir(exist_ok=True)
    PAGE.write_text(mend_page(PAGE.read_text('utf-8')), 'utf-8')
    for name in sys.argv[1:] or (*GALLERY, *FIGURES, *DRAWN):
        if name in DRAWN:
            DRAWN[name](FOLDER.with_name('figures') / name, False)
            continue
        if name in FIGURES:
            draw_figure(name, FOLDER.with_name('figures') / name)
            continue
        data, shown = load_run(name), GALLERY[name]
        path = FOLDER / picture_of(name)
        draw(data, shown, path)
        print(f'{path.name}: {path.stat().st_size / 1000:.0f} kB')
        if shown.gif:
            save_film(data, shown.colour, path.with_suffix('.gif'), GIF_WIDTH, shown.gif)
            print(f'{stem(name)}.gif: {path.with_suffix(".gif").stat().st_size / 1000:.0f} kB')


if __name__ == '__main__':
    main()
