from pathlib import Path

from sbot_sim.sensors.infrared.curves import table_distances_cm
from sbot_sim.sensors.infrared.sensor import SENSOR_DEGREES
from sbot_sim.sensors.infrared.table import TABLES, named_table

PAGE = (Path(__file__).parents[3] / 'docs' / 'sensors.md').read_text('utf-8')


def test_the_page_tells_the_angles_and_tables():
    assert ' | '.join(str(d) for d in SENSOR_DEGREES) in PAGE
    for name in TABLES:
        assert f'| `{name}` |' in PAGE
    zero = table_distances_cm()[named_table('as_printed') == 0]
    assert f'0 from {zero.min():.1f} cm to {zero.max():.1f} cm' in PAGE


def test_figures_exist():
    for line in PAGE.splitlines():
        if line.startswith('!['):
            name = line.split('(')[1].rstrip(')')
            assert (Path(__file__).parents[3] / 'docs' / name).is_file()
