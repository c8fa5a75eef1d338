"""Task ``aggregate``: s-bots gather, by infrared and bearings."""

from __future__ import annotations

from sbot.learn.shipped import Aggregate, distance
from sbot.learn.tasks.entry import Entry, Metric, Rule, SBots, Track, s_bots
from sbot_common.arrays import Floats, Integers


def to_the_others(inputs: Floats, weights: Floats, memory: Floats, outputs: Floats,
                  layers: Integers, dt: float) -> None:
    """Turn to where most other robots are heard, and drive there; if none is, drive an arc."""
    x, y, share = inputs[15], inputs[16], inputs[17]
    near = max(inputs[0], inputs[14])
    if share == 0.0:  # an arc; from a wall it turns away
        outputs[0], outputs[1] = (1.0, -1.0) if near > 0.2 else (1.0, 0.9)
        return
    ahead = max(0.0, x) * (0.0 if near > weights[0] else 1.0)
    turn = weights[1] * y if x > 0.0 else (1.0 if y > 0.0 else -1.0)
    outputs[0], outputs[1] = ahead - turn, ahead + turn


class AggregateInBox(SBots, Aggregate):
    """Eight s-bots in a box, as in the scenario ``evolved_aggregation``."""

    inputs = ('infrared', 'neighbours')
    seconds, hold = 50.0, 1
    team = 8
    arena = s_bots(2.2, 2.2)


def contraction(track: Track) -> Floats:
    """Return the share by which the mean distance to the centre shrank, (K,)."""
    place = track.pose[..., :2]
    spread = distance(place, place.mean(axis=2, keepdims=True)).mean(axis=2)
    shrunk: Floats = 1.0 - spread[-len(spread) // 3:].mean(axis=0) / spread[0]
    return shrunk


ENTRY = Entry(
    'aggregate', 'S-bots gather, by infrared and bearings.', Aggregate,
    AggregateInBox,
    Metric('contraction', '1', "decrease of the robots' mean distance to their common centre, as "
           'a share, in the last third', 'after the dispersion of Gauci et al. 2014', contraction),
    Rule(to_the_others, (0.5, 0.3)), hidden=(6,))
