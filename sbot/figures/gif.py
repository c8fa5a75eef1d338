"""GIF files of frames: one palette that keeps the most frequent colours."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

_COLOURS = 128

Pixels = NDArray[np.uint8]


def write_gif(path: Path, frames: Iterator[Pixels], shown: Iterator[Pixels],
              rate: float) -> None:
    """Write a film with one palette, so that what stands still does not flicker.

    Parameters
    ----------
    path : of the file
    frames : all frames
    shown : frames whose colours the palette is made of
    rate : frames per second

    """
    # The first frame has no trails: without the others their colours would be those nearest to it.
    palette = palette_of(Image.fromarray(np.vstack([*shown])).convert('RGB'), _COLOURS)
    images = [Image.fromarray(pixels).convert('RGB').quantize(palette=palette,
                                                              dither=Image.Dither.NONE)
              for pixels in frames]
    images[0].save(path, save_all=True, append_images=images[1:], loop=0,
                   duration=round(1000 / rate))


def palette_of(image: Image.Image, colours: int) -> Image.Image:
    """Return a palette: the most frequent colours as they are, and some of the others."""
    # A number a pixel: rows of three are sorted thirty times more slowly.
    red, green, blue = np.moveaxis(np.asarray(image, np.uint32), -1, 0)
    different, counts = np.unique(red << 16 | green << 8 | blue, return_counts=True)
    most = different[np.argsort(-counts, kind='stable')[:colours // 2]]
    frequent = np.stack([most >> 16, most >> 8 & 255, most & 255], axis=-1)
    others = image.quantize(colours - len(frequent), Image.Quantize.MAXCOVERAGE).getpalette()
    table = np.array([*frequent.ravel().tolist(), *(others or [])]).reshape(-1, 3)
    table[table.min(axis=1) >= 248] = 255  # a light ground, which the nearest colour may not tint
    palette = Image.new('P', (1, 1))
    palette.putpalette(table.ravel().tolist())
    return palette
