"""What stands around the arena, in a real browser: name, axes, curves, help, dark, narrow."""

import contextlib
import re

import numpy as np
import pytest
from browser import CHROMIUM, Browser

import sbot
from sbot.figures.data import RunData
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
