"""Draws config/maps/rooms.png, as a mapping robot leaves it: rough, and partly unknown."""

from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

RESOLUTION = 0.05  # m
WIDTH, HEIGHT = 24.0, 12.0  # m
MARGIN = 0.5  # m, beyond the outer walls, unknown
FREE, UNKNOWN, OCCUPIED = 254, 205, 0
WALL = 0.15  # m

WALLS = (  # x0, y0, x1, y1 (m)
    (0, 0, 24, 0), (24, 0, 24, 12), (24, 12, 0, 12), (0, 12, 0, 0),
    (8, 0, 8, 3.5), (8, 8.5, 8, 12), (16, 0, 16, 4.0), (16, 9.0, 16, 12),
    (0, 9.5, 3, 9.5), (19, 2.5, 24, 2.5),
)
PILLARS = ((12.0, 9.6, 0.5), (12.0, 2.2, 0.5), (20.5, 9.8, 0.4))  # x, y, radius (m)


def draw() -> Image.Image:
    """Return the map as a grey image, north up."""
    size = tuple(round((side + 2 * MARGIN) / RESOLUTION) for side in (WIDTH, HEIGHT))
    image = Image.new('L', size, UNKNOWN)
    pen = ImageDraw.Draw(image)

    def pixel(x: float, y: float) -> tuple[float, float]:
        return (x + MARGIN) / RESOLUTION, size[1] - (y + MARGIN) / RESOLUTION

    pen.rectangle([pixel(0, HEIGHT), pixel(WIDTH, 0)], fill=FREE)
    for x0, y0, x1, y1 in WALLS:
        pen.line([pixel(x0, y0), pixel(x1, y1)], fill=OCCUPIED, width=round(WALL / RESOLUTION))
    for x, y, r in PILLARS:
        pen.ellipse([pixel(x - r, y + r), pixel(x + r, y - r)], fill=OCCUPIED)
    # A laser's noise frays walls by a cell here and there, outwards and inwards.
    pixels = np.asarray(image).copy()
    wall = pixels == OCCUPIED
    grown = np.asarray(Image.fromarray(wall).convert('L').filter(ImageFilter.MaxFilter(3))) > 0
    rng = np.random.default_rng(5)
    pixels[grown & (rng.random(pixels.shape) < 0.12)] = OCCUPIED
    return Image.fromarray(pixels)


if __name__ == '__main__':
    folder = Path(__file__).parent.parent / 'config' / 'maps'
    draw().save(folder / 'rooms.png', optimize=True)
