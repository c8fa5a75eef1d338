
import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.quiver import Quiver
from pictures import crowd

from sbot.figures.moments import draw_moments
from sbot.figures.palette import drawing, style_of
from sbot.figures.picture import draw_run


@pytest.mark.parametrize('dark', [False, True])
def test_the_wind_under_the_blue_tracks_of_many_is_grey(data, dark):
    for run, least, most in ((data, 0.2, 1.0), (crowd(data, 9), 0.0, 0.1)):
        with drawing(style_of(dark)):
            axes = draw_run(run).axes[0]
        [arrows] = [each for each in axes.collections if isinstance(each, Quiver)]
        [label] = [text for text in axes.texts if text.get_text().startswith('wind')]
        for colour in (arrows.get_facecolors()[0], label.get_color()):
            assert least <= np.ptp(to_rgb(colour)) <= most


def arrows_of(axes):
    return next(each for each in axes.collections if isinstance(each, Quiver))


def test_a_small_panel_has_fewer_arrows_and_they_are_fainter_than_trails(data):
    whole, panel = arrows_of(draw_run(data).axes[0]), arrows_of(draw_moments(data, (0, 1)).axes[0])
    assert len(panel.U) < 0.7 * len(whole.U)
    assert whole.get_alpha() is None
    assert panel.get_alpha() < 0.7
    assert arrows_of(draw_moments(crowd(data, 9), (0, 1)).axes[0]).get_alpha() is None
