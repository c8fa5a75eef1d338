"""Ranges of parameters as tools see them, and reasons of refusals."""


import pytest

pytestmark = [pytest.mark.forked, pytest.mark.ros]


def test_floats_are_described_with_their_range_and_refused_in_words():
    import rclpy
    from rcl_interfaces.srv import DescribeParameters
    from rclpy.node import Node
    from rclpy.parameter import Parameter

    from sbot_common import ros
    from sbot_common.params import Spec
    rclpy.init()
    node = Node('ranges')
    ros.declare(node, [Spec('share', 0.5, '', 'A share.', minimum=0.0, maximum=1.0),
                       Spec('speed', 2.0, 'm/s', 'A speed.', minimum=0.0),
                       Spec('count', 3, '', 'A count.', minimum=1, maximum=9)])
    ros.declare(node, [Spec('late', 0.1, '', 'Declared later.', minimum=0.0, maximum=2.0)])
    # As the service answers rqt_reconfigure.
    answer = node._parameter_service._describe_parameters_callback(
        DescribeParameters.Request(names=['share', 'speed', 'count', 'late']),
        DescribeParameters.Response())
    ranges = [[(each.from_value, each.to_value) for each in (
        *descriptor.floating_point_range, *descriptor.integer_range)]
        for descriptor in answer.descriptors]
    assert ranges == [[(0.0, 1.0)], [], [(1, 9)], [(0.0, 2.0)]]
    result, = node.set_parameters([Parameter('share', value=1.5)])
    assert not result.successful
    assert result.reason.startswith('parameter share: got 1.5, expected')
    assert node.set_parameters([Parameter('share', value=1)])[0].successful  # as a double
    assert node.get_parameter('share').value == 1.0
    node.destroy_node()
    rclpy.shutdown()
