"""What a network learned with is kept in its file, and compared with a scenario."""

import json

import numpy as np
import pytest

from neural_controller.learned_with import checked_conditions, warning_of
from neural_controller.network import load_network, make_network, save_network
from sbot_common.errors import InputError

LEARNED = (('rate', 10.0), ('body', 's-bot'), ('sensors.scan_beams', 8),
           ('sensors.scan_noise_std', 0.01), ('sensors.scan_sees_robots', True))


def test_a_file_keeps_what_its_network_learned_with(tmp_path):
    network = make_network()._replace(learned_with=LEARNED)
    save_network(tmp_path / 'a.json', network, np.zeros(32))
    assert load_network(tmp_path / 'a.json')[0] == network
    assert json.loads((tmp_path / 'a.json').read_text())['learned_with'] == dict(LEARNED)
    save_network(tmp_path / 'b.json', make_network(), np.zeros(32))
    assert 'learned_with' not in json.loads((tmp_path / 'b.json').read_text())


def test_what_differs_is_one_line_and_noise_is_left_out():
    now = {**dict(LEARNED), 'sensors.scan_noise_std': 0.5, 'more': 1}
    assert warning_of('a.json', LEARNED, now) is None
    now |= {'sensors.scan_beams': 180, 'sensors.scan_sees_robots': False, 'body': 'e\npuck'}
    assert warning_of('a.json', LEARNED, now) == (
        'a.json learned with body s-bot (now e puck), sensors.scan_beams 8 (now 180), '
        'sensors.scan_sees_robots true (now false), so it drives differently than it learned; '
        'give the scenario these values')


@pytest.mark.parametrize(('given', 'words'), [
    ([], 'learned_with: got []'), ({'rate': []}, 'learned_with.rate: got []'),
    ({'rate': float('inf')}, 'learned_with.rate: got inf'), ({'rate': None}, 'learned_with.rate'),
    ({'rate': 10**400}, 'learned_with.rate'), ({'body': 1001 * 'x'}, 'learned_with.body: got'),
    ({1001 * 'x': 1}, 'learned_with.xxx'),
    ({str(k): k for k in range(1001)}, 'learned_with: got')])
def test_other_values_are_refused(given, words):
    with pytest.raises(InputError) as caught:
        checked_conditions(given)
    assert words in str(caught.value)
