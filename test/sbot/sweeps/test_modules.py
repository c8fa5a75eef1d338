"""A user's modules: each scenario finds its own, whatever was imported before it."""

import sys
from importlib import import_module

import pytest

from sbot.sweeps.experiment import Options, run_sweep
from sbot.sweeps.modules import own_imports
from sbot.sweeps.request import Request, read_sweep_file
from sbot.sweeps.results.table import read_columns
from sbot.sweeps.sources import source_of
from sbot_common.errors import InputError

SCENARIO = ('name: {name}\nduration: 0.2\nrate: 10\nworld: {{bounds: [0, 0, 9, 9]}}\n{path}\n'
            "robots: [{{pose: [2, 2, 0], controller: 'sweep_pilot:Pilot'}}]\n")
PILOT = ('class Pilot:\n    def step(self, observation, rng):\n        return {speed}, 0.0\n'
         'def speed(run): return {speed}\n')


def write(folder, speed, path='python_path: [.]'):
    folder.mkdir()
    (folder / 'sweep_pilot.py').write_text(PILOT.format(speed=speed))
    file = folder / f'{folder.name}.yaml'
    file.write_text(SCENARIO.format(name=folder.name, path=path))
    return file


@pytest.mark.forked
@pytest.mark.parametrize('path', ['python_path: [.]', ''])  # the second one is the default
def test_modules_of_one_name_are_each_scenarios_own(tmp_path, path):
    made = Request([source_of(write(tmp_path / name, speed, path))
                    for name, speed in (('slow', 0.25), ('fast', 0.75))],
                   seeds=range(2), metrics=('sweep_pilot:speed',))
    before = list(sys.path)
    run_sweep(made.plan(), made, tmp_path / 'results', Options(jobs=1, progress=False))
    found = read_columns(tmp_path / 'results')
    assert found['error'] == [None] * 4
    assert found['speed'] == [0.25, 0.25, 0.75, 0.75]
    assert found['robot_0_x_m'] == pytest.approx([2.05, 2.05, 2.15, 2.15])
    assert sys.path == before


def test_a_scenario_does_not_find_the_modules_of_another(tmp_path):
    write(tmp_path / 'own', 0.5)
    write(tmp_path / 'none', 0.5, path='')
    (tmp_path / 'none' / 'sweep_pilot.py').unlink()
    (tmp_path / 'sweep.yaml').write_text('scenario: [own/own.yaml, none/none.yaml]\nseeds: 0:4\n')
    with pytest.raises(InputError, match=r"none\.yaml.*cannot import 'sweep_pilot'"):
        read_sweep_file(str(tmp_path / 'sweep.yaml')).plan()


def test_only_who_must_forget_does(tmp_path, monkeypatch):
    (tmp_path / 'sweep_first').mkdir()
    (tmp_path / 'sweep_first' / 'inner.py').write_text('')
    (tmp_path / 'sweep_first' / '__init__.py').write_text('from . import inner')
    (tmp_path / 'sweep_second').mkdir()
    (tmp_path / 'sweep_second' / 'inner.py').write_text('')
    path = list(sys.path)
    for forget in (False, True):
        with own_imports(forget):
            sys.path.append(str(tmp_path))
            import_module('sweep_first')
            import_module('sweep_second.inner')
        kept = {name for name in sys.modules
                if name.partition('.')[0] in ('sweep_first', 'sweep_second')}
        assert sys.path == path
        assert len(kept) == (0 if forget else 4)
        for name in kept:
            monkeypatch.delitem(sys.modules, name)
