"""A folder with the results of a sweep that nobody has run."""

from sbot.sweeps.journal import SUMMARY, Journal, Settings, write_plan, write_tables
from sbot.sweeps.plan import Plan, Source
from sbot.sweeps.request import _grid_axes

KEYS = {'wind.wind_speed_mean': [0.0, 0.1, 0.2],
        'controllers.potential_field.leader_filter': ['as_written', 'geometric']}


def make(folder, grid=KEYS, seeds=range(5), metrics=(), sources=1):
    plan = Plan(tuple(Source(f's{i}', '', 'f', '/', 1) for i in range(sources)), {},
                tuple(_grid_axes(grid)), seeds, metrics)
    folder.mkdir()
    write_plan(folder, plan, Settings())
    with Journal(folder) as journal:
        for number in range(len(plan)):
            run = plan[number]
            setting = number // max(1, len(seeds))
            numbers = {name: None if kind == 'text' else setting for name, kind in SUMMARY.items()}
            row = {'run': number, 'scenario': plan.sources[run.source].name, **run.values,
                   'seed': run.seed, **numbers, 'goal_reached_s': setting + run.seed / 10,
                   'error': None, 'wall_time_s': 1.0, **{m.partition(':')[2]: 2.5
                                                         for m in metrics}}
            if number == 3:
                row = {key: row[key] for key in ('run', 'scenario', *run.values, 'seed',
                                                 'wall_time_s')} | {'error': 'ValueError: no'}
            journal.write([row])
    write_tables(folder, plan)
    return folder
