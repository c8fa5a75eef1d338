"""Every sensor: shipped ones, and the one of CONTRIBUTING's recipe as an installed package."""

import re
from pathlib import Path

from installed_package import installed_package

from sbot_common.user_code import records_of
from sbot_sim.sensors import registry
from sbot_sim.sensors.registry import GROUP

ROOT = Path(__file__).resolve().parents[2]
RECIPE = 'compass'


def recipe():
    """The file of CONTRIBUTING's recipe."""
    page = (ROOT / 'CONTRIBUTING.md').read_text('utf-8')
    section = page.partition('## A new sensor')[2].partition('\n## ')[0]
    return re.findall(r'```python\n(.*?)```', section, re.DOTALL)[0]


_SHIPPED = sorted(sensor.name for sensor in records_of('sbot_sim.sensors', 'SENSOR'))


def shipped_names():
    """The sensors of this package, without those that are installed."""
    return list(_SHIPPED)


NAMES = [*shipped_names(), RECIPE]


def installed(folder):
    """Have the recipe's sensor installed as another package."""
    (folder / 'every_compass.py').write_text(recipe())
    return installed_package(folder, 'every_compass', GROUP, {RECIPE: 'every_compass:SENSOR'},
                             registry.sensors)
