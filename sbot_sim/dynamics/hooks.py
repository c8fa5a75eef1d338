# SPDX-License-Identifier: Apache-2.0
"""Hooks of document 000 section 2.1, and the free wind at robots."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Annotated, Any, NamedTuple

import numpy as np

from sbot_common.arrays import Floats
from sbot_common.errors import InputError
from sbot_common.params import Param
from sbot_common.user_code import call_user_code
from wind_model.grid import Lattice, points_at, sample
from wind_model.parameters import Height

# Free wind at robots: the wind where each robot is, before wakes reduce it.


def free_wind(field: Lattice | None, outside: Floats, pose: Floats,
              height: Height | float) -> Floats:
    """Return the wind (N, 2) in m/s at robots, frame `map`.

    Parameters
    ----------
    field : the gridded wind, or None
    outside : (3,) m/s, the wind outside the grid
    pose : (N, 2) or wider: x, y (m)
    height : where robots feel a gridded wind; a number is z (m)

    """
    if field is None:
        same = np.empty((len(pose), 2))
        same[:] = outside[:2]  # in a third of the time of np.tile
        return same
    where = height if isinstance(height, Height) else Height(height)
    return np.ascontiguousarray(sample(field, points_at(field, pose, where), outside)[:, :2])


_HOOK = "Your own function, 'module:function', "


class HookNames(NamedTuple):
    """Names of users' functions that replace parts of the pipeline; empty: the document's."""

    effective_wind_function: Annotated[str, Param(
        '', _HOOK + 'instead of (1 - r) w.', '000 section 5.4')] = ''
    blocking_function: Annotated[str, Param(
        '', _HOOK + 'instead of the reductions r by neighbours; needs wake.',
        '000 section 5.5')] = ''
    drive_impulse_function: Annotated[str, Param(
        '', _HOOK + 'instead of m v along the heading, for bodies with drive: impulse.',
        '000 section 5.6')] = ''


class Hooks(NamedTuple):
    """The functions; None: the document's own. All get and return arrays, a row per robot.

    effective_wind(wind, reduction): (N, 2) m/s and (N,) in, (N, 2) m/s out.
    blocking(wake, starts, indexes, ranges, bearings, yaw, wind, advertised_mm, own_radius): the
    arguments of ``wind_model.wake.reductions``; (N,) out.
    drive_impulse(mass, speed, yaw): (N,) kg, m/s, rad in, (N, 2) kg m/s out; speed is 0 for robots
    on wheels.
    """

    effective_wind: Callable[..., Any] | None = None
    blocking: Callable[..., Any] | None = None
    drive_impulse: Callable[..., Any] | None = None

    def call(self, name: str, tick: int, shape: tuple[int, ...],
             *arguments: Any) -> Floats:  # noqa: ANN401
        """Return the result of a hook as an array of a shape.

        Raises
        ------
        InputError
            if it returns anything else than finite numbers of that shape.
        UserCodeError
            if it raises.

        """
        function = getattr(self, name)

        def where() -> str:
            return (f'wind.{name}_function at tick {tick}: '
                    f"{getattr(function, '__name__', str(function))}()")
        answer = call_user_code(partial(function, *arguments), where)
        try:
            array = np.array(answer, np.float64, order='C')
        except (TypeError, ValueError):
            array = np.array(np.nan)
        if array.shape != shape or not np.isfinite(array).all():
            found = (f'shape {array.shape}' if array.shape != shape
                     else 'numbers that are not finite')
            raise InputError(
                f'{where()}: returned {found}, expected finite numbers of shape {shape}')
        return array
