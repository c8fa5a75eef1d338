"""Arrays of markers, and a template that is filled in."""

import numpy as np

from sbot_common.wire import cdr
from sbot_common.wire.markers import ARROW, CYLINDER, Template, encode_marker_array, marker

KIND = 'visualization_msgs/msg/MarkerArray'


def test_a_template_is_filled_in_as_markers_are_made():
    given = [marker('a', 0, CYLINDER, (1.0, 1.0, 1.0)),
             marker('b', 1, ARROW, (0.1, 0.2, 0.3), points=[[0, 0, 0], [1, 0, 0]])]
    template = Template(given)
    assert template.to_bytes() == encode_marker_array(given)
    other = template.copy()
    template.set_stamp(3_000_000_007)
    template.set_positions(0, np.array([[1.5, -2.5]]))
    template.set_orientations(np.array([1]), np.array([[0.0, 0.0, 0.6, 0.8]]))
    template.set_colours(1, [(0.5, 0.25, 0.0, 1.0)])
    template.set_points(1, np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]))
    disc, arrow = cdr.decode(template.to_bytes(), KIND).markers
    assert {cdr.stamp_ns(each.header.stamp) for each in (disc, arrow)} == {3_000_000_007}
    assert (disc.pose.position.x, disc.pose.position.y) == (1.5, -2.5)
    assert (arrow.pose.orientation.z, arrow.pose.orientation.w) == (0.6, 0.8)
    assert (disc.color.r, arrow.color.r, arrow.color.g) == (1.0, 0.5, 0.25)
    assert [point.y for point in arrow.points] == [2.0, 5.0]
    assert other.to_bytes() == encode_marker_array(given)
