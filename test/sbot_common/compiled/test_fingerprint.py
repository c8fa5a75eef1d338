"""What the fingerprint of a compiled function depends on, and what it does not."""

import sys
import types
from collections import namedtuple

import numba
import numpy as np
import pytest
from children import passed
from numba.core.dispatcher import Dispatcher

from sbot_common import angles, spatial
from sbot_common.compiled import records
from sbot_common.compiled.fingerprint import describe_type, fingerprint
from sbot_common.compiled.jit import njit
from sbot_common.compiled.lazy import Lazy
from sbot_sim.collision import separation
from sbot_sim.sensors import laser

MODULE = '''
from numba import float64, njit
from enum import IntEnum
from collections import namedtuple
import numpy as np

SPEED = 2.0
TABLE = np.array([1.0, 2.0])
Limits = namedtuple('Limits', 'low high')
ROWS = np.zeros(2, dtype=[('a', 'f8'), ('b', 'f8')])

class Colour(IntEnum):
    RED = 1

@njit
def inner(x):
    """Return more."""
    return x + 1.0

@njit
def outer(x):
    return (inner(x) * SPEED + TABLE[0] + Limits(1, 2).low + np.sin(x) + max(x, 2.0)
            + Colour.RED.value + ROWS[0].a)

@njit
def other(x):
    return -x

def closure(n):
    @njit
    def added(x):
        return x + n
    return added
'''


def of(text: str, name: str = 'outer') -> str:
    names: dict = {'__name__': 'sample'}
    exec(compile(text, 'sample.py', 'exec'), names)
    return fingerprint(names[name].py_func)


@pytest.mark.parametrize(('old', 'new'), [('x + 1.0', 'x + 1.5'), ('SPEED = 2.0', 'SPEED = 3.0'),
    ('[1.0, 2.0]', '[1.5, 2.0]'), ('[1.0, 2.0]', '[1, 2]'), ("'low high'", "'high low'"),
    ('SPEED = 2.0', 'SPEED = 2'), ('@njit\ndef inner', '@njit(fastmath=True)\ndef inner'),
    ('def inner(x)', 'def inner(x, y=3)'), ('.low', '.high'), ('np.sin', 'np.cos'),
    ('RED = 1', 'RED = 2'), ("dtype=[('a'", "dtype=[('c'"),
    ('@njit\ndef inner', "@njit(locals={'x': float64})\ndef inner")])
def test_it_changes_with_what_machine_code_is_made_from(old, new):
    assert old in MODULE
    assert of(MODULE.replace(old, new)) != of(MODULE)


@pytest.mark.parametrize(('old', 'new'), [
    ('@njit\ndef inner', '\n# A comment\n\n@njit\ndef inner'), ('Return more', 'Return a sum'),
    ('return -x', 'return -2 * x'), ('SPEED = 2.0', 'SPEED = 2.0  # m/s')])
def test_it_does_not_change_with_comments_and_other_functions(old, new):
    assert old in MODULE
    assert of(MODULE.replace(old, new)) == of(MODULE)


def test_read_only_arrays_are_types_of_their_own():
    array = np.zeros(2)
    kinds = [numba.typeof(array)]
    array.flags.writeable = False
    assert describe_type(numba.typeof(array)) != describe_type(kinds[0])


def test_it_is_the_same_in_every_process():
    code = ('from sbot_common.compiled.fingerprint import fingerprint as f\n'
            'from sbot_common import angles, spatial\n'
            'from sbot_sim.collision import separation\n'
            'from sbot_sim.sensors import laser\n'
            'for m in (angles, spatial, separation, laser):\n'
            '    for n, v in sorted(vars(m).items()):\n'
            '        if hasattr(v, "py_func"): print(f(v.py_func))\n')
    told = passed('-c', code).split()
    Lazy.make_all()  # else it depends on what has run here before
    here = [fingerprint(value.py_func) for module in (angles, spatial, separation, laser)
            for _, value in sorted(vars(module).items()) if isinstance(value, Dispatcher)]
    assert len(here) > 20
    assert told == here


def test_a_constant_that_changes_in_the_process_changes_it():
    names: dict = {'__name__': 'sample'}
    exec(MODULE, names)
    before = fingerprint(names['outer'].py_func)
    names['SPEED'] = 3.0
    assert fingerprint(names['outer'].py_func) != before


UNSEEN = """
import types
import numba, numpy as np
from numba import extending
from sbot_common.compiled.jit import njit

def gain(x): ...
@extending.overload(gain)
def _(x):
    return lambda x: x * 0.1

def inlined(x): ...
@extending.overload(inlined, inline='always')
def _(x):
    return lambda x: x * 0.1

@extending.overload(np.prod)
def _(x, own):
    return lambda x, own: x * 0.1

@extending.overload_method(numba.types.Float, 'shrunk')
def _(x):
    return lambda x: x * 0.1

@extending.overload_attribute(numba.types.Float, 'tenth')
def _(x):
    return lambda x: x * 0.1

@extending.intrinsic
def own(typing, x):
    return x(x), lambda context, builder, signature, args: args[0]

plain = numba.njit(lambda x: x.shrunk())
elementwise = numba.vectorize(lambda x: x * 0.1)
callback = numba.cfunc('float64(float64)')(lambda x: x * 0.1)
settings = types.SimpleNamespace(K=0.1)
module = types.ModuleType('settings')
module.K = 0.1
call = njit(lambda f, x: f(x))
"""
SEEN = {'a function': 'lambda x: helper(x)', 'a constant': 'lambda x: x * module.K',
        'a plain function': 'lambda x: seen_by_name(x)'}


def in_a_module(text, monkeypatch, tmp_path):
    """A compiled function of a user's module that was called; an empty cache was there."""
    monkeypatch.setattr('sbot_common.compiled.cache.CACHE_DIRECTORY', tmp_path)
    module = types.ModuleType('users_own')
    monkeypatch.setitem(sys.modules, 'users_own', module)
    exec(f'{UNSEEN}\nhelper = njit(lambda x: x * 0.1)\n'
         f'seen_by_name = numba.njit(lambda x: x * 0.1)\nf = njit({text})', vars(module))
    return module


@pytest.mark.parametrize('text', [
    'lambda x: gain(x)', 'lambda x: inlined(x)', 'lambda x: np.prod(x, 1)',
    'lambda x: x.shrunk()', 'lambda x: x.tenth', 'lambda x: plain(x)', 'lambda x: call(plain, x)',
    'lambda x: call(gain, x)', 'lambda x: x * getattr(module, "K")', 'lambda x: own(x)',
    'lambda x: elementwise(x)', 'lambda x: callback(x)'])
def test_what_it_does_not_see_whole_is_compiled_and_not_kept(text, monkeypatch, tmp_path):
    module = in_a_module(text, monkeypatch, tmp_path)
    assert module.f(2.0) in (0.2, 2.0)
    assert not [*tmp_path.iterdir()]
    module.inlined_before = njit(module.f.py_func)  # its parts are compiled already
    assert module.inlined_before(2.0) in (0.2, 2.0)
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize('text', SEEN.values(), ids=SEEN)
def test_what_it_sees_is_kept(text, monkeypatch, tmp_path):
    assert in_a_module(text, monkeypatch, tmp_path).f(2.0) == 0.2
    assert len([*tmp_path.iterdir()]) == 1


def test_a_function_that_is_an_argument_is_seen(monkeypatch, tmp_path):
    module = in_a_module('lambda f, x: f(x)', monkeypatch, tmp_path)
    assert module.f(module.helper, 2.0) == 0.2
    assert len([*tmp_path.iterdir()]) == 1
    assert module.f(module.plain, 2.0) == 0.2
    assert len([*tmp_path.iterdir()]) == 1


@pytest.mark.parametrize('decorator', ['njit_inner', 'njit', 'numba.njit'])
def test_a_constant_that_changes_at_run_time_does_not_reach_later_sessions(decorator, monkeypatch,
                                                                           tmp_path):
    """The inner function is compiled once a process, with the constant of then."""
    text = f"""
import numba
from sbot_common.compiled.jit import njit, njit_inner
K = 2.0
@{decorator}
def gain(x):
    return K * x
@njit
def f(x):
    return gain(x)
@njit
def g(x):
    return gain(x) + 1.0
"""
    monkeypatch.setattr('sbot_common.compiled.cache.CACHE_DIRECTORY', tmp_path)

    def session():
        module = types.ModuleType('users_own')
        monkeypatch.setitem(sys.modules, 'users_own', module)
        exec(text, vars(module))
        return module
    first = session()
    assert first.f(1.0) == 2.0
    first.K = 3.0
    first.g(1.0)
    later = session()
    later.K = 3.0
    assert later.g(1.0) == 4.0
    assert session().f(1.0) == 2.0


def test_the_type_of_a_record_is_the_same_in_whichever_order_modules_were_imported(monkeypatch):
    inner, outer, other = (namedtuple(name, 'a b') for name in ('Inner', 'Outer', 'Other'))
    kind, names = numba.typeof(outer(inner(1.0, 2), 3)), []
    for viewed in ([inner, outer], [other, outer, inner], [outer]):
        monkeypatch.setattr(records, 'BY_ADDRESS', viewed)
        names.append(records._View(kind).name)
    assert names[0] == names[1] != names[2]
