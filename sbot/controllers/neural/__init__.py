# SPDX-License-Identifier: Apache-2.0
"""Entries of learned controllers: networks by two names, and function policies."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from sbot.controllers.entry import Entry, Place, Sources
from sbot.controllers.neural.network import checked_hold, load_network, warning_of
from sbot.controllers.registry import check_arguments, load_function
from sbot_common.errors import InputError, bad_value, one_line
from sbot_common.observation import Controller
from sbot_common.params import refuse_unknown
from sbot_sim.world.bodies import Body


def _make(place: Place) -> Controller:
    from sbot.controllers.neural.controller import Neural
    return Neural(**place.parameters)


def _check(_: str, parameters: Mapping[str, object], where: str, __: Sources) -> None:
    from sbot.controllers.neural.controller import Neural
    check_arguments(Neural, parameters, where)


def _doubts(parameters: Mapping[str, object], _: Body,
            now: Mapping[str, Any]) -> list[tuple[str, str]]:
    path, hold = parameters.get('network'), parameters.get('hold')
    if not isinstance(path, str):
        return []
    try:
        network = load_network(path)[0]
        given, of_file = None if hold is None else checked_hold(hold), network.hold
    except InputError:  # is said where the controller is made
        return []
    unlike = warning_of(path, network.learned_with, now)
    doubts = [] if unlike is None else [('network', unlike)]
    if None in (given, of_file) or given == of_file:
        return doubts
    return [*doubts, ('hold', f'got {given}, expected {of_file}, the hold in {one_line(path)}; '
                      'leave it out to use that')]


_NEURAL = Entry('neural_controller.controller:Neural',
                'The class behind `network`, which is its short name.', _make,
                paths=('network',), check=_check, doubts=_doubts, may_preload=True)
_NETWORK = _NEURAL._replace(
    name='network', text='A neural network from a file, e.g. an evolved one (docs/learning.md).')


# Entry of ``function_policy``: a user's compiled function, saved to a file.

_FILE = 'policy'  # the only parameter


def _make_function_policy(place: Place) -> Controller:
    from sbot.controllers.neural.controller import FunctionController
    path = place.parameters[_FILE]
    return FunctionController(path, partial(
        load_function, python_path=place.sources.python_path, where=path))


def _check_policy(_: str, parameters: Mapping[str, object], where: str, __: Sources) -> None:
    """Raise InputError unless there is a good file; nothing of it is executed."""
    from sbot.controllers.neural.function_policy import read_policy
    refuse_unknown(parameters, [_FILE], lambda _: f'{where}: parameters')
    path = parameters.get(_FILE)
    if not isinstance(path, str):
        raise bad_value(where, dict(parameters), f'the parameter {_FILE}: a file that '
                        'sbot.save_policy wrote')
    try:
        read_policy(path)
    except InputError as error:
        raise InputError(f'{where}: {error}') from None


def _doubts_of_policy(parameters: Mapping[str, Any], _: Body,
                      now: Mapping[str, Any]) -> list[tuple[str, str]]:
    from sbot.controllers.neural.function_policy import read_policy
    path = parameters[_FILE]
    unlike = warning_of(path, read_policy(path).network.learned_with, now)
    return [] if unlike is None else [(_FILE, unlike)]


_FUNCTION_POLICY = Entry(
    'function_policy',
    'Your own compiled function, in a file of sbot.save_policy (docs/worlds.md).',
    _make_function_policy, paths=(_FILE,), programs=(_FILE,), check=_check_policy,
    doubts=_doubts_of_policy, may_preload=True)

ENTRY = (_NEURAL, _NETWORK, _FUNCTION_POLICY)
