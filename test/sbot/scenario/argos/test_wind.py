"""Wind of an ARGoS experiment: centimetres and degrees, and the shape of wakes."""

import pytest

from sbot.scenario.argos.published import WAKE
from sbot.scenario.argos.wind import wind_of
from sbot.scenario.argos.xml import parse_xml
from sbot_common.errors import InputError

WIND = '<air_resistance angle_deg="90" magnitude="25" gamma_boost="2"/>'


def wind(text, **given):
    return wind_of(parse_xml(f'<a>\n{text}</a>'.encode(), 'x'), {}, **{'wake': True, **given})


def test_it_is_in_metres_and_along_its_angle():
    found = wind(WIND)
    assert (found['wind_speed_mean'], found['gamma_boost']) == (0.25, 2.0)
    assert found['wind_direction'][:2] == pytest.approx([0.0, 1.0])
    assert WAKE.items() <= found.items()
    assert not WAKE.keys() & wind(WIND, wake=False).keys()
    assert wind('') == {}


@pytest.mark.parametrize(('text', 'message'), [
    (WIND * 2, 'a second wind, the first is on line 2'),
    ('<air_resistance angle_deg="90"/>', "attribute 'magnitude' is missing"),
    ('<air_resistance angle_deg="90" magnitude="-1"/>', 'expected a finite number >= 0')])
def test_a_bad_wind_is_refused_by_line(text, message):
    with pytest.raises(InputError, match=f'x:2: .*{message}'):
        wind(text)
