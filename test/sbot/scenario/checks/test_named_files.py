"""Files that a scenario names."""

import pytest

from sbot.scenario.load import parse_scenario
from sbot_common.errors import InputError

TEXT = """
world: {bounds: [0, 0, 6, 6]}
sensors: {infrared: true, infrared_table: table.txt}
robots: [{pose: [1, 1, 0], body: s-bot,
          controller: 'neural_controller.controller:Neural', parameters: {network: brain.json}}]
"""


def parsed(folder):
    return parse_scenario(TEXT, 'x.yaml', folder, import_controllers=False)


def test_a_file_that_is_not_there_is_named_by_its_key(tmp_path):
    with pytest.raises(InputError, match=r'sensors.infrared_table: got .table.txt., expected'):
        parsed(tmp_path)


def test_paths_become_absolute_and_without_controllers_their_files_are_not_looked_for(tmp_path):
    (tmp_path / 'table.txt').write_text('1 ' * 151)
    scenario = parsed(tmp_path)
    assert scenario.sensors.infrared.infrared_table == str(tmp_path / 'table.txt')
    assert scenario.robots[0].parameters['network'] == 'brain.json'
    with pytest.raises(InputError, match=r'robots.0.parameters.network: got .brain.json.'):
        parse_scenario(TEXT, 'x.yaml', tmp_path)
