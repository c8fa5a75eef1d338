# SPDX-License-Identifier: Apache-2.0
"""C interface of Fast2D: integer handles, memory shared with C, errors as text.

Run by the interpreter that the shared library of ``shared_library`` embeds.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from sbot_common.arrays import Floats
from sbot_common.compilation_notice import Expected
from sbot_common.errors import InputError
from sbot_sim import fast2d
from sbot_sim.fast2d import WORLD, Fast2D, ObjectRef, RobotRef, SensorRef, SolidRef
from sbot_sim.fast2d.world import ray_count

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
        self._ffi, self._lib = ffi, lib
        self._references: dict[int, object] = {}  # by the numbers that C knows, ascending
        # Numbers are not used twice, so that old references stay unknown; a small count that a
        # host passes by mistake is none.
        self._created = 1 << 16
        self._error: Any = ffi.NULL
        self._kept: dict[str, Any] = {}  # what C points to, after the first step
        # What takes C's arrays, or does more than Python's function, by the end of its name.
        self._own: dict[str, Callable[..., Any]] = {
            '_rectangle': self._set_rectangle, '_polygon': self._set_rectangle,
            '_irsensor': self._create_irsensor, '_get_transform': self._get_transform,
            '_cleanup': self._cleanup, '_init': self._init, '_step': self._step}

    def define(self) -> None:
        """Define the functions of the library."""
        for name in fast2d.__all__:
            if name.startswith(_PREFIX):
                own = name + SLOW if name in IN_C else name
                self._ffi.def_extern(name=own)(self._guarded(name))
        self._ffi.def_extern(name=f'webots_fast2d_last_error{SLOW}')(lambda: self._error)
        self._ffi.def_extern(name='sbot_fast2d_sense')(self._sense)

    def _guarded(self, name: str) -> Callable[..., Any]:
        """Return the function with references as pointers and errors as a line of text."""
        function = next((own for end, own in self._own.items() if name.endswith(end)),
                        getattr(fast2d, name))
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

    def _set_rectangle(self, reference: ObjectRef, x: Any, y: Any) -> None:  # noqa: ANN401
        fast2d.webots_fast2d_object_set_bounding_rectangle(
            reference, self._list(x, _CORNERS), self._list(y, _CORNERS))

    def _create_irsensor(self, *given: Any) -> SensorRef:  # noqa: ANN401
        *others, rays, weights = given
        create: Callable[..., SensorRef] = fast2d.webots_fast2d_create_irsensor
        return create(*others, rays, self._list(weights, ray_count('create_irsensor', rays)))

    def _get_transform(self, reference: fast2d.ObjectRef, *pointers: Any) -> None:  # noqa: ANN401
        values = fast2d.webots_fast2d_object_get_transform(reference)
        for pointer, value in zip(pointers, values, strict=True):
            if pointer != self._ffi.NULL:
                pointer[0] = value

    def _init(self) -> None:
        load_compiled()
        fast2d.webots_fast2d_init()

    def _step(self, dt: float) -> None:
        """Hand over the poses after a step; at the first one, all else."""
        fast2d.webots_fast2d_step(dt)
        pose, speed = WORLD.moving()
        if not self._kept:
            self._share(speed)
        self._kept['pose'] = self._ffi.from_buffer('double[]', pose)
        self._lib.sbot_fast2d_moved(self._kept['pose'])

    def _share(self, speed: Floats) -> None:
        first = min(self._references, default=1)
        count = max(self._references, default=0) + 1 - first
        kind, rows = np.zeros(count, np.uint8), np.zeros(count, np.int32)
        still: list[tuple[float, float, float]] = []
        for number, reference in self._references.items():
            at = number - first
            if isinstance(reference, SensorRef):
                if reference.robot.added:
                    kind[at], rows[at] = _SENSOR, reference.row
            elif isinstance(reference, ObjectRef) and reference.row >= 0:
                kind[at] = _ROBOT if isinstance(reference, RobotRef) else _MOVING
                rows[at] = reference.row
            elif isinstance(reference, SolidRef):
                kind[at], rows[at] = _STILL, len(still)
                still.append(WORLD.object_get_transform(reference))
        shared = [('uint8_t[]', kind), ('int32_t[]', rows), ('double[]', speed),
                  ('double[]', np.array(still, np.float64).reshape(-1, 3))]
        self._kept['shared'] = [self._ffi.from_buffer(c_type, array) for c_type, array in shared]
        self._lib.sbot_fast2d_share(first, count, *self._kept['shared'])

    def _sense(self) -> int:
        """Measure with all sensors and hand the readings over; 0 if that cannot be."""
        if not self._kept:
            return 0
        self._kept['readings'] = self._ffi.from_buffer('double[]', WORLD.activations())
        self._lib.sbot_fast2d_sensed(self._kept['readings'])
        return 1

    def _cleanup(self) -> None:
        fast2d.webots_fast2d_cleanup()
        self._lib.sbot_fast2d_forget()
        self._kept.clear()
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
        self._lib.sbot_fast2d_failed()
        print(text, file=sys.stderr, flush=True)
