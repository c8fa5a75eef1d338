"""Parameters that are allowed but hardly meant get a warning, once for each place."""

import numpy as np
import pytest

import sbot

NEURAL = 'neural_controller.controller:Neural'


@pytest.mark.parametrize('where', ['robots', 'controllers'])
def test_a_scenario_that_says_otherwise_is_warned_once_with_its_line(tmp_path, caplog, where):
    sbot.save_network(tmp_path / 'a.json', sbot.network(hold=2), np.zeros(32))
    own, common = (', parameters: {hold: 4}', '') if where == 'robots' else ('', ', hold: 4')
    (tmp_path / 'scene.yaml').write_text(f"""
duration: 1
world: {{bounds: [0, 0, 3, 3]}}
robots:
  - {{body: s-bot, count: 2, controller: '{NEURAL}'{own}}}
controllers: {{'{NEURAL}': {{network: a.json{common}}}}}
sensors: {{infrared: true}}
""")
    sbot.load(tmp_path / 'scene.yaml')
    [record] = caplog.records
    line, key = (5, 'robots.0.parameters.hold') if where == 'robots' else (
        6, f'controllers.{NEURAL}.hold')
    assert record.getMessage() == (
        f'{tmp_path}/scene.yaml:{line}: {key}: got 4, expected 2, with which the network of '
        f'{tmp_path}/a.json was trained; leave it out to drive as in training')


def test_a_file_that_cannot_be_read_is_no_matter_of_the_warning(tmp_path, caplog):
    (tmp_path / 'a.json').write_text('{')
    sbot.load({'duration': 1, 'world': {'bounds': [0, 0, 3, 3]}, 'robots': [
        {'body': 's-bot', 'pose': [1, 1, 0], 'controller': NEURAL,
         'parameters': {'network': str(tmp_path / 'a.json'), 'hold': 4}}]})
    assert not caplog.records
