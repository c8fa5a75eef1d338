"""The swarms of the gallery do what its page says: a number for each, on short runs."""

import math
from pathlib import Path

import numpy as np
import pytest

import sbot
from sbot.scenario.shipped import gallery_scenarios

DOCS = Path(__file__).parents[2] / 'docs'


def run(name, **overrides):
    done = sbot.run(f'gallery/{name}', **overrides)
    assert done.summary['overlaps'] == 0
    return done


def gaps(places):
    """Distances (N, N) m between robots."""
    return np.hypot(*np.moveaxis(places[:, None, :2] - places[None, :, :2], -1, 0))


def clumps(places, reach):
    """How many groups there are of robots that are nearer to each other than `reach` (m)."""
    near = gaps(places) < reach
    for _ in range(6):
        near = near @ near
    return len(np.unique(near, axis=0))


def polarisation(poses):
    """1: all head in one direction; 0: in all directions."""
    return math.hypot(np.cos(poses[:, 2]).mean(), np.sin(poses[:, 2]).mean())


def to_goals(done):
    """How far (m) each robot is from its goal at the end."""
    return np.hypot(*(done.poses[-1, :, :2] - [robot.goal for robot in done.scenario.robots]).T)


def test_every_swarm_has_a_controller_a_picture_and_its_text_in_the_gallery():
    text = (DOCS / 'gallery.md').read_text()
    names = list(gallery_scenarios())
    assert len(names) >= 11
    for name in names:
        assert f'({name}.png)' in text
        assert (DOCS / f'{name}.png').stat().st_size < 150_000
        controllers = {robot.controller for robot in sbot.load(name).robots}
        assert controllers == {'navground:ORCA'} or (
            DOCS.parent / 'examples' / f'{name}.py').is_file()
    for film in (DOCS / 'gallery').glob('*.gif'):
        assert film.stat().st_size < 1_500_000


def test_its_page_has_the_commands_that_draw_its_pictures(monkeypatch):
    monkeypatch.syspath_prepend(DOCS)
    import make_gallery
    text = (DOCS / 'gallery.md').read_text('utf-8')
    for name in make_gallery.GALLERY:
        assert make_gallery.command(name) in text.splitlines(), (
            'write the page again: python docs/make_gallery.py')
    assert make_gallery.command('gallery/flocking') == (
        '`sbot plot gallery/flocking --at 0,10,40,90 --colour heading -o flocking.png`')


def test_pictures_that_are_drawn_dark_for_the_site_are_there_light(monkeypatch):
    monkeypatch.syspath_prepend(DOCS)
    import make_gallery
    drawn = {*make_gallery.FIGURES, *make_gallery.DRAWN}
    assert drawn <= {path.name for path in (DOCS / 'figures').iterdir()}
    assert {path.name for path in (DOCS / 'gallery').iterdir() if path.suffix != '.gif'} == {
        make_gallery.picture_of(name) for name in make_gallery.GALLERY}


def test_boids_align():
    poses = run('flocking', duration=33).poses
    assert polarisation(poses[0]) < 0.35
    assert max(polarisation(row) for row in poses[-150:]) > 0.9
    assert clumps(poses[-1], 4.0) <= 3


def test_robots_gather_in_one_cluster():
    poses = run('aggregation', duration=130).poses
    assert clumps(poses[0], 0.15) > 10
    assert clumps(poses[-1], 0.15) == 1


def test_robots_cover_the_hall():
    poses = run('spreading', duration=40).poses
    points = np.stack(np.meshgrid(np.arange(0.25, 16, 0.5), np.arange(0.25, 10, 0.5)), axis=-1)
    first, last = (np.square(points[..., None, :] - row[:, :2]).sum(-1).min(-1).mean()
                   for row in (poses[0], poses[-1]))
    # Sixteen regular hexagons would have 5 A / (18 sqrt(3) 16) on average.
    assert last < 1.15 * 5 * 160 / (18 * math.sqrt(3) * 16)
    assert first > 10 * last


def test_the_formation_holds_in_wind_only_if_it_allows_for_it():
    def error(**overrides):
        done = run('formation', duration=20, **overrides)
        offsets = np.array([robot.parameters.get('offset', (0, 0))
                            for robot in done.scenario.robots])
        last = done.poses[-150:, :, :2]
        return float(np.sqrt(np.square(last - last[:, :1] - offsets).sum(-1).mean()))
    assert error() < 0.05
    assert error(**{f'robots.{i}.parameters.feel': 0 for i in range(9)}) > 0.2


def test_two_groups_cross_without_contact():
    done = run('crossing')
    assert done.collided.sum() == 0
    assert to_goals(done).max() < 0.5


def test_robots_change_places_across_the_circle():
    pytest.importorskip('navground', reason='navground is missing (extra navground)')
    assert to_goals(run('circle')).max() < 0.5


def test_cars_go_round_and_overtake():
    done = run('cars')
    angle = np.unwrap(np.arctan2(done.poses[:, :, 1] - 7.2, done.poses[:, :, 0] - 12), axis=0)
    angle -= math.tau * np.round((angle[0] - angle[0, 0]) / math.tau)
    assert (angle[-1] - angle[0]).min() > 1.5 * math.tau
    assert np.argsort(angle[0])[-1] == 0  # the slowest starts in front,
    assert np.argsort(angle[-1])[-1] == 4  # and the fastest from behind
    assert done.collided.sum() == 0


def test_the_vortex_carries_an_even_ring():
    done = run('vortex', duration=50)
    x, y = done.poses[-1, :, 0] - 20, done.poses[-1, :, 1] - 12
    assert np.abs(np.hypot(x, y) - 6).max() < 0.5
    between = np.diff(np.sort(np.arctan2(y, x)))
    assert between.max() / between.min() < 1.3
    blown = np.hypot(*np.moveaxis(done.wind[-400:], -1, 0)).mean()
    assert np.abs(done.commands[-400:, :, 0]).mean() < 0.5 * blown


def test_the_crowd_leaves_by_the_door():
    out = (run('door', duration=6).poses[:, :, 0] > 16).sum(axis=1)
    assert out[0] == 0
    assert 20 < out[-1] < 200
    assert (np.diff(out) >= 0).all()


def test_pucks_come_to_the_nest():
    boxes = run('foraging', duration=50).boxes
    home = np.hypot(boxes[..., 0] - 8, boxes[..., 1] - 6) < 2.0
    assert home[0].sum() == 0
    assert home[-1].sum() >= 10


def test_the_box_is_pushed_to_the_goal():
    done = run('transport', duration=60)
    (start, end) = np.hypot(done.boxes[[0, -1], 0, 0] - 17, done.boxes[[0, -1], 0, 1] - 9)
    assert start > 10.0
    assert end < 1.0
    alone = sbot.load('gallery/transport', **{'robots.0.count': 1, 'duration': 60})
    one = sbot.run(alone).boxes[-1, 0]
    assert math.hypot(one[0] - 17, one[1] - 9) > 5.0  # too heavy for one in that time
