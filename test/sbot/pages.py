"""Pages of recordings in a browser."""

import numpy as np
import pytest
from browser import Browser

from sbot.viewer.data import write_view


def check_moves(bag, seconds, places, expression, folder):
    """Compare what a page's expression gives at two times with places (T, M, C) of a run."""
    write_view(bag, folder / 'run.html')
    with Browser(folder / 'profile', 600, 600) as browser:
        for second in (0.0, 1.525):
            browser.open(f'{(folder / "run.html").as_uri()}?{second}#t={second}')
            found = np.reshape(browser.evaluate(f'Array.from({expression})'), places.shape[1:])
            between = [[np.interp(second, seconds, places[:, k, axis])
                        for axis in range(places.shape[2])] for k in range(places.shape[1])]
            assert found == pytest.approx(np.array(between), abs=1e-3)
        assert browser.errors == []
