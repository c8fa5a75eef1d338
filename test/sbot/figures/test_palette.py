"""Colours fit the ground of the picture."""

from matplotlib.text import Text

import sbot
from sbot.figures.data import from_result
from sbot.figures.film import _Film
from sbot.figures.look import drawing, style_of
from sbot.figures.picture import _draw_run
from sbot.figures.tracks import draw_moments


def test_letters_of_all_pictures_can_be_read_on_a_page():
    data = from_result(sbot.run('leader_in_gusts', duration=1))
    with drawing(style_of(False)):
        film = _Film(data)
        film.frame(0)
        figures = [_draw_run(data), _draw_run(data, 'time'), draw_moments(data, (0, 1)),
                   film._canvas.figure]
        for figure in figures:
            figure.draw_without_rendering()
            texts = [text for text in figure.findobj(Text) if text.get_text().strip()]
            assert len(texts) > 3
            # CSS points, where a page shows the picture 700 pixels wide.
            page = 700 / 96 / figure.get_figwidth()
            assert min(text.get_fontsize() for text in texts) * page >= 9.0
