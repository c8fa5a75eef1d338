"""ROS parameters of the node `potfield_bot` beside the controller's constants."""

from __future__ import annotations

from sbot_common.params import Spec

TIMER, INPUTS = 'timer', 'inputs'

NODE_SPECS: tuple[Spec, ...] = (
    Spec('robot_id', 0, '', 'Number of this robot; robot 0 is the leader.', '001 section 18',
         minimum=0, at_runtime=False),
    Spec('num_robots', 1, '', 'How many robots there are.', '001 section 18', minimum=1,
         at_runtime=False),
    Spec('goal_x', 0.0, 'm', 'Goal of the leader in `map`.', '001 section 18'),
    Spec('goal_y', 0.0, 'm', 'Goal of the leader in `map`.', '001 section 18'),
    Spec('seed', 0, '', 'Seed of the random force; drawn and logged when not set.',
         '001 section 11', minimum=0, at_runtime=False),
    Spec('trigger', TIMER, '', 'What starts a turn: a timer of loop_rate, or each complete set of '
         'inputs of one stamp (lockstep).', '001 section 18', choices=(TIMER, INPUTS),
         at_runtime=False),
    Spec('stale_timeout', 0.5, 's', 'With trigger timer, inputs older than this stop the robot; '
         '0: never.', minimum=0.0),
    Spec('stamped_cmd_vel', False, '', 'Publish TwistStamped on cmd_vel instead of Twist.',
         at_runtime=False),
    Spec('poses_topic', False, '', "Take all poses from /poses instead of from every robot's "
         'base_pose_ground_truth.', at_runtime=False),
    Spec('publish_forces', False, '', 'Publish the forces as arrows on potential_field_forces.'),
    Spec('diagnostics_frequency_hz', 0.0, 'Hz', 'How often the log gets a line of diagnostics; '
         '0: never.', '001 section 17', minimum=0.0),
)
