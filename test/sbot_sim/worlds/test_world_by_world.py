"""Range and bearing of large worlds: each hears its own robots, as often as it is asked."""

from batches import make_batch


def heard_by(batch, k):
    starts, robots, ranges, _ = batch.tick.heard(k)
    return starts.tolist(), robots.tolist(), ranges.round(9).tolist()


def test_each_world_hears_its_own_robots():
    batch = make_batch(count=3, robots=3, rab=True, hears=False)
    nobody = ([0, 0, 0, 0], [], [])
    assert heard_by(batch, 0) == nobody, 'before anybody has listened'
    batch.state.pose[3:6, 0] = [1.0, 2.5, 18.0]  # of world 1: the last out of reach (8 m)
    batch.tick._each.hear(0, 2)
    assert heard_by(batch, 0) == ([0, 2, 4, 6], [1, 2, 0, 2, 0, 1],
                                  [1.0, 2.0, 1.0, 1.0, 2.0, 1.0])
    assert heard_by(batch, 1) == ([0, 1, 2, 2], [1, 0], [1.5, 1.5])
    assert heard_by(batch, 2) == nobody, 'world 2 was not asked for'
