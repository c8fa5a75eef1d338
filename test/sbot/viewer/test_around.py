"""What stands around the arena, in a real browser: name, axes, curves, help, dark, narrow."""

import contextlib
import re

import numpy as np
import pytest
from browser import CHROMIUM, Browser
from matplotlib.colors import to_hex

import sbot
from sbot.figures.data import RunData
from sbot.figures.look import DARK, LIGHT
from sbot.figures.picture import _speeds
from sbot.scenario.load import scenario_from_mapping
from sbot.viewer.data import frame, live_header
from sbot.viewer.server import Live, start_server
from sbot_common.observation import STOP, Twist

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason='Chromium is not installed')


class Circle:
    def step(self, observation, rng):
        return 0.5, 0.5


@pytest.fixture(scope='module')
def run():
    return sbot.run({
        'name': 'four circles', 'duration': 6, 'world': {'bounds': [0, 0, 12, 8]},
        'wind': {'wind_speed_mean': 0.2},
        'robots': [{'pose': [2 + 2 * k, 3, 0], 'controller': Circle} for k in range(4)]},
        sense=['scan'])


@pytest.fixture(scope='module')
def address(run, tmp_path_factory):
    return sbot.view(run, tmp_path_factory.mktemp('around') / 'run.html').as_uri()


@pytest.fixture(scope='module')
def browser(tmp_path_factory):
    with Browser(tmp_path_factory.mktemp('profile'), 1000, 700) as browser:
        yield browser
        assert browser.errors == []


def key(browser, name):
    browser.evaluate('document.body.dispatchEvent(new KeyboardEvent("keydown", '
                     f'{{key: "{name}", bubbles: true}}))')


def contrast(browser, element):
    """Return the ratio of luminances of an element's letters and ground, as WCAG 2 defines it."""
    light, dark = sorted((0.05 + sum(
        share * (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4)
        for share, c in zip((0.2126, 0.7152, 0.0722), rgb, strict=True))
        for rgb in (np.array(re.findall(r'[\d.]+', text), float)[:3] / 255 for text in (
            browser.evaluate(f'[getComputedStyle($("{element}")).color, '
                             f'getComputedStyle($("{element}")).backgroundColor]')))),
        reverse=True)
    return light / dark


@contextlib.contextmanager
def phone(browser):
    browser.call('Emulation.setDeviceMetricsOverride', width=390, height=800,
                 deviceScaleFactor=1, mobile=True)
    browser.call('Emulation.setTouchEmulationEnabled', enabled=True, maxTouchPoints=2)
    try:
        yield
    finally:
        browser.call('Emulation.setTouchEmulationEnabled', enabled=False)
        at_width(browser, 1000)


def at_width(browser, width, height=700):
    browser.call('Emulation.setDeviceMetricsOverride', width=width, height=height,
                 deviceScaleFactor=1, mobile=False)


def test_texts_on_the_canvas_name_scenario_axes_and_arrows(address, browser):
    browser.open(address)
    texts = browser.evaluate(
        '(() => { const texts = [], own = ctx.fillText.bind(ctx); '
        'ctx.fillText = (text, ...at) => { texts.push(text); own(text, ...at); }; draw(); '
        'ctx.fillText = own; return texts; })()')
    assert 'four circles, seed 1' in texts
    assert {'x, y (m)', '1 m', 'wind', 'drift of a robot in 2 s', '4', '10'} <= set(texts)


def test_help_lists_every_key_that_does_something(address, browser):
    browser.open(address)
    assert browser.evaluate('$("help").hidden')
    key(browser, '?')
    assert not browser.evaluate('$("help").hidden')
    text = browser.evaluate('$("help").textContent')
    for word in ('space', 'shift', 'fit the arena', 'dark or light', 'next curve', 'follow',
                 'link', 'mean wind', 'two seconds', 'lasers'):
        assert word in text
    key(browser, 'Escape')
    assert browser.evaluate('$("help").hidden')


def test_the_ground_follows_the_browser_and_can_be_changed(address, browser):
    browser.call('Emulation.setEmulatedMedia',
                 features=[{'name': 'prefers-color-scheme', 'value': 'dark'}])
    browser.open(address + '?dark')
    assert browser.screenshot()[5, 500].tolist() == [0x1b, 0x1e, 0x24]
    browser.call('Emulation.setEmulatedMedia', features=[])
    key(browser, 'd')
    browser.wait_for('document.documentElement.dataset.theme === "light" && !dirty')
    assert browser.screenshot()[5, 500].tolist() == [255, 255, 255]
    browser.open(address + '?chosen#theme=dark')
    assert browser.screenshot()[5, 500].tolist() == [0x1b, 0x1e, 0x24]


def test_robots_have_the_colours_of_pictures_on_dark_grounds(address, browser):
    browser.open(address + '?colours#theme=dark')
    robots = browser.evaluate('theme.robots')
    assert robots == dict(zip(LIGHT.followers, DARK.followers, strict=True))
    assert to_hex(browser.screenshot()[tuple(np.round(browser.evaluate(
        '(([w, h]) => { const p = posesAt(now), r = 0.6 * run.radius[1] * view.scale; '
        'return [h / 2 - (p[4] - view.y) * view.scale + r * Math.sin(p[5]), '
        'w / 2 + (p[3] - view.x) * view.scale - r * Math.cos(p[5])]; })(size())')).astype(int))
    ] / 255) == DARK.followers[0]


def test_curves_are_those_of_the_run_and_lead_to_a_time(address, browser, run):
    browser.open(address + '?curve#curve=x&follow=2')
    assert not browser.evaluate('$("curves").hidden')
    assert browser.evaluate('size()[0] + $("curves").offsetWidth') == 1000
    found = browser.evaluate('[curves().robots, curves().frames, curves().rows[0]]')
    assert found[0] == [2]
    assert found[2] == pytest.approx(run.poses[found[1], 2, 0], abs=1e-3)
    # With the wind, which blows all the time.
    drift = np.median(_speeds(RunData.from_result(run))[:, 2])
    for name, expected in (('speed', drift), ('turn rate', 0.5), ('wind', 0.2)):
        browser.evaluate(f'$("curve").value = "{name}"')
        assert np.median(browser.evaluate('curves().rows[0]')) == pytest.approx(expected, abs=0.05)
    browser.evaluate('$("curves").onpointerdown({buttons: 1, offsetX: 1e4})')
    assert browser.evaluate('now') == pytest.approx(run.seconds[-1], abs=1e-3)


def test_a_link_leads_to_the_moment_and_the_robot(address, browser):
    browser.open(address + '?link#t=2.5&follow=3&curve=speed')
    key(browser, 'l')
    browser.open(browser.evaluate('window.location.href').replace('?link', '?again'))
    assert browser.evaluate('[now, +$("follow").value, $("curve").value]') == [2.5, 3, 'speed']


def test_a_click_on_a_robot_follows_it_and_a_key_the_next(address, browser):
    browser.open(address + '?click#t=1')
    x, y = browser.evaluate(
        '(() => { const p = posesAt(now), [w, h] = size(); return [w / 2 + (p[6] - view.x) * '
        'view.scale, h / 2 - (p[7] - view.y) * view.scale]; })()')
    for kind in ('mousePressed', 'mouseReleased'):
        browser.call('Input.dispatchMouseEvent', type=kind, x=x, y=y, button='left', clickCount=1)
    assert browser.evaluate('+$("follow").value') == 2
    key(browser, 'n')
    assert browser.evaluate('+$("follow").value') == 3
    key(browser, 'n')
    assert browser.evaluate('+$("follow").value') == -1


def test_every_control_is_reachable_on_a_phone(address, browser):
    at_width(browser, 390, 800)
    browser.open(address + '?phone#curve=speed')
    out = browser.evaluate(
        '[...document.querySelectorAll("#bar > *")].filter(e => !e.hidden).filter(e => { '
        'const r = e.getBoundingClientRect(); return r.left < 0 || r.right > innerWidth || '
        'r.bottom > innerHeight; }).map(e => e.textContent)')
    heights = browser.evaluate('[size()[1], $("curves").offsetHeight, $("bar").offsetHeight]')
    at_width(browser, 1000)
    assert out == []
    assert sum(heights) == 800
    assert heights[0] > 400


def test_a_phone_has_the_page_in_its_own_width_and_controls_for_fingers(address, browser):
    with phone(browser):
        browser.open(address + '?fingers')
        assert browser.evaluate('innerWidth') == 390
        least = browser.evaluate('Math.min(...[...document.querySelectorAll("#bar button, '
                                 '#bar select")].filter(e => e.offsetHeight).map(e => '
                                 'e.offsetHeight))')
        heights = browser.evaluate('[size()[1], $("bar").offsetHeight]')
    assert least >= 36
    assert sum(heights) == 800
    assert heights[0] > 450


class Driven:
    def __init__(self):
        self.asked = []

    def drive(self, robot, command):
        self.asked.append((robot, command))


def test_fingers_drive_a_robot_of_a_live_run_until_they_leave(browser):
    live, given = Live(), Driven()
    live.controls = given
    scenario = scenario_from_mapping({
        'world': {'bounds': [0, 0, 9, 9]}, 'robots': [
            {'pose': [3 * k + 2, 3, 0], 'controller': 'none'} for k in range(2)]})
    poses = [robot.pose for robot in scenario.robots]
    address = start_server(0, live)
    header = live_header(scenario)
    live.set_run(header)
    live.set_frame(frame(0.0, poses, [(0.0, 0.0)] * 2, {}))
    with phone(browser):
        browser.open(address)
        assert browser.evaluate('$("drive").value') == '0'
        x, y = browser.evaluate('(r => [r.left + r.width / 2, r.top + r.height / 2])'
                                '($("arrows").children[1].getBoundingClientRect())')
        browser.call('Input.dispatchTouchEvent', type='touchStart', touchPoints=[{'x': x, 'y': y}])
        browser.wait_for('keys.has("ArrowUp") && !asking')
        browser.call('Input.dispatchTouchEvent', type='touchEnd', touchPoints=[])
        browser.wait_for('!keys.size && !asking')
        assert given.asked[0] == (0, Twist(2 * header['radius'][0]))
        assert given.asked[-1] == (0, STOP)
        live.end(0.0)
        browser.wait_for('$("note").textContent === "the simulation has ended"')
        for theme in ('light', 'dark'):
            browser.evaluate(f'setTheme("{theme}")')
            assert contrast(browser, 'note') > 7


def test_keys_do_nothing_while_a_page_waits_for_its_run(browser):
    browser.call('Page.navigate', url=start_server(0, Live()))
    browser.wait_for('document.getElementById("note")?.textContent.startsWith("waiting")')
    for name in (' ', '.', 'f', 'c', 'n', 'l', '+', 'ArrowUp'):
        key(browser, name)
    x, y = browser.evaluate('(r => [r.left + r.width / 2, r.top + r.height / 2])'
                            '($("play").getBoundingClientRect())')
    for kind in ('mousePressed', 'mouseReleased'):
        browser.call('Input.dispatchMouseEvent', type=kind, x=x, y=y, button='left', clickCount=1)
    assert browser.evaluate('[playing, $("note").textContent]') == [
        True, 'waiting for a simulation …']
    assert browser.errors == []


def press(browser, name, code, modifiers=0, text=''):
    for kind in ('keyDown', 'keyUp'):
        given = {'text': text} if text and kind == 'keyDown' else {}
        browser.call('Input.dispatchKeyEvent', type=kind, key=name, code=name,
                     windowsVirtualKeyCode=code, modifiers=modifiers, **given)


def tab_to(browser, element):
    for _ in range(30):
        press(browser, 'Tab', 9)
        if browser.evaluate('document.activeElement.id') == element:
            return
    raise AssertionError(f'no tab leads to {element}')


def test_the_keyboard_alone_reaches_every_control(address, browser):
    browser.open(address + '?keyboard')
    tab_to(browser, 'scans')
    press(browser, ' ', 32, text=' ')
    assert browser.evaluate('[$("scans").checked, playing, document.activeElement.id]') == [
        True, False, 'scans']
    tab_to(browser, 'names')
    press(browser, ' ', 32, text=' ')
    press(browser, ' ', 32, text=' ')
    assert browser.evaluate('[$("names").checked, playing]') == [False, False]
    tab_to(browser, 'fit')
    press(browser, 'Enter', 13, text='\r')
    assert browser.evaluate('document.activeElement.id') == 'fit'
    # A mouse leaves the keys to the run.
    x, y = browser.evaluate('(r => [r.left + r.width / 2, r.top + r.height / 2])'
                            '($("trails").getBoundingClientRect())')
    for kind in ('mousePressed', 'mouseReleased'):
        browser.call('Input.dispatchMouseEvent', type=kind, x=x, y=y, button='left', clickCount=1)
    assert browser.evaluate('[$("trails").checked, document.activeElement.tagName]') == [
        False, 'BODY']


def test_keys_zoom_and_move_the_view(address, browser):
    browser.open(address + '?zoom')
    x, y, scale = browser.evaluate('[view.x, view.y, view.scale]')
    key(browser, '+')
    assert browser.evaluate('[view.x, view.y, view.scale]') == pytest.approx([x, y, 1.25 * scale])
    key(browser, '-')
    press(browser, 'ArrowRight', 39, modifiers=8)
    press(browser, 'ArrowUp', 38, modifiers=8)
    assert browser.evaluate('[view.x, view.y, view.scale, now]') == pytest.approx(
        [x + 50 / scale, y + 50 / scale, scale, 0.0])


def test_two_fingers_zoom_and_one_moves(address, browser):
    browser.open(address + '?touch')
    browser.call('Emulation.setTouchEmulationEnabled', **{'enabled': True, 'maxTouchPoints': 2})
    scale, x = browser.evaluate('[view.scale, view.x]')

    def fingers(kind, *places):
        browser.call('Input.dispatchTouchEvent', type=kind, touchPoints=[
            {'x': place, 'y': 300, 'id': k} for k, place in enumerate(places)])
    fingers('touchStart', 400)
    fingers('touchMove', 450)
    fingers('touchEnd')
    assert browser.evaluate('view.x') == pytest.approx(x - 50 / scale, abs=1e-3)
    fingers('touchStart', 400, 500)
    fingers('touchMove', 400, 600)
    fingers('touchEnd')
    browser.call('Emulation.setTouchEmulationEnabled', enabled=False)
    assert browser.evaluate('view.scale') == pytest.approx(2 * scale, rel=0.01)
    assert browser.evaluate('fingers.size') == 0


def test_help_can_be_read_to_its_end_on_a_phone(address, browser):
    at_width(browser, 390, 700)
    browser.open(address + '?help')
    key(browser, '?')
    box = browser.evaluate('(r => [r.left, r.right, r.top, r.bottom])'
                           '($("help").getBoundingClientRect())')
    browser.evaluate('$("help").scrollTop = 1e6')
    last, wide = browser.evaluate('(h => [h.querySelector("tr:last-child").getBoundingClientRect()'
                                  '.bottom, h.scrollWidth - h.clientWidth])($("help"))')
    at_width(browser, 1000)
    assert box[0] >= 0
    assert box[1] <= 390
    assert box[2] >= 0
    assert last <= box[3] <= 700
    assert wide == 0


def test_rates_are_those_of_half_a_second_as_in_pictures(address, browser, run):
    browser.open(address + '?rates#curve=speed&follow=1')
    frames, rows = browser.evaluate('[curves().frames, curves().rows[0]]')
    assert rows == pytest.approx(_speeds(RunData.from_result(run))[frames, 1], abs=0.01)


def test_a_goal_stands_over_the_robot_that_has_reached_it(address, browser):
    browser.open(address + '?goal#t=2&theme=light')
    browser.evaluate('(p => { run.goals = [[0, 1, p[3], p[4]]]; dirty = true; })(posesAt(now))')
    browser.wait_for('!dirty')
    x, y = browser.evaluate('(([w, h]) => [w / 2 + (run.goals[0][2] - view.x) * view.scale, '
                            'h / 2 - (run.goals[0][3] - view.y) * view.scale])(size())')
    seen = browser.screenshot()[round(y) - 1:round(y) + 2, round(x) - 1:round(x) + 2].astype(int)
    assert np.abs(seen - [0xc8, 0x20, 0x2f]).sum(axis=2).min() < 60


def test_a_driven_robot_has_a_dashed_ring(address, browser):
    browser.open(address + '?driven')
    dashes = ('(() => { let dashes = 0; const own = ctx.setLineDash.bind(ctx); ctx.setLineDash = '
              'd => { dashes += d.length > 0; own(d); }; draw(); ctx.setLineDash = own; '
              'return dashes; })()')
    assert browser.evaluate(dashes) == 0
    browser.evaluate('run.live = true; run.drivable = [1]; $("drive").add(new Option("1", 1)); 0')
    assert browser.evaluate(dashes) == 1
