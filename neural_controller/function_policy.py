"""Function policy: a user's compiled function that decides for one robot."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from types import FunctionType
from typing import Any, NamedTuple

from sbot_common.compiled import light_numba  # noqa: F401

# isort: split
import numba

from neural_controller.network import Network, make_network
from neural_controller.outputs import WHEELS
from sbot_common.arguments import whole
from sbot_common.errors import bad_value
from sbot_common.user_code import call_user_code

_ROW, _READ = numba.float64[::1], numba.types.Array(numba.float64, 1, 'C', readonly=True)
_LAYERS = numba.types.Array(numba.int64, 1, 'C', readonly=True)
_BATCH = (_ROW, _ROW, _ROW, _ROW, numba.int64[::1], numba.float64)  # arguments in a batch
# One robot's: what robots of a batch share, weights and layers, cannot be written to.
_ROBOT = (_ROW, _READ, _ROW, _ROW, _LAYERS, numba.float64)
# Options of numba that change neither bits nor what a function does; error_model is saved.
_HARMLESS = ('nopython', 'nogil', 'boundscheck', 'error_model', 'looplift')
MOST_NUMBERS = 1_000_000  # weights of a world, memory of a robot


class FunctionPolicy(NamedTuple):
    """A compiled function of one's own as a policy; make one by ``function_policy``."""

    function: Any
    network: Network  # its inputs and outputs
    weight_count: int
    memory_count: int


def function_policy(function: Callable[..., None], inputs: Sequence[str], *, weights: int,
                    memory: int = 0, outputs: str = WHEELS, max_speed: float = 0.08,
                    turn: float = 0.095) -> FunctionPolicy:
    """Return a policy of a function that numba can compile.

    Parameters
    ----------
    function : called for each robot as ``function(inputs, weights, memory, outputs, layers, dt)``
        with float64 arrays (I,), (W,), (M,), (2,), int64 (L,) and the tick's length (s); it
        writes ``outputs`` (and ``memory``) and returns nothing
    inputs, outputs, max_speed, turn : as in ``make_network``
    weights, memory : how many

    Raises
    ------
    InputError
        for bad parameters.
    UserCodeError
        if numba cannot compile the function.

    """
    if not isinstance(function, FunctionType) and not hasattr(function, 'py_func'):
        raise bad_value('function', function, 'a function that is written in Python')
    compiled = compilable(function)
    network = make_network('perceptron', inputs, outputs=outputs, max_speed=max_speed, turn=turn)
    weight_count = whole('weights', weights, 0, MOST_NUMBERS)
    memory_count = whole('memory', memory, 0, MOST_NUMBERS)
    # Now, not within our own functions, whose lines numba would name instead of the user's.
    _compile(compiled, _BATCH, 'function_policy')
    return FunctionPolicy(compiled, network, weight_count, memory_count)


def compilable(function: Any, error_model: str = 'numpy') -> Any:  # noqa: ANN401
    """Return a function as numba's; one that is numba's already as it is."""
    if hasattr(function, 'py_func'):
        return function
    return numba.njit(error_model=error_model)(function)


def error_model_of(compiled: Any) -> str:  # noqa: ANN401
    """Return what a compiled function does at 1/0: 'numpy' (gives inf) or 'python' (raises).

    Raises
    ------
    InputError
        for options of numba that may change bits.

    """
    options = compiled.targetoptions
    if compiled.locals or not getattr(compiled, '_can_compile', True):
        raise bad_value(f'{compiled.py_func.__name__}: option of numba',
                        'locals or signatures', 'neither: a file does not keep them')
    for name, value in options.items():
        if value and name not in _HARMLESS:
            raise bad_value(f'{compiled.py_func.__name__}: option of numba', name,
                            'none that may give other bits elsewhere')
    return str(options.get('error_model', 'python'))


def compile_for_robot(compiled: Any, where: str) -> None:  # noqa: ANN401
    """Compile a function for the arrays of one robot.

    Raises
    ------
    UserCodeError
        beginning with ``where``, if it cannot be compiled, e.g. as it writes to its weights.

    """
    _compile(compiled, _ROBOT, where, ' (weights can be read only)')


def _compile(compiled: Any, arguments: tuple[Any, ...], where: str,  # noqa: ANN401
             note: str = '') -> None:
    call_user_code(partial(compiled.get_call_template, arguments, {}),
                   lambda: f'{where}: {place_of(compiled)}{note}')


def place_of(compiled: Any) -> str:  # noqa: ANN401
    """Return a function's name, file and line in words."""
    code = compiled.py_func.__code__
    return f'{compiled.py_func.__name__}() at {code.co_filename}:{code.co_firstlineno}'
