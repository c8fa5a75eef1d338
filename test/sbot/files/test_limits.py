"""Limits can be changed, by their names only."""

import pytest

from sbot.files.limits import VARIABLE, Limits, limits
from sbot_common.errors import InputError


def test_limits_are_changed_by_the_environment(monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    assert limits() == Limits()
    monkeypatch.setenv(VARIABLE, 'image_pixels=7, topics=3')
    assert limits() == Limits()._replace(image_pixels=7, topics=3)


@pytest.mark.parametrize(('text', 'words'), [
    ('image_pixel=7', "did you mean 'image_pixels'"), ('topics=0', 'expected a whole number >= 1'),
    ('topics', 'NAME=NUMBER'), ('topics=1e9', 'NAME=NUMBER')])
def test_bad_limits_are_refused(monkeypatch, text, words):
    monkeypatch.setenv(VARIABLE, text)
    with pytest.raises(InputError, match=words):
        limits()
