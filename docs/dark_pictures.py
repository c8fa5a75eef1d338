"""Dark versions of the tutorials' pictures, for the site: colours of the light style to dark ones.

The tutorials' commands, some of which train for minutes, do not run a second time. Their pictures
have the colours of `sbot.figures.look.LIGHT`, and blends of two of them at edges.
"""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
from matplotlib.colors import to_rgb
from numpy.typing import NDArray
from PIL import Image

from sbot.figures.arena import LEADER
from sbot.figures.look import DARK, LIGHT, Palette

TUTORIALS = Path(__file__).resolve().parent / 'tutorials'
_EQUAL = 2.0  # of 255
_OTHER_BLEND = 3.0  # of 255, by how much a blend with the ground may be worse than another one

Array = NDArray[np.float64]


def complete(folder: Path) -> None:
    """Write PAGE/NAME.dark.png of each picture of a tutorial; what is new enough is kept."""
    for path in sorted(TUTORIALS.glob('*/*.png')):
        made = folder / path.parent.name / f'{path.stem}.dark.png'
        if made.is_file() and made.stat().st_mtime >= path.stat().st_mtime:
            continue
        made.parent.mkdir(parents=True, exist_ok=True)
        with Image.open(path) as image:
            darkened(image).save(made, optimize=True)


def darkened(image: Image.Image) -> Image.Image:
    """Return a picture of the light style with the colours of the dark style."""
    pixels = np.asarray(image.convert('RGB'))
    colours, index = np.unique(pixels.reshape(-1, 3), axis=0, return_inverse=True)
    dark = np.round(dark_colours(colours.astype(float))).clip(0, 255).astype(np.uint8)
    return Image.fromarray(dark[index.ravel()].reshape(pixels.shape))


def dark_colours(colours: Array) -> Array:
    """Return the dark colours (N, 3) of light ones (N, 3), from 0 to 255.

    Each is taken as the nearest blend of two colours of the light palette, rather one with the
    ground, and becomes the same blend of their dark ones.
    """
    light, dark = (255.0 * np.array([to_rgb(each) for each in table])
                   for table in (_table(LIGHT, 'black'), _table(DARK, DARK.ink)))
    # One of the palette is itself, even if it is a blend of others too, as grey is.
    nearest = np.linalg.norm(colours[:, None] - light, axis=2)
    result: Array = dark[nearest.argmin(axis=1)]
    least = np.where(nearest.min(axis=1) < _EQUAL, 0.0, np.inf)
    for i, k in combinations(range(len(light)), 2):  # 0 is the ground
        along = light[k] - light[i]
        share = np.clip((colours - light[i]) @ along / max(along @ along, 1e-9), 0.0, 1.0)[:, None]
        error = np.linalg.norm(light[i] + share * along - colours, axis=1) + _OTHER_BLEND * (i > 0)
        better = error < least
        least[better] = error[better]
        result[better] = (dark[i] + share * (dark[k] - dark[i]))[better]
    return result


def _table(palette: Palette, letters: str) -> list[str]:
    """Return the ground, and all other colours of the style in the same order."""
    values = palette._asdict()
    followers, ground = values.pop('followers'), values.pop('ground')
    return [ground, letters, LEADER, *followers, *values.values()]
