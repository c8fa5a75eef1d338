import html
import re
import time

import pytest
from browser import CHROMIUM, DEADLINE, Browser

import sbot


@pytest.fixture(scope='module')
def recorded(tmp_path_factory):
    bag = tmp_path_factory.mktemp('notebook') / 'bag'
    return sbot.run('leader_follower', duration=0.5, record=bag, sense=['scan']), sbot.Bag(bag)


def test_runs_and_recordings_show_themselves_and_load_nothing(recorded):
    for shown in recorded:
        text = shown._repr_html_()
        assert text.startswith('<iframe ')
        inner = html.unescape(re.search(r'srcdoc="([^"]*)"', text)[1])
        assert 'leader_follower, seed 1' in inner
        assert not re.search(r'https?://|src=|href=|@import', inner)


def test_what_cannot_be_shown_has_its_line_of_text(tmp_path):
    assert sbot.run('single_robot', duration=0.2, keep=False)._repr_html_() is None


@pytest.mark.skipif(CHROMIUM is None, reason='Chromium is not installed')
def test_a_notebook_draws_the_run(recorded, tmp_path):
    path = tmp_path / 'notebook.html'
    path.write_text(f'<body style="margin: 0">{recorded[0]._repr_html_()}</body>')
    with Browser(tmp_path / 'profile', 900, 500) as browser:
        browser.call('Page.navigate', url=path.as_uri())
        colour = [0xe6, 0x9f, 0x00]  # of the leader
        browser.wait_for('document.readyState === "complete"')
        end = time.monotonic() + DEADLINE
        while (browser.screenshot() == colour).all(axis=2).sum() <= 20:
            assert time.monotonic() < end, 'the leader is not drawn'
        assert not browser.errors
