# SPDX-License-Identifier: Apache-2.0
"""C interface of Fast2D: integer handles, memory shared with C, errors as text.

Run by the interpreter that the shared library of ``shared_library`` embeds.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from sbot_common.compilation_notice import Expected
from sbot_common.errors import InputError
from sbot_sim import fast2d
from sbot_sim.fast2d import WORLD
from sbot_sim.fast2d.world import Fast2D, ObjectRef, SensorRef, ray_count

# Loading of Fast2D's compiled functions, with a notice if they must be compiled first.

_COMPILING = Expected(40, 20.0)


def load_compiled() -> None:
    """Play a tiny scene; show progress where functions of it must be compiled."""
    with _COMPILING.announced(), Fast2D() as world:
        box, disc = world.create_solid(), world.create_robot()
        world.object_set_bounding_rectangle(box, [1.0, 2.0, 2.0, 1.0], [0.0, 0.0, 1.0, 1.0])
        world.object_set_bounding_radius(disc, 0.1)
        world.add_object(box)
        world.add_object(disc)
        world.create_irsensor(disc, 0.1, 0.0, 0.0, 0.5, 0.5, 3, [0.25, 0.5, 0.25])
        world.robot_set_speed(disc, 0.1, 0.0)
        world.step(0.1)
        world.activations()


# Memory that Fast2D shares with a C program: commands, transforms and sensor readings.
#
# After the first step the calls that a host makes for every object read and write these arrays in
# C (``C_SOURCE``); Python is called once for a step and once for all sensors. Whatever C cannot
# answer, a wrong reference or number among it, goes to the function of Python.

# Functions that C answers; Python's have another name.
IN_C = ('webots_fast2d_robot_set_speed', 'webots_fast2d_robot_set_angular_speed',
        'webots_fast2d_object_get_transform', 'webots_fast2d_sensor_get_activation',
        'webots_fast2d_last_error')
SLOW = '_in_python'  # ends the name of Python's

C_FOR_PYTHON = """
void sbot_fast2d_share(uintptr_t first, uintptr_t count, const uint8_t *kind, const int32_t *row,
                       double *speed, const double *still);
void sbot_fast2d_moved(const double *pose);
void sbot_fast2d_sensed(const double *reading);
void sbot_fast2d_failed(void);
void sbot_fast2d_forget(void);
"""
PYTHON_FOR_C = """
int sbot_fast2d_sense(void);
"""
_STILL, _MOVING, _ROBOT, _SENSOR = 1, 2, 3, 4  # kinds of references; 0: C does not know it
C_SOURCE = """
#include <math.h>
#include <stdint.h>
static struct {
    uintptr_t first, count;      /* references first, first + 1, ... */
    const uint8_t *kind;
    const int32_t *row;
    double *speed;               /* of what moves: dx, dy, da */
    const double *still, *pose;  /* x, y, angle */
    const double *reading;       /* of the sensors, or NULL: not measured since the last step */
    int calm;                    /* since the last failure a call has gone well in C */
} shared;

void sbot_fast2d_share(uintptr_t first, uintptr_t count, const uint8_t *kind, const int32_t *row,
                       double *speed, const double *still)
{
    shared.first = first; shared.count = count; shared.kind = kind; shared.row = row;
    shared.speed = speed; shared.still = still;
}
void sbot_fast2d_moved(const double *pose) { shared.pose = pose; shared.reading = 0; }
void sbot_fast2d_sensed(const double *reading) { shared.reading = reading; }
void sbot_fast2d_failed(void) { shared.calm = 0; }
void sbot_fast2d_forget(void) { shared.count = 0; shared.pose = 0; shared.reading = 0; }

static int sbot_known(const void *reference, int kind, int32_t *row)
{
    uintptr_t k = (uintptr_t)reference - shared.first;
    if ((uintptr_t)reference < shared.first || k >= shared.count || shared.kind[k] < kind)
        return 0;
    *row = shared.row[k];
    return shared.kind[k];
}

CFFI_DLLEXPORT void webots_fast2d_robot_set_speed(RobotRef robot, double dx, double dy)
{
    int32_t row;
    if (sbot_known(robot, 3, &row) != 3 || !isfinite(dx) || !isfinite(dy)) {
        webots_fast2d_robot_set_speed_in_python(robot, dx, dy);
        return;
    }
    shared.speed[3 * row] = dx;
    shared.speed[3 * row + 1] = dy;
    shared.calm = 1;
}

CFFI_DLLEXPORT void webots_fast2d_robot_set_angular_speed(RobotRef object, double da)
{
    int32_t row;
    if (sbot_known(object, 3, &row) != 3 || !isfinite(da)) {
        webots_fast2d_robot_set_angular_speed_in_python(object, da);
        return;
    }
    shared.speed[3 * row + 2] = da;
    shared.calm = 1;
}

CFFI_DLLEXPORT void webots_fast2d_object_get_transform(ObjectRef object, double *xpos,
                                                       double *ypos, double *angle)
{
    int32_t row;
    int kind = sbot_known(object, 1, &row);
    const double *at;
    if (kind < 1 || kind > 3) {
        webots_fast2d_object_get_transform_in_python(object, xpos, ypos, angle);
        return;
    }
    at = (kind == 1 ? shared.still : shared.pose) + 3 * row;
    if (xpos) *xpos = at[0];
    if (ypos) *ypos = at[1];
    if (angle) *angle = at[2];
    shared.calm = 1;
}

CFFI_DLLEXPORT double webots_fast2d_sensor_get_activation(SensorRef sensor)
{
    int32_t row;
    if (sbot_known(sensor, 4, &row) != 4 || (!shared.reading && !sbot_fast2d_sense()))
        return webots_fast2d_sensor_get_activation_in_python(sensor);
    shared.calm = 1;
    return shared.reading[row];
}

CFFI_DLLEXPORT const char *webots_fast2d_last_error(void)
{
    return shared.calm ? 0 : webots_fast2d_last_error_in_python();
}
"""


class _SharedMemory:
    """Hands the arrays of a world to C.

    Parameters
    ----------
    ffi, lib : those of the embedding module
    world : whose arrays they are

    """

    def __init__(self, ffi: Any, lib: Any, world: Fast2D) -> None:  # noqa: ANN401
        self._ffi, self._lib, self._world = ffi, lib, world
        self._kept: list[Any] = []  # what C points to
        self._pose: Any = None
        self._readings: Any = None

    def moved(self, references: Mapping[int, object]) -> None:
        """Hand over the poses after a step; at the first one, all else.

        Parameters
        ----------
        references : of the world, by the number that C knows them by, ascending

        """
        pose, speed = self._world.moving()
        if not self._kept:
            self._share(references, speed)
        self._pose = self._ffi.from_buffer('double[]', pose)
        self._lib.sbot_fast2d_moved(self._pose)

    def _share(self, references: Mapping[int, object], speed: Any) -> None:  # noqa: ANN401
        first = min(references, default=1)
        count = max(references, default=0) + 1 - first
        kind, rows = np.zeros(count, np.uint8), np.zeros(count, np.int32)
        still: list[tuple[float, float, float]] = []
        for number, reference in references.items():
            row = self._world.row_of(reference)
            if isinstance(reference, SensorRef) and row >= 0:
                kind[number - first], rows[number - first] = _SENSOR, row
            elif isinstance(reference, ObjectRef) and row >= 0:
                kind[number - first] = _ROBOT if self._world.is_robot(reference) else _MOVING
                rows[number - first] = row
            elif isinstance(reference, ObjectRef) and not self._world.is_robot(reference):
                kind[number - first], rows[number - first] = _STILL, len(still)
                still.append(self._world.object_get_transform(reference))
        places = np.array(still, np.float64).reshape(-1, 3)
        buffers = [self._ffi.from_buffer(c_type, array) for c_type, array in (
            ('uint8_t[]', kind), ('int32_t[]', rows), ('double[]', speed), ('double[]', places))]
        self._kept = [kind, rows, speed, places, *buffers]
        self._lib.sbot_fast2d_share(first, count, *buffers)

    def sensed(self) -> int:
        """Measure with all sensors and hand the readings over; 0 if that cannot be."""
        if not self._kept:
            return 0
        self._readings = self._ffi.from_buffer('double[]', self._world.activations())
        self._lib.sbot_fast2d_sensed(self._readings)
        return 1

    def failed(self) -> None:
        """Let the next call for the last error ask Python."""
        self._lib.sbot_fast2d_failed()

    def forget(self) -> None:
        """Take everything back."""
        self._lib.sbot_fast2d_forget()
        self._kept = []
        self._pose = self._readings = None


_PREFIX = 'webots_'
_CORNERS = 4
# What a function returns to C, other than nothing.
_RESULTS = {
    'create_robot': 'RobotRef', 'create_solid': 'SolidRef', 'create_irsensor': 'SensorRef',
    'get_activation': 'double',
}


class Exports:
    """Functions for C, with ``ffi`` and ``lib`` of the embedding module."""

    def __init__(self, ffi: Any, lib: Any) -> None:  # noqa: ANN401
        self._ffi = ffi
        self._memory = _SharedMemory(ffi, lib, WORLD)
        self._references: dict[int, object] = {}
        # Numbers are not used twice, so that old references stay unknown; a small count that a
        # host passes by mistake is none.
        self._created = 1 << 16
        self._error: Any = ffi.NULL

    def define(self) -> None:
        """Define the functions of the library."""
        for name in fast2d.__all__:
            if name.startswith(_PREFIX):
                own = name + SLOW if name in IN_C else name
                self._ffi.def_extern(name=own)(self._guarded(name))
        self._ffi.def_extern(name=f'webots_fast2d_last_error{SLOW}')(lambda: self._error)
        self._ffi.def_extern(name='sbot_fast2d_sense')(self._memory.sensed)

    def _guarded(self, name: str) -> Callable[..., Any]:
        """Return the function with references as pointers and errors as a line of text."""
        function = self._function(name)
        result = next((kind for end, kind in _RESULTS.items() if name.endswith(end)), 'void')

        def call(*given: Any) -> Any:  # noqa: ANN401
            self._error = self._ffi.NULL
            value = None
            try:
                value = function(*(self._received(value) for value in given))
            except InputError as error:
                self._fail(str(error) if name in str(error) else f'{name}: {error}')
            except Exception as error:  # C cannot catch it
                self._fail(f'{name}: {type(error).__name__}: {error}')
            if result == 'void':
                return None
            if result == 'double':
                return math.nan if value is None else value
            return self._ffi.cast(result, 0 if value is None else self._number(value))

        return call

    def _function(self, name: str) -> Callable[..., Any]:
        """Return the function of that name, made to take C's arrays."""
        function: Callable[..., Any] = getattr(fast2d, name)
        if name.endswith(('_rectangle', '_polygon')):
            return lambda object, x, y: function(
                object, self._list(x, _CORNERS), self._list(y, _CORNERS))
        if name.endswith('_irsensor'):
            return lambda *given: function(*given[:-1], self._list(
                given[-1], ray_count('create_irsensor', given[-2])))
        if name.endswith('_get_transform'):
            return self._get_transform
        if name.endswith('_cleanup'):
            return self._cleanup
        if name.endswith('_init'):
            return self._init
        if name.endswith('_step'):
            return self._step
        return function

    def _get_transform(self, reference: fast2d.ObjectRef, *pointers: Any) -> None:  # noqa: ANN401
        values = fast2d.webots_fast2d_object_get_transform(reference)
        for pointer, value in zip(pointers, values, strict=True):
            if pointer != self._ffi.NULL:
                pointer[0] = value

    def _init(self) -> None:
        load_compiled()
        fast2d.webots_fast2d_init()

    def _step(self, dt: float) -> None:
        fast2d.webots_fast2d_step(dt)
        self._memory.moved(self._references)

    def _cleanup(self) -> None:
        fast2d.webots_fast2d_cleanup()
        self._memory.forget()
        self._references.clear()

    def _list(self, pointer: Any, count: int) -> list[float]:  # noqa: ANN401
        if pointer == self._ffi.NULL:
            raise InputError('got NULL, expected an array of numbers')
        return [pointer[k] for k in range(count)]

    def _received(self, value: Any) -> Any:  # noqa: ANN401
        """Return the reference that a pointer stands for; other values as they are."""
        if isinstance(value, self._ffi.CData) and 'struct' in self._ffi.typeof(value).cname:
            number = int(self._ffi.cast('uintptr_t', value))
            return self._references.get(number, f'the pointer {number:#x}')
        return value

    def _number(self, reference: object) -> int:
        self._created += 1
        self._references[self._created] = reference
        return self._created

    def _fail(self, text: str) -> None:
        self._error = self._ffi.new('char[]', text.encode())
        self._memory.failed()
        print(text, file=sys.stderr, flush=True)
