"""What a notebook shows: a page, or nothing where there is none."""

from sbot.files import notebook_frame as module
from sbot_common.errors import InputError


def test_a_page_or_none(monkeypatch):
    def refuse(shown):
        raise InputError(f'no poses in {shown}')
    for frame, expected in ((lambda shown: f'<{shown}>', '<run>'), (refuse, None)):
        monkeypatch.setattr(module, 'makers', [frame])
        assert module.notebook_frame('run') == expected
