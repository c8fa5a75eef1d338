"""`robot_description` (URDF) of a robot: a disc or box with a laser, for rviz2 and Nav2."""

from __future__ import annotations

from xml.sax.saxutils import quoteattr

from sbot_sim.sensors.scan import ScanParameters

HEIGHT = 0.2  # m, of the body that is drawn; the simulation is flat


def robot_description(name: str, radius: float, scan: ScanParameters,
                      rectangle: tuple[float, float, float] | None = None) -> str:
    """Return the URDF of a robot with the links base_link, base_footprint and laser.

    The links' names have no prefix: where frames have one, give it to rviz2 as TF prefix.

    Parameters
    ----------
    name : of the robot
    radius : m
    scan : where the laser is
    rectangle : length, width and offset (m) of a rectangular body; None: it is round

    """
    shape, ahead = f'<cylinder radius="{radius!r}" length="{HEIGHT!r}"/>', '0'
    if rectangle is not None:
        length, width, offset = rectangle
        shape, ahead = f'<box size="{length!r} {width!r} {HEIGHT!r}"/>', repr(offset)
    return f"""<?xml version="1.0"?>
<robot name={quoteattr(name)}>
  <link name="base_link">
    <visual>
      <origin xyz="{ahead} 0 {HEIGHT / 2!r}"/>
      <geometry>{shape}</geometry>
    </visual>
    <collision>
      <origin xyz="{ahead} 0 {HEIGHT / 2!r}"/>
      <geometry>{shape}</geometry>
    </collision>
  </link>
  <link name="base_footprint"/>
  <joint name="base_footprint_joint" type="fixed">
    <parent link="base_link"/><child link="base_footprint"/>
  </joint>
  <link name="laser"/>
  <joint name="laser_joint" type="fixed">
    <parent link="base_link"/><child link="laser"/>
    <origin xyz="{scan.laser_x!r} {scan.laser_y!r} 0" rpy="0 0 {scan.laser_yaw!r}"/>
  </joint>
</robot>
"""
