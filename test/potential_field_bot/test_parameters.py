import math
import re

import document_oracle
import pytest

from potential_field_bot.parameters import AS_WRITTEN, GEOMETRIC, SPECS, Parameters
from sbot_common.errors import InputError
from sbot_common.params import updated


def test_every_field_names_its_section():
    assert [spec.name for spec in SPECS] == list(Parameters._fields)
    assert all(spec.source.startswith('001 section') for spec in SPECS)


def test_leader_filter_becomes_a_number():
    assert Parameters().leader_filter == AS_WRITTEN
    assert updated(Parameters(), {'leader_filter': 'geometric'}).leader_filter == GEOMETRIC


@pytest.mark.parametrize(('given', 'text'), [
    ({'safe_distance': 1.0}, 'safe_distance_m'),
    ({'error_constant_epsilon_m': 0.0}, '> 0'),
    ({'ema_coefficient_eta': 1.5}, '<= 1'),
    ({'forward_speed_mps': -1}, '>= 0'),
    ({'forward_speed_mps': math.nan}, 'finite'),
    ({'leader_filter': 'none'}, 'as_written'),
    ({'goal_regeneration_frequency_hz': 31.0}, 'at most loop_rate')])
def test_bad_values_are_refused_by_name(given, text):
    with pytest.raises(InputError, match=re.escape(text)):
        updated(Parameters(), given, 'robots[0].{}'.format)


@pytest.mark.skipif(bool(document_oracle.unavailable()), reason=document_oracle.unavailable())
def test_defaults_are_the_documents():
    source = '\n'.join(document_oracle.tangle(document_oracle.listings(
        document_oracle.find_document())))
    listed = dict(re.findall(r'const static \w+ (\w+) = ([^;]+);', source))
    defaults = Parameters()._asdict()
    assert len(listed) == 17
    for name, text in listed.items():
        known = {'M_PI': math.pi, 'false': False}
        assert defaults[name.lower()] == (known[text] if text in known else float(text)), name
