"""Processor time of tests: what is measured, and the limit that fails a test."""

import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

from processor_time import sort_slow_first, used

HERE = Path(__file__).parent
PLUGIN = f"""
import sys
from pathlib import Path
sys.path.insert(0, {str(HERE)!r})
from processor_time import ProcessorTime, write_dearest

def pytest_configure(config):
    config.pluginmanager.register(ProcessorTime(Path('cache'), limit=0.5))

def pytest_terminal_summary(terminalreporter):
    write_dearest(terminalreporter, 9)
"""
TESTS = """
import subprocess, sys, time
from pathlib import Path
WORK = 'import time\\nend = time.process_time() + 0.6\\nwhile time.process_time() < end: pass'

def test_waits():
    time.sleep(0.7)

def test_works():
    exec(WORK)

def test_lets_a_child_work():
    subprocess.run([sys.executable, '-c', WORK], check=True)

def test_compiles():
    exec(WORK)
    Path('cache', 'code').touch()
"""


def run(folder, *options):
    (folder / 'cache').mkdir()
    (folder / 'conftest.py').write_text(PLUGIN)
    (folder / 'test_it.py').write_text(TESTS)
    return subprocess.run(
        [sys.executable, '-m', 'pytest', '-q', '-rEF', '-p', 'no:cacheprovider', *options],
        cwd=folder, capture_output=True, text=True, timeout=240, check=False).stdout


def check(output, *others):
    assert f'{3 + len(others)} passed, 2 errors' in output
    assert re.search(r'test_it.py::test_works took [0-9.]+ s of processor time; expected at most '
                     r'0\.5 s', output)
    assert 'ERROR test_it.py::test_lets_a_child_work' in output
    listed = output.partition('processor time: ')[2].splitlines()
    assert sorted(line.split('::')[1] for line in listed if 's  test_it.py::' in line) == [
        *others, 'test_lets_a_child_work', 'test_waits', 'test_works']
    assert float(next(line for line in listed if 'test_waits' in line).split()[0]) < 0.5


def test_work_counts_that_of_children_too_and_waiting_and_compiling_do_not(tmp_path):
    check(run(tmp_path), 'test_compiles')


def test_children_count_once_they_have_ended():
    before = used()
    code = 'import time\nwhile time.process_time() < 0.5: pass'
    subprocess.run([sys.executable, '-c', code], check=True)
    assert used() - before > 0.4


def test_files_with_slow_tests_are_first_and_stay_together():
    def item(name, slow=False):
        return SimpleNamespace(path=Path(name.partition('::')[0]), name=name,
                               get_closest_marker=lambda mark: slow if mark == 'slow' else None)
    items = [item('a.py::1'), item('b.py::1'), item('b.py::2', slow=True), item('c.py::1'),
             item('d.py::1', slow=True)]
    sort_slow_first(items)
    assert [each.name for each in items] == ['b.py::1', 'b.py::2', 'd.py::1', 'a.py::1', 'c.py::1']
