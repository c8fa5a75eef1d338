"""Forces as arrows (MarkerArray); shared messages are in ``sbot_common.wire.messages``."""

from __future__ import annotations

import math

import numpy as np

from potential_field_bot.controller import Turn
from sbot_common.wire import cdr


def _vector(name: str, x: float, y: float, z: float) -> object:
    return cdr.message_class(f'geometry_msgs/msg/{name}')(x=x, y=y, z=z)


# Name, components of a Turn, colour (red, green, blue).
_ARROWS = (
    ('attraction', 'attraction_x', 'attraction_y', (0.2, 0.8, 0.2)),
    ('repulsion', 'repulsion_x', 'repulsion_y', (0.9, 0.2, 0.2)),
    ('random', 'random_x', 'random_y', (0.6, 0.6, 0.6)),
    ('total', 'total_x', 'total_y', (0.2, 0.4, 1.0)),
)
_ARROW_ACTION_ADD, _ARROW_TYPE = 0, 0


def arrow_length(force: float) -> float:
    """Return how long to draw a force (m): 0.25 for 1, half a metre more for each factor of ten.

    Forces range from nothing to infinity, so the scale is logarithmic and ends at 3 m.
    """
    return min(3.0, 0.5 * math.log10(1.0 + 2.2 * force)) if force > 0 else 0.0


def write_forces(stamp_ns: int, robot_id: int, x: float, y: float, turn: Turn) -> bytes:
    """Return visualization_msgs/MarkerArray: one arrow in `map` from (x, y) (m) for each force."""
    forces = {**turn._asdict(), 'repulsion_x': turn.laser_x + turn.other_x,
              'repulsion_y': turn.laser_y + turn.other_y}
    marker_class = cdr.message_class('visualization_msgs/msg/Marker')
    colour_class = cdr.message_class('std_msgs/msg/ColorRGBA')
    markers = []
    for number, (name, name_x, name_y, (red, green, blue)) in enumerate(_ARROWS):
        fx, fy = float(forces[name_x]), float(forces[name_y])
        angle = math.atan2(fy, fx)
        length = arrow_length(math.hypot(fx, fy)) if math.isfinite(angle) else 0.0
        tip = (x, y) if length == 0.0 else (x + length * math.cos(angle),
                                            y + length * math.sin(angle))
        markers.append(marker_class(
            header=cdr.header(stamp_ns, 'map'), ns=f'potential_field_{robot_id}/{name}',
            id=number, type=_ARROW_TYPE, action=_ARROW_ACTION_ADD,
            pose=cdr.message_class('geometry_msgs/msg/Pose')(
                position=_vector('Point', 0.0, 0.0, 0.0),
                orientation=cdr.message_class('geometry_msgs/msg/Quaternion')(
                    x=0.0, y=0.0, z=0.0, w=1.0)),
            scale=_vector('Vector3', 0.05, 0.1, 0.15),
            color=colour_class(r=red, g=green, b=blue, a=1.0),
            lifetime=cdr.message_class('builtin_interfaces/msg/Duration')(sec=1, nanosec=0),
            frame_locked=False, points=[_vector('Point', x, y, 0.1),
                                        _vector('Point', *tip, 0.1)],
            colors=[], texture_resource='',
            texture=cdr.message_class('sensor_msgs/msg/CompressedImage')(
                header=cdr.header(0, ''), format='', data=np.empty(0, np.uint8)),
            uv_coordinates=[], text='',
            mesh_resource='', mesh_file=cdr.message_class('visualization_msgs/msg/MeshFile')(
                filename='', data=np.empty(0, np.uint8)),
            mesh_use_embedded_materials=False))
    return cdr.encode(cdr.message_class('visualization_msgs/msg/MarkerArray')(markers=markers))
