"""A scenario over nodes beside the run in this process."""

import json

from children import run_sbot

from sbot.bag.compare import Comparison
from sbot.bag.reader import Bag
from sbot.regression.replay import replay
from sbot.runner.loop import run_scenario
from sbot.scenario.load import load_scenario

DEADLINE = 240.0  # s; long, as the first run compiles


def written(folder, name, scenario, module, code):
    path = folder / f'{name}.yaml'
    path.write_text(scenario)
    path.with_name(f'{module}.py').write_text(code)
    return path


def run_and_bag(path, **options):
    directory = path.with_name('bag')
    return run_scenario(load_scenario(str(path)), record=directory, **options), Bag(directory)


def check_nodes(mode, path, recorded, folder, env=None):
    """Run a file by `sbot up`, in a mode; check that it equals (run, bag); return its bag."""
    run, bag = recorded
    done = run_sbot(*mode.split(), path, '--json', '--record', folder / 'live', env=env)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)['trajectory_sha256'] == run.summary['trajectory_sha256']
    live = Bag(folder / 'live')
    comparison = Comparison.of(bag, live)
    assert comparison.equal, comparison.first
    assert replay(live).equal
    return live
