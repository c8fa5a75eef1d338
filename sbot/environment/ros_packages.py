"""Packages of ROS that launch files need."""

from __future__ import annotations


def need_package(package: str, argument: str, instead: str) -> None:
    """Raise RuntimeError in one line where a package of ROS is not installed.

    Parameters
    ----------
    package : its name, e.g. 'rviz2'
    argument : of the launch file, which needs it
    instead : what else to give, e.g. 'rviz:=false'

    """
    from ament_index_python.packages import PackageNotFoundError, get_package_prefix
    try:
        get_package_prefix(package)
    except (PackageNotFoundError, OSError):  # or no environment of ROS at all
        raise RuntimeError(
            f'launch argument {argument} needs the package {package}; install it (apt: '
            f'ros-$ROS_DISTRO-{package.replace("_", "-")}), or use {instead}',
        ) from None
