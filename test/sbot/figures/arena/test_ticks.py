import numpy as np

from sbot.figures.picture import Look, draw


def test_both_axes_have_ticks_of_equal_steps(data):
    for look in (Look(), Look(at=(0, 1))):
        figure = draw(data, look)
        figure.draw_without_rendering()
        axes = figure.axes[0]
        steps = [np.unique(np.round(np.diff(ticks), 9))
                 for ticks in (axes.get_xticks(), axes.get_yticks())]
        assert steps[0].tolist() == steps[1].tolist()
        assert len(steps[0]) == 1
        assert float(f'{steps[0][0]:.0e}'[0]) in (1, 2, 5)


def test_a_narrow_arena_has_ticks_of_its_own(data):
    narrow = data._replace(world=data.world._replace(bounds=np.array([0.0, 0.0, 14.0, 1.6])))
    axes = draw(narrow, Look()).axes[0]
    low, high = axes.get_ylim()
    assert sum(low <= tick <= high for tick in axes.get_yticks()) >= 2
