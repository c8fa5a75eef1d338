
import numpy as np
import pytest
from matplotlib import rc_context
from matplotlib.colors import to_rgb
from pictures import crowd

from sbot.figures.arena.colours import heading_colours, robot_colours
from sbot.figures.palette import palette, style_of


def light(colour):  # relative luminance, as of contrast ratios
    parts = np.array(to_rgb(colour))
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4) @ [
        0.2126, 0.7152, 0.0722]


@pytest.mark.parametrize('dark', [False, True])
def test_colours_of_many_stand_out_on_both_grounds(data, dark):
    with rc_context(style_of(dark)):
        ground = light(palette().ground)
        colours = [*robot_colours(crowd(data, 30), 'robot'),
                   *heading_colours(np.linspace(0, 6.2, 16))]
    assert len({*colours[:30]}) == 30
    ratios = [(max(light(each), ground) + 0.05) / (min(light(each), ground) + 0.05)
              for each in colours]
    assert min(ratios) > (3.0 if dark else 1.5)


def test_colours_of_robots_stand_out_on_both_grounds(data):
    eight = crowd(data, 8)
    for dark in (False, True):
        with rc_context(style_of(dark)):
            colours, ground = robot_colours(eight), light(palette().ground)
        assert len(set(colours)) == 8
        ratios = [(max(light(each), ground) + 0.05) / (min(light(each), ground) + 0.05)
                  for each in colours]
        assert min(ratios) > (4.0 if dark else 2.0)
