from sbot.regression.differing import Differing, in_words


def test_each_robot_has_its_first_tick_and_its_count():
    differing = Differing()
    for robot, tick in ((2, 5), (0, 7), (2, 6), (2, 9)):
        differing.add(robot, tick)
    assert differing.robots() == ((0, 7, 1), (2, 5, 3))
    assert in_words(differing.robots(), 4) == (
        '2 of 4 robots differ: robot 0 from tick 7 (1 command), robot 2 from tick 5 (3 commands)')
    assert in_words(differing.robots(), 1) == in_words((), 4) == ''


def test_robots_that_all_differ_alike_are_not_listed():
    differing = Differing()
    for tick in (3, 4):
        for robot in range(6):
            differing.add(robot, tick)
    assert in_words(differing.robots(), 6) == (
        'all 6 robots differ from tick 3 on (2 commands each)')
    assert in_words(differing.robots(), 7).startswith('6 of 7 robots differ: robot 0 from tick 3')
    differing.add(5, 5)
    assert in_words(differing.robots(), 6).startswith('6 of 6 robots differ: robot 0 from tick 3')


def test_a_line_names_ten_robots_at_most():
    differing = Differing()
    for robot in range(12):
        differing.add(robot, 0)
    said = in_words(differing.robots(), 300)
    assert said.startswith('12 of 300 robots differ: robot 0 from tick 0')
    assert said.endswith('robot 9 from tick 0 (1 command) and 2 more')
