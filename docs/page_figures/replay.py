"""Commands of a recording, and of replays with the same and with another parameter."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from numpy.typing import NDArray

import sbot
from page_figures.style import drawn, save
from sbot.regression.replay import replay
from sbot_common.wire.cdr import decode

SECONDS = 12
CHANGE = {'controllers.potential_field.angular_scaler_kappa': 0.26}
TOPIC = '/robot_0/cmd_vel'

Array = NDArray[np.float64]


def turn_rates(bag: sbot.Bag) -> Array:
    """Return the commanded turn rate (rad/s) of robot 0 in each tick."""
    return np.array([decode(payload, type_name).angular.z
                     for _, type_name, _, payload in bag.messages([TOPIC])])


def measured() -> tuple[Array, Array, Array]:
    """Return turn rates: recorded, replayed, and replayed with the change."""
    with TemporaryDirectory() as folder:
        first = Path(folder) / 'first'
        sbot.run('leader_follower', duration=SECONDS, record=first)
        bag = sbot.Bag(first)
        rates = [turn_rates(bag)]
        for number, overrides in enumerate(({}, CHANGE)):
            output = Path(folder) / f'replay_{number}'
            replay(bag, overrides, output)
            rates.append(turn_rates(sbot.Bag(output)))
    return rates[0], rates[1], rates[2]


def draw(path: Path, dark: bool = False) -> None:
    """Draw commands above, their differences below."""
    recorded, same, changed = measured()
    seconds = np.arange(len(recorded)) / 30.0
    with drawn(dark) as colours:
        figure = Figure(figsize=(7.5, 3.8), layout='constrained')
        FigureCanvasSVG(figure)
        above, below = figure.subplots(2, 1, sharex=True, height_ratios=(1.3, 1))
        blue, orange = colours.followers[0], colours.followers[4]
        above.plot(seconds, recorded, color=colours.moving, linewidth=4, label='recorded')
        above.plot(seconds, same, color=blue, linewidth=1.3,
                   label='replayed')
        above.plot(seconds, changed, '--', color=orange, linewidth=1.2, label='replayed, κ = 0.26')
        above.set_ylabel('turn rate (rad/s)')
        below.plot(seconds, np.abs(same - recorded), color=blue, linewidth=1.2)
        below.plot(seconds, np.abs(changed - recorded), color=orange, linewidth=1.0)
        below.set(ylabel='difference from\nrecorded (rad/s)', xlabel='time (s)', xlim=(0, SECONDS))
        figure.legend(loc='outside upper right', ncols=3)
        save(figure, path, repr([recorded.tolist(), same.tolist(), changed.tolist()]))
