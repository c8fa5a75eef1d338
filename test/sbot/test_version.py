"""The version is that of the installation, or unknown."""

import importlib.metadata

import pytest

from sbot import version


@pytest.fixture(autouse=True)
def fresh():
    version.package_version.cache_clear()
    yield
    version.package_version.cache_clear()


def test_it_is_that_of_the_installation():
    assert version.package_version() == importlib.metadata.version('potential_field_bot')


def test_sources_alone_have_none(monkeypatch):
    def missing(name):
        raise version.PackageNotFoundError(name)
    monkeypatch.setattr(version, 'version', missing)
    assert version.package_version() == 'unknown'
