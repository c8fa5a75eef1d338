import numpy as np

import sbot
from sbot.figures.arena.contacts import contact_begins
from sbot.figures.data import from_result
from sbot.figures.picture import draw_run


class Ahead:
    def step(self, observation, rng):
        return 0.5, 0.0


def test_a_cross_shows_where_a_contact_begins():
    data = from_result(sbot.run({
        'duration': 3, 'world': {'bounds': [0, 0, 6, 6], 'circles': [
            {'center': [2, 3], 'radius': 0.3}]},
        'robots': [{'pose': [1, 3, 0], 'controller': Ahead},
                   {'pose': [1, 5, 0], 'controller': Ahead}]}))
    rows, robots = contact_begins(data)
    assert robots.tolist() == [0]
    assert rows.tolist() == [int(np.flatnonzero(data.contacts[:, 0])[0])]
    axes = draw_run(data).axes[0]
    [crosses] = [line for line in axes.lines if line.get_gid() == 'contacts']
    assert np.allclose(crosses.get_xydata(), data.poses[rows, robots, :2])
    assert 'contact' in [text.get_text() for text in axes.get_legend().get_texts()]
    again = data.contacts.copy()
    again[:] = False
    again[[10, 15, 70, 71], 1] = True  # less than a second apart: one contact
    assert contact_begins(data._replace(contacts=again))[0].tolist() == [10, 70]
    assert not len(contact_begins(data._replace(contacts=None))[0])
