import pytest
from matplotlib.offsetbox import AnnotationBbox

from sbot.figures.animation import _Film
from sbot.figures.film import Film
from sbot.figures.picture import Look


def legend_of(film):
    return [each for each in film._axes.artists if isinstance(each, AnnotationBbox)]


@pytest.mark.parametrize('size', [Film(), Film(420), Film(640, 480)])
def test_a_film_by_heading_explains_its_colours_below_the_arena(data, size):
    assert not legend_of(_Film(data, Look(colour='robot'), size))
    film = _Film(data, Look(colour='heading'), size)
    film.frame(0)
    legend = legend_of(film)[0].get_window_extent()
    arena = film._axes.get_window_extent()
    [scale] = [text for text in film._axes.texts if text.get_gid() == 'scale']
    assert 0.0 <= legend.y0 < legend.y1 <= arena.y0
    assert scale.get_window_extent().x1 < legend.x0 < legend.x1 <= arena.x1 + 1.0
