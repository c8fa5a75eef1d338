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

from sbot_common.ros.barrier import CLOCK_REQUESTS, REQUESTS, Barrier
from sbot_common.ros.parameters import declare, warn_of_unknown
from sbot_common.ros.process import (
    end_signal_thread,
    make_executor,
    run,
    run_all,
)
from sbot_common.ros.publishers import (
    in_words,
    nodes_that_publish,
    publishers_of,
    refusal,
    watch_publishers,
)
from sbot_common.ros.pubsub import (
    LOCKSTEP_DEPTH,
    advertise,
    now_ns,
    qos,
    ros_class,
    shared_subscriptions,
    sharers,
    subscribe,
)
from sbot_common.ros.subscribers import Unheard, unheard

__all__ = ['CLOCK_REQUESTS', 'LOCKSTEP_DEPTH', 'REQUESTS', 'Barrier', 'Unheard', 'advertise',
           'declare',
           'end_signal_thread', 'in_words', 'make_executor', 'nodes_that_publish', 'now_ns',
           'publishers_of', 'qos', 'refusal', 'ros_class', 'run', 'run_all',
           'shared_subscriptions', 'sharers', 'subscribe', 'unheard', 'warn_of_unknown',
           'watch_publishers']
