# SPDX-License-Identifier: Apache-2.0
"""Shared code of rclpy nodes: publishers, parameters, start and shutdown.

Needs rclpy; without it the import ends the process with one line that says what to install.
"""

from sbot_common.errors import install_command

try:
    import rclpy  # noqa: F401 - asked for first, so that its absence is said once and clearly
except ImportError:
    raise SystemExit(
        'This needs ROS 2 (rclpy): source a ROS 2 installation, or on x86-64 Linux '
        f'run: {install_command("ros")}. Without ROS, use: sbot run SCENARIO'
    ) from None

from sbot_common.ros.process import (
    declare,
    end_signal_thread,
    make_executor,
    run,
    run_all,
    warn_of_unknown,
)
from sbot_common.ros.pubsub import (
    CLOCK_REQUESTS,
    LOCKSTEP_DEPTH,
    REQUESTS,
    Barrier,
    advertise,
    are_shared,
    in_common,
    in_words,
    nodes_that_publish,
    now_ns,
    publishers_of,
    qos,
    refusal,
    ros_class,
    shared_subscriptions,
    subscribe,
    unheard,
    watch_publishers,
)

__all__ = ['CLOCK_REQUESTS', 'LOCKSTEP_DEPTH', 'REQUESTS', 'Barrier', 'advertise',
           'are_shared', 'declare', 'end_signal_thread', 'in_common', 'in_words', 'make_executor',
           'nodes_that_publish', 'now_ns', 'publishers_of', 'qos', 'refusal', 'ros_class', 'run',
           'run_all', 'shared_subscriptions', 'subscribe', 'unheard',
           'warn_of_unknown', 'watch_publishers']
