"""Pages of the built site in a browser: nothing is clipped, pictures show, searches find."""

import json
import re
import sys
import tempfile
from pathlib import Path

import pytest
from site_pages import (
    BROKEN_NAMES,
    CLIPPED,
    FIRST_BLOCK,
    HIDDEN_PICTURES,
    SCHEMES,
    open_page,
    search,
    show_scheme,
    start_search,
    without_search,
)

ROOT = Path(__file__).parent.parent
SITE = ROOT / 'build' / 'site'


@pytest.fixture(scope='module')
def browser():
    if not (SITE / 'index.html').exists():
        pytest.skip('`make docs` builds the site')
    sys.path.insert(0, str(ROOT / 'test' / 'sbot'))
    from browser import CHROMIUM, Browser
    if CHROMIUM is None:
        pytest.skip('no Chromium')
    # Some of its processes may write there after the first one has ended.
    with (tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile,
          Browser(profile, 1280, 900) as browser):
        yield browser
        assert not browser.errors


def wide(browser, width):
    browser.call('Emulation.setDeviceMetricsOverride', width=width, height=900,
                 deviceScaleFactor=1, mobile=False)


def test_no_name_is_broken_and_nothing_is_clipped(browser):
    # All pages, narrow and wide; pictures in light and dark, of which words know nothing.
    found = {}
    with without_search(browser):
        for path in sorted(path for path in SITE.rglob('*.html') if path.name != '404.html'):
            open_page(browser, path.as_uri())
            name = path.relative_to(SITE).as_posix()
            for width in (390, 1280):
                wide(browser, width)
                found[name, width] = [*browser.evaluate(BROKEN_NAMES), *browser.evaluate(CLIPPED)]
            for scheme in SCHEMES:
                show_scheme(browser, scheme)
                found[name, scheme] = browser.evaluate(HIDDEN_PICTURES)
            if path == SITE / 'index.html':
                wide(browser, 1280)
                assert browser.evaluate(FIRST_BLOCK) <= 0
    wide(browser, 1280)
    assert len(found) > 4 * 100
    assert {name: each for name, each in found.items() if each} == {}


FILMS = """[...document.querySelectorAll('video')].filter(film => film.offsetParent).map(
    film => [film.getAttribute('src'), getComputedStyle(film).filter])"""


def test_a_dark_page_shows_dark_films_without_a_filter(browser):
    open_page(browser, (SITE / 'gallery.html').as_uri())
    shown = {}
    for scheme in SCHEMES:
        show_scheme(browser, scheme)
        shown[scheme] = browser.evaluate(FILMS)
    if not shown['default']:
        pytest.skip('films need ffmpeg')
    assert [[src.replace('.mp4', '.dark.mp4'), 'none'] for src, _ in shown['default']] == (
        shown['slate'])


# What readers look for, and where it is explained.
SEARCHES = {
    'sbot wind wake': 'commands.html', 'teleport': 'ros2_topics.html#teleport',
    'range and bearing': '#range_and_bearing', 'use_sim_time': 'ros2_topics.html#use_sim_time',
    'wind_speed_mean': 'scenario.html#wind_speed_mean', 'lockstep_timeout': '#lockstep_timeout',
    'lateral_reach_radii': 'scenario.html#lateral_reach_radii',
    'rab_data': 'ros2_topics.html#rab_data', 'scan_beams': 'scenario.html#scan_beams',
    'goal_tolerance': 'scenario.html#goal_tolerance',
    'max_steering_angle': 'scenario.html#max_steering_angle', 'stale_timeout': '#stale_timeout',
    'base_pose_ground_truth': '#base_pose_ground_truth', 'polygons': 'scenario.html#polygons',
    'knowledge': 'scenario.html#knowledge'}


def test_what_readers_look_for_is_among_the_first_results(browser):
    open_page(browser, (SITE / 'index.html').as_uri())
    start_search(browser)
    missed = []
    for words, place in SEARCHES.items():
        first = search(browser, words)
        if 'modules/' in first[0] or not any(place in address for address in first[:5]):
            missed.append((words, first[:5]))
    assert missed == []


# Questions of the first week, and the page that comes first.
QUESTIONS = {
    'quick start': 'tutorials/first_swarm.html', 'install ros': 'install.html',
    'python 3.14': 'install.html', 'windows': 'install.html', 'units': 'scenario.html',
    'own map': 'tutorials/own_map.html', 'own controller': 'tutorials/own_controller.html',
    'debug': 'tutorials/find_a_bug.html', 'breakpoint': 'tutorials/find_a_bug.html',
    'unit test': 'tutorials/regression_test.html#as-tests',
    'lidar noise': 'sensors.html#laser-scans', 'laser mount': 'sensors.html#laser-scans',
    'wind gust': 'wind.html#wind-gusts-and-fields-in-a-scenario',
    'wind wake': 'wind.html#wakes', 'argos': 'wind.html#argos-experiments',
    'drone wind': 'tutorials/rotors_and_argos.html#a-wind-field-of-rotors',
    'stage world': 'stage.html', 'random seed': 'scenario.html#seed',
    'ackermann car': 'motion_and_collisions.html#other-drives-than-two-wheels',
    'turtlebot3': 'scenario.html#turtlebot3_burger', 'nav2': 'tutorials/nav2.html',
    'multiple robots namespace': 'ros2_topics.html#topics', 'rviz': 'pictures.html',
    'parameters of a node': 'ros2_topics.html#parameters',
    'record a bag': 'record_and_replay.html#record-a-bag',
    'replay a bag': 'record_and_replay.html#replay-a-bag-sbot-replay-bag',
    'stable baselines': 'tutorials/train_one_robot.html', 'gymnasium': 'environments.html',
    'pettingzoo': 'coming_from_vmas.html', 'sweep over parameters': 'sweeps.html',
    'figure for a paper': 'pictures.html#figure-for-a-paper',
    'save a film': 'pictures.html#figures-and-films', 'share a run': 'share_a_run.html',
    'cite': 'share_a_run.html#in-a-paper', 'license': 'repository/LICENSE.html'}


def test_questions_of_the_first_week_find_their_page_first(browser):
    open_page(browser, (SITE / 'index.html').as_uri())
    start_search(browser)
    first = {words: search(browser, words)[0] for words in QUESTIONS}
    assert {words: found for words, found in first.items()
            if not found.startswith((SITE / QUESTIONS[words]).as_uri().replace('%23', '#'))} == {}


def test_names_of_tables_are_found_by_their_name(browser):
    # Every twelfth of them: all would take minutes.
    items = json.loads((SITE / 'search.json').read_text('utf-8'))['items']
    names = [item for item in items
             if re.fullmatch(r'\w{6,}', item['title'])
             and item['location'].endswith(f"#{item['title']}")  # a heading has another case
             and not item['location'].startswith(('modules/', 'api', 'commands'))]
    assert len(names) > 200
    open_page(browser, (SITE / 'index.html').as_uri())
    start_search(browser)
    missed = []
    for item in names[::12]:
        first = search(browser, item['title'])[:8]
        if not any(f'#{item["title"]}' in address or item['location'] in address
                   for address in first):
            missed.append((item['title'], first))
    assert missed == []


def test_internal_modules_are_still_found(browser):
    open_page(browser, (SITE / 'index.html').as_uri())
    start_search(browser)
    assert any('modules/sbot_sim' in address for address in search(browser, 'scan_encoder'))
    assert not re.findall(r'https?://[^"]+', (SITE / 'offline_search.js').read_text())
