"""Which reading of published experiments a scenario has is said, unless the user chose it."""

import pytest

from sbot.scenario.argos.published import WAKE, name_readings

VALUES = {'wind': {'wake': True, **WAKE}, 'controllers': {'wind_aware': {'law': 'published'}}}


@pytest.mark.parametrize(('values', 'overrides', 'said'), [
    (VALUES, [], 2), (VALUES, ['wind.wake_fade'], 1), (VALUES, ['wind'], 1),
    (VALUES, ['controllers.wind_aware.law'], 1), (VALUES, ['wind', 'robots.0.parameters.law'], 0),
    ({'wind': {}, 'controllers': {}}, [], 0)])
def test_it_is_said_once_and_not_of_what_the_user_sets(values, overrides, said, caplog):
    name_readings('x.argos', values, overrides)
    assert len(caplog.records) == said
