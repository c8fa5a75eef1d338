"""Colours fit the ground of the picture."""

import matplotlib as mpl

from sbot.figures.palette import DARK, LIGHT, palette, style_of


def test_colours_fit_the_ground():
    for dark, expected in ((False, LIGHT), (True, DARK)):
        with mpl.rc_context({'figure.facecolor': 'white', **style_of(dark)}):
            assert palette() == expected
    assert style_of(True)['text.color'] == DARK.ink
    assert 'text.color' not in style_of(False)
