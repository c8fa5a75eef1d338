from itertools import pairwise

import pytest
from matplotlib import rc_context
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.legend import Legend
from matplotlib.text import Text
from PIL import Image

import sbot
from sbot.cli import main as cli
from sbot.figures.data import RunData
from sbot.figures.film import _Film
from sbot.figures.look import Look, drawing, style_of
from sbot.figures.picture import _draw_run, draw, plot_run
from sbot.figures.tracks import draw_moments


@pytest.mark.parametrize('suffix', ['.png', '.svg', '.pdf'])
def test_equal_runs_give_equal_files(data, tmp_path, suffix):
    one, two = tmp_path / f'one{suffix}', tmp_path / f'two{suffix}'
    plot_run(data, one)
    plot_run(data, two)
    assert one.read_bytes() == two.read_bytes()
    assert one.read_bytes()[:5] in (b'\x89PNG\r', b'<?xml', b'%PDF-')


@pytest.mark.parametrize(('arguments', 'message'), [
    (['nowhere', '-o', 'x.png'], 'nowhere: no such file and no shipped scenario'),
    (['leader_follower', '-o', 'x.jpg'], "--output: got 'x.jpg', expected a file that ends in"),
    (['leader_follower', '-o', 'x.png', '--set', 'seed'], 'KEY=VALUE'),
    (['nowhere.mcap', '-o', 'x.png'], 'nowhere.mcap: no such directory or .mcap file')])
def test_bad_usage_is_one_line(arguments, message, capsys):
    assert cli.main(['plot', *arguments]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count('\n') == 1


class Steady:
    def step(self, observation, rng):
        return 0.5, 0.4


@pytest.mark.parametrize(('values', 'title'), [
    ({}, 'one robot, seed 1, 1.33 s'), ({'description': 'One circle.'}, 'One circle, one robot'),
    ({'description': 60 * 'long '}, 'one robot, seed 1'), ({'name': 'mine'}, 'mine, one robot')])
def test_a_title_has_a_name_only_if_somebody_gave_it(values, title):
    run = sbot.run({'duration': 4 / 3, 'world': {'bounds': [0, 0, 6, 6]},
                    'robots': [{'pose': [3, 1.5, 0], 'controller': Steady}], **values})
    assert _draw_run(RunData.from_result(run)).axes[0].get_title(loc='left').startswith(title)


def test_a_title_and_a_width_of_ones_own(data, tmp_path, capsys):
    plot_run(data, tmp_path / 'run.png', Look(title='Mine', width=1200))
    with Image.open(tmp_path / 'run.png') as image:
        assert image.width == 1200
    assert draw(data, Look(title='Mine')).axes[0].get_title(loc='left') == 'Mine'
    assert draw(data, Look(title='')).axes[0].get_title(loc='left') == ''
    assert 'Mine' in [text.get_text() for text in draw(data, Look((0.0,), title='Mine')).texts]
    for name, size, message in (
            ('a.pdf', '1200', '--size needs a film or a .png'),
            ('a.png', '1200x800', "--size: got '1200x800', expected the width of a picture")):
        assert cli.main(['plot', 'single_robot', '-o', name, '--size', size]) == 2
        assert message in capsys.readouterr().err


@pytest.mark.parametrize(('name', 'lines'), [('short', 1), ('a_name_of_many_letters', 2)])
def test_title_and_label_of_the_wind_are_apart(name, lines):
    figure = _draw_run(RunData.from_result(sbot.run(
        {'name': name, 'duration': 0.2, 'world': {'bounds': [0, 0, 20, 12]},
         'robots': [{'pose': [5, 5, 0], 'controller': 'none'}],
         'wind': {'wind_speed_mean': 0.3, 'wind_gust_speed_mean': 0.2, 'wind_gust_start': 0.0,
                  'wind_gust_duration': 0.1}})))
    renderer = FigureCanvasAgg(figure).get_renderer()
    figure.draw(renderer)
    top = figure.axes[0]
    label = next(each for each in top.texts if each.get_text().startswith('wind'))
    title = next(each for each in top.get_children()
                 if isinstance(each, Text) and each.get_text().startswith(name))
    one, other = (each.get_window_extent(renderer) for each in (title, label))
    assert not one.overlaps(other)
    assert (one.y0 > other.y1) == (lines == 2)
    assert one.y1 <= figure.bbox.y1


@pytest.mark.parametrize(('look', 'panels'), [
    (Look(inches=(3.4, 4.6)), True), (Look(inches=(3.4, 2.8)), False),
    (Look(inches=(7.0, 7.0), title='A title of a paper'), True),
    (Look(inches=(3.4, 3.4), at=(0, 2)), False),
    (Look(inches=(7.0, 4.2), at=(0, 1, 2, 3)), False)])
@pytest.mark.parametrize('scenario', ['leader_follower', 'gallery/circle'])
def test_a_picture_of_so_many_inches_shows_all_its_letters(scenario, look, panels):
    figure = draw(RunData.from_result(sbot.run(scenario, duration=3.0)), look)
    renderer = FigureCanvasAgg(figure).get_renderer()
    figure.draw(renderer)
    assert tuple(figure.get_size_inches()) == pytest.approx(look.inches)
    assert panels == any('speed' in axes.get_ylabel() for axes in figure.axes)
    drawn = figure.get_tightbbox(renderer)  # inches
    assert min(drawn.x0, drawn.y0) >= -0.01
    assert drawn.x1 <= look.inches[0] + 0.01
    assert drawn.y1 <= look.inches[1] + 0.01
    if not look.at:  # what is left is not all above the arena
        assert look.inches[1] - drawn.y1 < drawn.y0 + 0.3
    signs = [each.get_window_extent(renderer) for legend in figure.findobj(Legend)
             for each in legend.get_texts()]
    signs.append(figure.axes[0].xaxis.label.get_window_extent(renderer))
    assert not any(one.overlaps(other) for i, one in enumerate(signs) for other in signs[:i])


@pytest.mark.parametrize('height', [4.3, 4.5, 5.0, 5.4])
def test_labels_of_curves_are_apart(height):
    figure = draw(RunData.from_result(sbot.run('leader_in_gusts', duration=2.0)),
                  Look(inches=(3.4, height)))
    figure.draw_without_rendering()
    labels = [axes.yaxis.label.get_window_extent() for axes in figure.axes]
    assert not any(one.overlaps(other) for one, other in pairwise(labels))


def test_letters_are_as_large_as_asked():
    run = sbot.run('single_robot', duration=1.0)
    def size():
        return sbot.plot(run, figsize=(3.4, 3.0)).axes[0].xaxis.label.get_size()
    assert size() == 7.0
    with rc_context({'font.size': 8.0}):
        assert size() == 8.0


@pytest.mark.parametrize('at', [(), (0.0, 1.0)])
def test_the_height_of_a_picture_follows_from_its_width(at):
    width, height = sbot.plot('leader_follower', at=at, figsize=3.4).get_size_inches()
    assert width == 3.4
    assert 1.0 < height < 6.0


@pytest.mark.parametrize(('options', 'message'), [
    (['--figsize', 'x3'], "--figsize: got 'x3', expected WIDTH or WIDTHxHEIGHT in inches"),
    (['--figsize', '1x3'], '--figsize: got (1.0, 3.0), expected width (and height) in inches'),
    (['--figsize', '3x3', '--size', '900'], '--figsize cannot be combined with --size'),
    (['--figsize', '9x2', '--at', '0'], 'expected a height of at least')])
def test_a_bad_size_is_one_line(options, message, tmp_path, capsys):
    output = str(tmp_path / 'a.png')
    assert cli.main(['plot', 'single_robot', '--duration', '1', '-o', output, *options]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count('\n') == 1


def test_letters_of_all_pictures_can_be_read_on_a_page():
    data = RunData.from_result(sbot.run('leader_in_gusts', duration=1))
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
