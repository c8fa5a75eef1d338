"""geometry_msgs are built as ROS has them."""

from sbot_common.wire import cdr, geometry


def test_a_twist_has_omega_about_z():
    twist = geometry.twist(1.0, 2.0, 3.0)
    assert (twist.linear.x, twist.linear.y, twist.angular.z) == (1.0, 2.0, 3.0)
    assert (twist.linear.z, twist.angular.x, twist.angular.y) == (0.0, 0.0, 0.0)


def test_a_pose_is_the_origin_not_rotated_unless_told():
    assert cdr.encode(geometry.pose()) == cdr.encode(geometry.pose(
        geometry.point(0.0, 0.0, 0.0), geometry.quaternion(z=0.0, w=1.0)))
    assert geometry.pose(geometry.point(1.0)).position.x == 1.0
