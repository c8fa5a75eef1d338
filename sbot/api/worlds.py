# SPDX-License-Identifier: Apache-2.0
"""Worlds stepped from Python, and files of what drives robots in them (docs/python.md)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from sbot.controllers.neural import function_policy
from sbot.controllers.neural import network as networks
from sbot.controllers.neural.function_policy import FunctionPolicy
from sbot.controllers.neural.network import Network
from sbot.scenario.load import Source, Sources, load_uncontrolled
from sbot.worlds import many
from sbot_common.errors import bad_value

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from sbot.api.overrides import Overrides, SeededOverrides


class World(many.World):
    """One world of N robots, stepped from Python in one compiled call per step.

    Parameters
    ----------
    scenario : as ``load`` takes it; its controllers are not used
    seed : seed of placement and noise; None: the scenario's
    sense : names of the sensors to simulate, e.g. 'scan' (docs/sensors.md); None: all that the
        robots have
    overrides : as ``load`` takes them

    Raises
    ------
    InputError
        one line: what was found, what was expected.

    """

    def __init__(self, scenario: Source, /, *, seed: int | None = None,
                 sense: Collection[str] | None = None,
                 **overrides: Unpack[Overrides]) -> None:
        super().__init__(load_uncontrolled(scenario, overrides), seed=seed, sense=sense)


class Worlds(many.Worlds):
    """Many independent worlds in one call; each equals, bit for bit, the same world alone.

    Parameters
    ----------
    scenario : as ``load`` takes it, for all worlds; or a list with one scenario for each world,
        which may differ in obstacles, poses, bodies, wind and noise
    count : number of worlds; default: 1, or the length of the list of scenarios
    seeds : (K,) seeds of placement and noise; None: the scenario's, the scenario's + 1, …
    sense : as in ``World``
    threads : number of threads, or 'auto' for as many as there are processors; changes no bit of
        the result
    pool : further scenarios, which ``play`` gives to worlds; their obstacles do not move
    overrides : as ``load`` takes them, for all worlds

    Raises
    ------
    InputError
        one line: what was found, what was expected.

    """

    def __init__(self, scenario: Source | Sequence[Source], /, count: int | None = None, *,
                 seeds: Sequence[int] | None = None, sense: Collection[str] | None = None,
                 threads: int | str = 1, pool: Sequence[Source] = (),
                 **overrides: Unpack[SeededOverrides]) -> None:
        given: list[Any] = list(scenario) if isinstance(scenario, list | tuple) else [scenario]
        loaded = [load_uncontrolled(source, overrides) for source in given]
        super().__init__(loaded if len(loaded) != 1 else loaded[0], count, seeds=seeds,
                         sense=sense, threads=threads,
                         pool=[load_uncontrolled(source, overrides) for source in pool])


# Networks and functions in files.

_Learned = Sources | many.Worlds | many.World  # where a network learned


def save_network(path: str | Path, network: Network, weights: ArrayLike, *,
                 scenario: _Learned | None = None) -> None:
    """Write a network and its weights (W,) as JSON, which keeps every bit.

    Parameters
    ----------
    path : of the file, with which ``controller: network`` drives robots
    network : from ``sbot.network``, or of an environment
    weights : (W,)
    scenario : in which it learned, as ``sbot.load`` takes it, a list of such, or the worlds. The
        file then keeps its rate, body and the settings of the sensors that the network reads
        (`learned_with`), and a warning says where another scenario differs. None: those that the
        network has, as networks of ``sbot.learn`` do

    Raises
    ------
    InputError
        for weights of another shape, or a scenario that cannot be loaded.

    """
    if not isinstance(network, Network):
        raise bad_value('network', type(network).__name__, 'a network of sbot.network; a function '
                        'policy is saved by sbot.save_policy')
    networks.save_network(path, network if scenario is None else _learned(network, scenario),
                          weights)


def save_policy(path: str | Path, policy: Network | FunctionPolicy, weights: ArrayLike, *,
                by_name: bool = False, scenario: _Learned | None = None) -> None:
    """Write a policy and its weights (W,) as JSON, which keeps every bit.

    Parameters
    ----------
    path : of the file, with which the controller ``function_policy`` drives robots
    policy : from ``sbot.function_policy``; or a network, which is written as by ``save_network``
    weights : (W,)
    by_name : True: wherever the file is used, the function is imported as ``module:function``, and
        may call functions of its module. False: the file contains the function's source text,
        which must be complete and is executed
    scenario : in which it learned, as in ``save_network``

    Raises
    ------
    InputError
        if the source text is not known or not complete, or for bad weights.
    UserCodeError
        if numba cannot compile the text alone, or if the function writes to its weights, which
        robots share.

    """
    if scenario is not None and isinstance(policy, Network):
        policy = _learned(policy, scenario)
    elif scenario is not None and isinstance(policy, FunctionPolicy):
        policy = policy._replace(network=_learned(policy.network, scenario))
    function_policy.save_policy(path, policy, weights, by_name=by_name)


def _learned(network: Network, scenario: _Learned) -> Network:
    from sbot.scenario.controllers import checked_senses
    from sbot.worlds.setting import learned_in, senses_of
    several: list[Any] = list(scenario) if isinstance(scenario, list | tuple) else [scenario]
    if isinstance(scenario, many.World | many.Worlds):
        several = (scenario.worlds if isinstance(scenario, many.World) else scenario).scenarios
    several = list({id(one): one for one in several}.values())  # worlds share them
    if not several:
        raise bad_value('scenario', scenario, 'a scenario, or a list of at least one')
    scenarios = [load_uncontrolled(one, {}) for one in several]
    for one in scenarios:
        checked_senses(senses_of(network.inputs), one)
    return learned_in(network, scenarios)
