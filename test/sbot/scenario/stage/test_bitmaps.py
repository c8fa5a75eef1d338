"""Bitmaps of Stage: borders of dark pixels, y up; each file is read once."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from sbot.scenario.stage.bitmaps import LIGHTEST, Bitmaps
from sbot.scenario.stage.tokens import Place
from sbot_common.errors import InputError

PLACE = Place('x.world', 7, 7)


@pytest.fixture
def folder(tmp_path):
    pixels = np.full((3, 4), 255, np.uint8)
    pixels[0, 1] = LIGHTEST
    pixels[2, 3] = LIGHTEST + 1
    Image.fromarray(pixels).save(tmp_path / 'a.png')
    return tmp_path


def test_dark_pixels_have_borders(folder):
    bitmaps = Bitmaps(folder)
    borders = bitmaps.outlines('a.png', PLACE)
    points = borders.reshape(-1, 2)
    assert len(borders) == 4
    assert points.min(axis=0).tolist() == [1.0, 2.0]  # the first row of the image is the highest
    assert points.max(axis=0).tolist() == [2.0, 3.0]
    (folder / 'a.png').unlink()
    (folder / 'a.png').touch()
    assert bitmaps.outlines('a.png', PLACE) is borders


@pytest.mark.parametrize('name', ['', 'b.png', '.'])
def test_what_is_no_image_is_refused_by_line(folder, name):
    with pytest.raises(InputError, match=r'x\.world:7: bitmap'):
        Bitmaps(folder).outlines(name, PLACE)
    (folder / 'c.png').write_text('no image')
    with pytest.raises(InputError, match=r'x\.world:7: bitmap'):
        Bitmaps(Path(folder)).outlines('c.png', PLACE)
