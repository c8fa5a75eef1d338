import html
import re
import time

import numpy as np
import pytest
from browser import CHROMIUM, DEADLINE, Browser
from matplotlib import rc_context
from matplotlib.colors import to_rgb
from pictures import record, unpacked
from PIL import Image

import sbot
from sbot.bag.reader import Bag
from sbot.cli import main as cli
from sbot.figures.data import RunData
from sbot.figures.look import Look, style_of
from sbot.figures.picture import draw
from sbot.runner.loop import run_scenario
from sbot.scenario.load import scenario_from_mapping
from sbot.viewer.data import MOST_FRAMES, _read_scans, page, page_data, write_view

WIDTH, HEIGHT, BAR, MARGIN = 1000, 700, 44, 20
needs_browser = pytest.mark.skipif(CHROMIUM is None, reason='Chromium is not installed')


@pytest.fixture(scope='module')
def recorded(tmp_path_factory):
    folder = tmp_path_factory.mktemp('view')
    bag, _ = record(folder)
    write_view(bag, folder / 'run.html')
    return folder / 'run.html', RunData.from_bag(bag), bag


@pytest.fixture(scope='module')
def browser(tmp_path_factory):
    with Browser(tmp_path_factory.mktemp('profile'), WIDTH, HEIGHT) as browser:
        yield browser
        assert browser.errors == []


def test_page_data_are_those_of_the_bag(recorded):
    _, data, bag = recorded
    run = page_data(data, _read_scans(Bag(bag), data))
    poses = unpacked(run['poses']).reshape(-1, 4, 3)
    assert np.abs(poses[:, :, :2] - data.poses[:, :, :2]).max() < 0.001
    assert np.abs(poses[:, :, 2] - data.poses[:, :, 2]).max() < 0.001
    assert np.abs(unpacked(run['winds']).reshape(-1, 4, 2) - data.wind).max() < 1e-4
    assert run['times'] == pytest.approx(data.seconds, abs=1e-4)
    assert run['scan_frames'] == list(range(len(data.stamps_ns)))
    assert run['goals'] == [[0.0, 0, 13.0, 5.5]]
    assert run['beams'] == run['lasers'][0]['beams'] == 180


def test_page_is_one_file_that_loads_nothing(recorded):
    text = recorded[0].read_text()
    assert not re.search(r'https?://|src=|href=|@import|url\(', text)
    assert "default-src 'none'" in text
    assert len(text) < 1_000_000


def test_names_cannot_break_the_page():
    text = page({'name': '</script><script>alert(1)</script>'}, '<b>&')
    assert '</script><script>alert' not in text
    assert '<title>&lt;b&gt;&amp;</title>' in text


def on_screen(data, xy):
    """Return where points (M, 2) (m) are on the screen when the arena fits (px)."""
    xmin, ymin, xmax, ymax = data.world.bounds
    scale = min((WIDTH - 2 * MARGIN) / (xmax - xmin), (HEIGHT - BAR - 2 * MARGIN) / (ymax - ymin))
    return np.column_stack([WIDTH / 2 + scale * (xy[:, 0] - (xmin + xmax) / 2),
                            (HEIGHT - BAR) / 2 - scale * (xy[:, 1] - (ymin + ymax) / 2)]), scale


def middle(pixels, colour):
    """Return the middle (x, y) of the box around the pixels of a colour, and its larger side."""
    wanted = np.round(np.array(to_rgb(colour)) * 255)
    rows, columns = np.nonzero((np.abs(pixels[:HEIGHT - BAR] - wanted) <= 1).all(axis=2))
    assert len(rows), f'nothing is {colour}'
    return (np.array([columns.min() + columns.max() + 1, rows.min() + rows.max() + 1]) / 2,
            max(np.ptp(rows), np.ptp(columns)) + 1)


@needs_browser
@pytest.mark.parametrize('tick', [0, 60])
def test_robots_are_on_the_screen_where_the_bag_has_them(recorded, browser, tick):
    path, data, _ = recorded
    browser.open(f'{path.as_uri()}?{tick}#t={data.seconds[tick]:.5f}&wind=0&trails=0')
    pixels = browser.screenshot().astype(int)
    colours = browser.evaluate('run.colours')
    places, scale = on_screen(data, data.poses[tick, :, :2])
    for place, colour, radius in zip(places, colours, data.radius, strict=True):
        found, size = middle(pixels, colour)
        assert found == pytest.approx(place, abs=1.5)
        assert size == pytest.approx(2 * radius * scale, abs=3)


@needs_browser
def test_rectangular_robots_and_polygons_have_their_shapes(tmp_path, browser):
    run_scenario(scenario_from_mapping({
        'duration': 0.2, 'bodies': {'cart': {'length': 2.0, 'width': 1.0, 'offset': 0.5}},
        'world': {'bounds': [0, 0, 16, 10],
                  'polygons': [{'corners': [[2, 2], [6, 2], [6, 3], [3, 3], [3, 6], [2, 6]]}]},
        'robots': [{'pose': [10, 5, np.pi / 2], 'body': 'cart', 'controller': 'none'}]}),
        record=tmp_path / 'bag')
    write_view(tmp_path / 'bag', tmp_path / 'cart.html')
    browser.open(f'{(tmp_path / "cart.html").as_uri()}#names=0&scans=0&trails=0')
    pixels, data = browser.screenshot().astype(int), RunData.from_bag(tmp_path / 'bag')
    places, scale = on_screen(data, np.array([[10.0, 5.5], [2.5, 2.5], [4.0, 4.0]]))
    found, size = middle(pixels, browser.evaluate('run.colours[0]'))
    assert found == pytest.approx(places[0], abs=1.5)
    assert size == pytest.approx(2.0 * scale, abs=3)
    inside, notch = (pixels[round(y), round(x)].tolist() for x, y in places[1:])
    assert inside == [0x5a, 0x5f, 0x66]
    assert notch != inside


@needs_browser
def test_it_plays_pauses_and_ends(recorded, browser):
    path, data, _ = recorded
    browser.open(f'{path.as_uri()}?play#t=0.5&trails=0&wind=0')
    before = browser.screenshot()
    # So slowly that the end is a minute away, however long the browser waits for a processor.
    browser.evaluate('$("speed").add(new Option("0.05")); $("speed").value = "0.05"; 0')
    browser.evaluate('document.getElementById("play").click()')
    browser.wait_for('+document.documentElement.dataset.time > 0.6')
    assert browser.evaluate('document.getElementById("play").textContent') == 'pause'
    browser.evaluate('document.getElementById("play").click()')
    browser.wait_for('document.getElementById("play").textContent === "play"')
    stopped = browser.evaluate('now')
    pixels = browser.screenshot().astype(int)
    assert browser.evaluate('now') == stopped
    assert (pixels != before).any()
    between = np.array([[np.interp(stopped, data.seconds, data.poses[:, 0, c]) for c in (0, 1)]])
    place = on_screen(data, between)[0][0]
    assert middle(pixels, browser.evaluate('run.colours[0]'))[0] == pytest.approx(place, abs=1.5)
    browser.evaluate('document.getElementById("speed").value = "50"')
    browser.evaluate('document.getElementById("play").click()')
    browser.wait_for(f'Math.abs(now - {data.seconds[-1]}) < 1e-3 && !playing')


@needs_browser
def test_following_keeps_a_robot_in_the_middle(recorded, browser):
    path, data, _ = recorded
    browser.open(f'{path.as_uri()}?follow#t={data.seconds[80]:.5f}&follow=2&wind=0&trails=0')
    found, _ = middle(browser.screenshot().astype(int), browser.evaluate('run.colours[2]'))
    assert found == pytest.approx([WIDTH / 2, (HEIGHT - BAR) / 2], abs=1.5)


@needs_browser
def test_scans_and_wind_can_be_switched(recorded, browser):
    path = recorded[0]
    shots = {}
    for switches in ('scans=0&wind=0', 'scans=1&wind=0', 'scans=0&wind=1'):
        browser.open(f'{path.as_uri()}?{switches}#t=2&trails=0&follow=-1&{switches}')
        shots[switches] = browser.screenshot().astype(int)[:HEIGHT - BAR]
    red = (np.abs(shots['scans=1&wind=0'] - [0xD0, 0x34, 0x2C]).sum(axis=2) < 6)
    assert red.sum() > 200
    # Where a scan is drawn there is an outline within two pixels without it.
    dark = (shots['scans=0&wind=0'].sum(axis=2) < 600)
    near = np.zeros_like(dark)
    for row in range(-3, 4):
        for column in range(-3, 4):
            near |= np.roll(dark, (row, column), (0, 1))
    assert near[red].mean() > 0.99
    assert (np.abs(shots['scans=0&wind=1'] - [0xC4, 0xDB, 0xEC]).sum(axis=2) < 30).sum() > 500


@needs_browser
def test_a_hundred_robots_over_ten_minutes_are_small_and_smooth(recorded, browser, tmp_path):
    _, data, _ = recorded
    ticks, count = 18_000, 100
    t, i = np.arange(ticks)[:, None] / 30, np.arange(count)
    poses = np.stack([8 + (1 + i / 20) * np.cos(t / 5 + i), 5 + (1 + i / 40) * np.sin(t / 7 + i),
                      np.remainder(t / 5 + i, 2 * np.pi) - np.pi], axis=2)
    wind = np.stack([0.2 + 0 * poses[:, :, 0], 0.1 * np.sin(poses[:, :, 2])], axis=2)
    large = data._replace(scenario=data.scenario, stamps_ns=(np.arange(1, ticks + 1) * 33_333_333),
                          poses=poses, wind=wind, free_wind=wind, radius=np.full(count, 0.06))
    run = page_data(large, None)
    assert len(run['times']) <= MOST_FRAMES
    path = tmp_path / 'large.html'
    path.write_text(page(run, 'large'))
    assert path.stat().st_size < 12_000_000
    browser.open(f'{path.as_uri()}#t=300&names=1')
    # A frame's cost is its calls; how long they take depends on the machine and its other work.
    calls = browser.evaluate(
        '(() => { let calls = 0; for (const name of ["arc", "moveTo", "lineTo", "stroke", "fill", '
        '"fillText", "drawImage"]) { const own = ctx[name].bind(ctx); '
        'ctx[name] = (...given) => { calls += 1; return own(...given); }; } '
        'draw(); return calls; })()')
    assert 10 * count < calls < 200 * count  # trails have at most some hundred points


def test_command_writes_the_page(recorded, tmp_path, capsys):
    assert cli.main(['view', str(recorded[2]), '-o', str(tmp_path / 'x.html')]) == 0
    assert (tmp_path / 'x.html').read_text() == recorded[0].read_text()
    capsys.readouterr()


@pytest.mark.parametrize(('arguments', 'message'), [
    ([], 'needs a recording, or --live'),
    (['nowhere'], 'nowhere: no such directory or .mcap file'),
    (['nowhere', '-o', 'x.txt'], "--output: got 'x.txt', expected a file that ends in .html")])
def test_bad_usage_is_one_line(arguments, message, capsys):
    assert cli.main(['view', *arguments]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count('\n') == 1


@pytest.fixture(scope='module')
def mapped(tmp_path_factory):
    """The page of a run in a turned map: a solid block, an unknown one, and a thin wall."""
    folder = tmp_path_factory.mktemp('mapped')
    shade = np.full((100, 160), 255, np.uint8)
    shade[20:50, 20:60] = 0  # from the top left
    shade[60:90, 20:60] = 128
    shade[:, 140] = 0
    Image.fromarray(shade).save(folder / 'map.png')
    (folder / 'map.yaml').write_text('image: map.png\nresolution: 0.05\norigin: [1, 2, 0.2]\n'
                                     'negate: 0\noccupied_thresh: 0.65\nfree_thresh: 0.196\n')
    run = run_scenario(scenario_from_mapping({
        'name': 'mapped', 'duration': 0.2, 'world': {'map': str(folder / 'map.yaml')},
        'robots': [{'pose': [5, 5, 0], 'controller': 'none'}]}), record=folder / 'bag')
    write_view(folder / 'bag', folder / 'run.html')
    return folder / 'run.html', RunData.from_result(run)


def place_of(column, row, size=0.05, origin=(1, 2, 0.2), rows=100):
    """Where (m) the middle of a pixel of the map's image is."""
    across, up = size * (column + 0.5), size * (rows - row - 0.5)
    c, s = np.cos(origin[2]), np.sin(origin[2])
    return origin[0] + c * across - s * up, origin[1] + s * across + c * up


@needs_browser
def test_a_map_is_solid_on_the_page(mapped, browser):
    theme, solid, unknown, ground = 'light', '#5a5f66', '#e4e4e4', '#ffffff'
    browser.open(f'{mapped[0].as_uri()}#theme={theme}')
    places = [place_of(40, 35), place_of(40, 75), place_of(100, 40)]
    at = browser.evaluate(
        f'(([w, h]) => {np.array(places).tolist()}.map(([x, y]) => [w / 2 + (x - view.x) * '
        'view.scale, h / 2 - (y - view.y) * view.scale]))(size())')
    pixels = browser.screenshot()
    for (x, y), colour in zip(at, (solid, unknown, ground), strict=True):
        assert pixels[round(y), round(x)] / 255 == pytest.approx(to_rgb(colour), abs=0.01)


def test_a_map_is_solid_in_a_picture_and_thin_walls_are_there(mapped, tmp_path):
    dark, solid, unknown, ground = True, '#8b929c', '#343842', '#1e2129'
    path, data = tmp_path / 'run.png', mapped[1]
    with rc_context(style_of(dark)):
        figure = draw(data, Look(dark=dark))
        figure.set_dpi(14)  # half a pixel for a cell
        figure.savefig(path, dpi=14)
        figure.draw_without_rendering()
    pixels = np.asarray(Image.open(path).convert('RGB')) / 255
    place = figure.axes[0].transData.transform

    def at(column, row):
        x, y = place(place_of(column, row))
        return pixels[int(len(pixels) - y), int(x)]
    for (column, row), colour in (((40, 35), solid), ((40, 75), unknown), ((100, 40), ground)):
        assert at(column, row) == pytest.approx(to_rgb(colour), abs=0.02)
    walls = np.array([at(140, row) for row in range(5, 95)])
    assert (np.abs(walls - to_rgb(ground)).sum(axis=1) > 0.05).mean() > 0.97


@pytest.fixture(scope='module')
def notebook_recorded(tmp_path_factory):
    bag = tmp_path_factory.mktemp('notebook') / 'bag'
    return sbot.run('leader_follower', duration=0.5, record=bag, sense=['scan']), sbot.Bag(bag)


def test_runs_and_recordings_show_themselves_and_load_nothing(notebook_recorded):
    for shown in notebook_recorded:
        text = shown._repr_html_()
        assert text.startswith('<iframe ')
        inner = html.unescape(re.search(r'srcdoc="([^"]*)"', text)[1])
        assert 'leader_follower, seed 1' in inner
        assert not re.search(r'https?://|src=|href=|@import', inner)


def test_what_cannot_be_shown_has_its_line_of_text(tmp_path):
    assert sbot.run('single_robot', duration=0.2, keep=False)._repr_html_() is None


@pytest.mark.skipif(CHROMIUM is None, reason='Chromium is not installed')
def test_a_notebook_draws_the_run(notebook_recorded, tmp_path):
    path = tmp_path / 'notebook.html'
    path.write_text(f'<body style="margin: 0">{notebook_recorded[0]._repr_html_()}</body>')
    with Browser(tmp_path / 'profile', 900, 500) as browser:
        browser.call('Page.navigate', url=path.as_uri())
        colour = [0xe6, 0x9f, 0x00]  # of the leader
        browser.wait_for('document.readyState === "complete"')
        end = time.monotonic() + DEADLINE
        while (browser.screenshot() == colour).all(axis=2).sum() <= 20:
            assert time.monotonic() < end, 'the leader is not drawn'
        assert not browser.errors
