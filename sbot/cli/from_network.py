"""Scenario for a trained network: `sbot new NAME --from FILE.json`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from sbot_common.errors import InputError

_START, _GOAL = [1.0, 2.0, 0.0], [3.0, 2.0]


def scenario_of_network(source: str, path: Path) -> str:
    """Return the text of a scenario in which a network drives as it learned.

    It has the rate, body and sensors that the network's file names, in an empty arena. Nothing of
    a function policy's file is executed.

    Parameters
    ----------
    source : file of ``sbot.save_network`` or ``sbot.save_policy``
    path : of the scenario, to which the file's path is relative

    Raises
    ------
    InputError
        if the file cannot be read, does not say how its network learned, or says it in words
        that no scenario has, e.g. a body that its own scenario described.

    """
    from neural_controller.network import FUNCTION, load_network, read_content
    from neural_controller.saved_policy import read_policy
    from sbot.files.yaml_text import dump_yaml
    from sbot.scenario.load import parse_scenario
    is_function = read_content(source).get('kind') == FUNCTION
    network = read_policy(source).network if is_function else load_network(source)[0]
    if not network.learned_with:
        raise InputError(f'--from: {source} needs learned_with, the rate, body and sensors with '
                         'which it learned; save it with scenario=')
    learned = dict(network.learned_with)
    key = 'policy' if is_function else 'network'
    robot: dict[str, Any] = {
        'body': learned.pop('body', 'robot'), 'pose': _START,
        'controller': 'function_policy' if is_function else 'network',
        'parameters': {key: os.path.relpath(source, path.parent)}}
    robots = [robot]
    if 'goal' in network.inputs:
        robot['goal'] = _GOAL
    if {'neighbours', 'leader'} & set(network.inputs):
        robots.append({**robot, 'pose': [1.0, 3.0, 0.0]})
    scenario = {
        'description': f'{Path(source).name} drives with the rate, body and sensors with which '
                       'it learned.',
        'rate': learned.pop('rate', 30.0), 'duration': 30.0,
        'world': {'bounds': [0.0, 0.0, 4.0, 4.0]}, 'robots': robots,
        'sensors': {name.partition('.')[2]: value for name, value in learned.items()
                    if name.startswith('sensors.')}}
    try:
        text = dump_yaml(scenario)
        parse_scenario(text, source, path.parent, import_controllers=False)
    except (InputError, UnicodeEncodeError) as error:
        raise InputError(
            f'--from: no scenario has the learned_with of {source}: {error}') from None
    return text
