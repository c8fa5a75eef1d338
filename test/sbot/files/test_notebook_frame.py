"""What a notebook shows: a page, or nothing where there is none."""

import sbot
from sbot.viewer import data
from sbot_common.errors import InputError


def test_a_page_or_none(monkeypatch):
    def refuse(shown):
        raise InputError(f'no poses in {shown}')
    for frame, expected in ((lambda shown: f'<{shown}>', '<run>'), (refuse, None)):
        monkeypatch.setattr(data, 'notebook_page', frame)
        assert sbot._frame('run') == expected
