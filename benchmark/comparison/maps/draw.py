"""Draws maze.png: nine rooms of 10 m by 7 m, as a mapping robot leaves them.

    python benchmark/comparison/maps/draw.py
"""

from pathlib import Path

from PIL import Image, ImageDraw

RESOLUTION = 0.05  # m
WIDTH, HEIGHT = 30.0, 21.0  # m
FREE, OCCUPIED = 254, 0
WALL = 0.2  # m

# x0, y0, x1, y1 (m); doors of 2 m are left out.
WALLS = (
    (0, 0, 30, 0), (30, 0, 30, 21), (30, 21, 0, 21), (0, 21, 0, 0),
    (10, 0, 10, 2), (10, 4, 10, 10), (10, 12, 10, 21),  # between the first and second column
    (20, 0, 20, 16), (20, 18, 20, 21),  # between the second and third
    (0, 7, 4, 7), (6, 7, 10, 7), (10, 7, 17, 7), (19, 7, 30, 7),  # between the rows
    (0, 14, 13, 14), (15, 14, 22, 14), (24, 14, 30, 14),
)


def draw() -> Image.Image:
    """Return the map as a grey image, north up."""
    size = round(WIDTH / RESOLUTION), round(HEIGHT / RESOLUTION)
    image = Image.new('L', size, FREE)
    pen = ImageDraw.Draw(image)
    for x0, y0, x1, y1 in WALLS:
        low = min(x0, x1) - WALL / 2, min(y0, y1) - WALL / 2
        high = max(x0, x1) + WALL / 2, max(y0, y1) + WALL / 2
        pen.rectangle([low[0] / RESOLUTION, size[1] - high[1] / RESOLUTION,
                       high[0] / RESOLUTION, size[1] - low[1] / RESOLUTION], fill=OCCUPIED)
    return image


if __name__ == '__main__':
    draw().save(Path(__file__).parent / 'maze.png', optimize=True)
