"""Memory that Fast2D shares with a C program: commands, transforms and sensor readings.

After the first step the calls that a host makes for every object read and write these arrays in
C (``C_SOURCE``); Python is called once for a step and once for all sensors. Whatever C cannot
answer, a wrong reference or number among it, goes to the function of Python.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from sbot_sim.fast2d.handles import ObjectRef, SensorRef
from sbot_sim.fast2d.world import Fast2D

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


class SharedMemory:
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
