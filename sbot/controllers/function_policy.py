"""Entry of ``function_policy``: a user's compiled function, saved to a file."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from sbot.controllers.entry import Entry, Place, Sources
from sbot.controllers.neural.network import warning_of
from sbot.controllers.user import load_function
from sbot_common.errors import InputError, bad_value
from sbot_common.observation import Controller
from sbot_common.params import refuse_unknown
from sbot_sim.world.bodies import Body

_FILE = 'policy'  # the only parameter


def _make(place: Place) -> Controller:
    from sbot.controllers.neural.controller import FunctionController
    path = place.parameters[_FILE]
    return FunctionController(path, partial(
        load_function, python_path=place.sources.python_path, where=path))


def _check(_: str, parameters: Mapping[str, object], where: str, __: Sources) -> None:
    """Raise InputError unless there is a good file; nothing of it is executed."""
    from sbot.controllers.neural.policy_file import read_policy
    refuse_unknown(parameters, [_FILE], lambda _: f'{where}: parameters')
    path = parameters.get(_FILE)
    if not isinstance(path, str):
        raise bad_value(where, dict(parameters), f'the parameter {_FILE}: a file that '
                        'sbot.save_policy wrote')
    try:
        read_policy(path)
    except InputError as error:
        raise InputError(f'{where}: {error}') from None


def _doubts(parameters: Mapping[str, Any], _: Body,
            now: Mapping[str, Any]) -> list[tuple[str, str]]:
    from sbot.controllers.neural.policy_file import read_policy
    path = parameters[_FILE]
    unlike = warning_of(path, read_policy(path).network.learned_with, now)
    return [] if unlike is None else [(_FILE, unlike)]


ENTRY = Entry('function_policy',
              'Your own compiled function, in a file of sbot.save_policy (docs/worlds.md).',
              _make, paths=(_FILE,), programs=(_FILE,), check=_check,
              doubts=_doubts, may_preload=True)
