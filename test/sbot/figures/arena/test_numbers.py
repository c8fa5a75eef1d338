import pytest

import sbot
from sbot.figures.animation import _Film
from sbot.figures.arena.numbers import numbers_fit
from sbot.figures.data import from_result
from sbot.figures.moments import draw_moments


def data_of(count=3, moving=(), goals=True):
    robots = [{'pose': [1 + 0.7 * k, 2, 0], 'controller': 'none',
               **({'goal': [1 + 0.7 * k, 5]} if goals else {})} for k in range(count)]
    return from_result(sbot.run({'duration': 1, 'rate': 10, 'robots': robots,
                                 'world': {'bounds': [0, 0, 12, 6], 'moving': list(moving)}}))


@pytest.mark.parametrize(('count', 'shown'), [(1, 0), (2, 2), (12, 12), (13, 0)])
def test_few_robots_have_numbers_in_films_and_moments(count, shown):
    data = data_of(count)
    poses = data.poses.copy()
    poses[-1, :, 1] += 1.5
    film = _Film(data._replace(poses=poses))
    film.frame(len(data.stamps_ns) - 1)
    texts = [text for text in film._axes.texts if text.get_gid() == 'number']
    assert [text.get_text() for text in texts] == [str(k) for k in range(shown)]
    for text, (x, y, _) in zip(texts, poses[-1].tolist(), strict=False):
        assert 0.0 < text.xy[0] - x < 0.4
        assert 0.0 < text.xy[1] - y < 0.4
    [axes] = draw_moments(data, (0.5,)).axes
    numbers = [text.get_text() for text in axes.texts if text.get_text().isdigit()]
    assert numbers == [str(k) for k in range(shown)]


def test_numbers_of_a_crowd_are_left_out_and_those_of_a_few_are_not():
    data = data_of(12)
    assert numbers_fit(data, 0, 40.0)
    assert len(numbers_of(draw_moments(data, (0.0,)))) == 12
    crowd = data._replace(poses=data.poses * [0.3, 1.0, 1.0])
    assert not numbers_fit(crowd, 0, 40.0)
    assert numbers_of(draw_moments(crowd, (0.0,))) == []
    assert [len(_Film(each)._numbers.texts) for each in (data, crowd)] == [12, 0]
    few = data_of(8)
    assert numbers_fit(few._replace(poses=few.poses * [0.3, 1.0, 1.0]), 0, 40.0)


def numbers_of(figure):
    return [text for text in figure.axes[0].texts if text.get_text().isdigit()]
