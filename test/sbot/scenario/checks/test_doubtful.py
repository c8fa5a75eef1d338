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
        f'{tmp_path}/scene.yaml:{line}: {key}: got 4, expected 2, the hold in '
        f'{tmp_path}/a.json; leave it out to use that')


def driven(path, hold):
    return {'duration': 1, 'world': {'bounds': [0, 0, 3, 3]}, 'sensors': {'infrared': True},
            'robots': [{'body': 's-bot', 'pose': [1, 1, 0], 'controller': NEURAL,
                        'parameters': {'network': str(path), 'hold': hold}}]}


@pytest.mark.parametrize('hold', ['3', '2\n3', True, 2.5, [4], 0])
def test_what_is_no_number_of_ticks_is_an_error_of_the_run_and_no_doubt(tmp_path, caplog, hold):
    sbot.save_network(tmp_path / 'a.json', sbot.network(hold=3), np.zeros(32))
    with pytest.raises(sbot.InputError, match=r'hold: got .*, expected a whole number'):
        sbot.run(driven(tmp_path / 'a.json', hold))
    assert not caplog.records


def test_a_warning_is_one_line_whatever_the_file_is_called(tmp_path, caplog):
    sbot.save_network(tmp_path / 'a\nb.json', sbot.network(hold=3), np.zeros(32))
    sbot.load(driven(tmp_path / 'a\nb.json', 4))
    [record] = caplog.records
    assert '\n' not in record.getMessage()


def test_robots_with_the_same_doubt_share_a_warning(tmp_path, caplog):
    sbot.save_network(tmp_path / 'a.json', sbot.network(hold=3), np.zeros(32))
    values = driven(tmp_path / 'a.json', 4)
    values['robots'] = [{**values['robots'][0], 'pose': [x, 1, 0]} for x in (1, 1.5, 2)]
    sbot.load(values)
    [record] = caplog.records
    assert record.getMessage().startswith(
        'scenario: robots.0.parameters.hold and 2 more: got 4, expected 3')


def test_worlds_use_no_controllers_and_doubt_none(tmp_path, caplog):
    sbot.save_network(tmp_path / 'a.json', sbot.network(hold=3), np.zeros(32))
    values = driven(tmp_path / 'a.json', 4)
    sbot.World(values)
    sbot.Worlds(values, 2)
    assert not caplog.records
    sbot.load(values)
    assert len(caplog.records) == 1


def test_a_file_that_cannot_be_read_is_no_matter_of_the_warning(tmp_path, caplog):
    (tmp_path / 'a.json').write_text('{')
    sbot.load({'duration': 1, 'world': {'bounds': [0, 0, 3, 3]}, 'robots': [
        {'body': 's-bot', 'pose': [1, 1, 0], 'controller': NEURAL,
         'parameters': {'network': str(tmp_path / 'a.json'), 'hold': 4}}]})
    assert not caplog.records
