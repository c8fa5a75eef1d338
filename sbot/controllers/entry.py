# SPDX-License-Identifier: Apache-2.0
"""Registry entry of a controller: its name, parameters, what it senses, and how it is made.

A new controller is one file: a class with ``step`` and an ``Entry`` for it (CONTRIBUTING.md).
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from sbot_common.observation import Controller, Point
from sbot_common.params import Spec, specs_of
from sbot_sim.world.bodies import Body
from sbot_sim.world.geometry import World

RATE = 'loop_rate'  # a parameter of this name is the scenario's rate and no key of a file
OwnParameters = dict[str, Any]  # checked by the entry or by the class that takes them


class Sources(NamedTuple):
    """Sources of users' controller classes."""

    python_path: Sequence[str] = ()  # folders, absolute, searched after the installed modules
    given: Mapping[str, Any] = {}  # classes and objects from Python, by the controllers' names


class _Member(Protocol):
    """A robot of a scenario, with the data that other robots' controllers need."""

    @property
    def controller(self) -> str:
        """Its controller's name."""

    @property
    def goal(self) -> Point | None:
        """Its goal (m), frame `map`."""


class Place(NamedTuple):
    """The robot that a controller is made for."""

    robot_id: int
    body: Body
    goal: Point | None  # m, `map`
    name: str  # of the controller, as the scenario gives it
    parameters: Any  # a tuple of the entry's type, or OwnParameters
    robots: Sequence[_Member]  # of the scenario, by id
    sources: Sources
    outline: Callable[[], World]  # of the fixed obstacles
    mount: tuple[float, float, float]  # m, m, rad: its laser in base_link
    ages: tuple[float, float]  # s, of its own and others' poses when it hears them


class Batch(Protocol):
    """Many robots' controllers in one call."""

    invalid_turns: NDArray[np.int64]  # (M,) turns without a command

    def step(self, poses: NDArray[np.float64], ranges: NDArray[np.float32], angle_min: float,
             angle_increment: float, draws: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return commands (M, 2) in m/s and rad/s; ``draws`` (M,) are uniform in [0, 1)."""


class Entry(NamedTuple):
    """Entry of a controller: everything that the project needs to know of it."""

    name: str  # as scenarios give it; 'family:' stands for all names that begin so
    text: str  # one sentence for `sbot list controllers`
    make: Callable[[Place], Controller]
    parameters: Any = None  # a NamedTuple of Param fields at their defaults; None: OwnParameters
    paths: tuple[str, ...] = ()  # parameters that name files
    programs: tuple[str, ...] = ()  # those of them whose files are executed
    # Raises InputError for OwnParameters, or a name, that the controller does not take.
    check: Callable[[str, Mapping[str, object], str, Sources], None] = (
        lambda *_: None)
    # Parameters that are allowed but hardly meant, each with what is odd about it, for a body and
    # the scenario's rate, body and sensor settings by key.
    doubts: Callable[[Any, Body, Mapping[str, Any]], list[tuple[str, str]]] = lambda *_: []
    # The parameters with what follows from the body filled in.
    fitted: Callable[[Any, Body], Any] = lambda parameters, _: parameters
    fields: tuple[str, ...] | None = None  # of an Observation; None: all that the robot senses
    goal_tolerance: str = ''  # the parameter that says how near to a goal has arrived (m)
    refusal: Callable[[Place], str | None] = lambda _: None  # what is wrong with a robot's entry
    follows: Callable[[_Member], bool] = lambda _: False  # whether a robot follows robot 0
    batch: Callable[[list[int], Any, int], Batch] | None = None  # ids, parameters, threads
    warm_up: Callable[[], None] = lambda: None  # compile, or load, all that a turn calls
    may_preload: bool = False  # a turn before tick 0 may be taken, to load machine code
    executable: str = 'controller_bot'  # its ROS 2 node
    node_name: str = 'controller'
    node_parameters: bool = False  # the node takes the parameters instead of the scenario
    outside: bool = False  # a node of the user's, which we neither make nor start

    @property
    def specs(self) -> tuple[Spec, ...]:
        """The declarations of the parameters that a file may give; () for OwnParameters."""
        return () if self.parameters is None else tuple(
            spec for spec in specs_of(self.parameters.__class__) if spec.name != RATE)

    def tolerance(self, parameters: Any) -> float | None:  # noqa: ANN401 - of the entry's type
        """Return the distance (m) from a goal that counts as arrival; None: not defined."""
        return float(getattr(parameters, self.goal_tolerance)) if self.goal_tolerance else None
