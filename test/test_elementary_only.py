"""Nothing that decides a result calls libm, NumPy's own functions, or sums in no fixed order.

libm's results differ between versions and processors, and so do NumPy's; the order of the terms
of NumPy's sums and products of matrices depends on the processor's vectors, and where its C is
compiled with fused operations (64-bit ARM), draws and interpolations have other bits.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ('sbot_common', 'potential_field_bot', 'wind_model', 'sbot_sim', 'sbot/runner',
            'sbot/scenario', 'sbot/controllers/navigate', 'sbot/controllers/neural')
OWN = 'sbot_common/elementary/'
# Do not decide results: what people look at. Each is a module or a folder, with its reason.
LOOKED_AT = {
    'sbot_sim/messages/markers.py': 'what RViz and Foxglove draw',
    'sbot_sim/sensors/infrared_table.py': 'makes tables, whose numbers are what is kept and read',
    'wind_model/export.py': 'a picture of a wind field'}
# Names of `math` and `numpy` that are one IEEE operation, exact, or no arithmetic at all are
# free; these are not.
INEXACT = {
    'sin', 'cos', 'tan', 'asin', 'acos', 'atan', 'atan2', 'arcsin', 'arccos', 'arctan', 'arctan2',
    'sinh', 'cosh', 'tanh', 'asinh', 'acosh', 'atanh', 'arcsinh', 'arccosh', 'arctanh', 'exp',
    'exp2', 'expm1', 'log', 'log2', 'log10', 'log1p', 'logaddexp', 'pow', 'power', 'float_power',
    'hypot', 'dist', 'cbrt', 'gamma', 'lgamma', 'erf', 'erfc', 'sinc', 'unwrap', 'sumprod'}
NO_FIXED_ORDER = {
    'sum', 'nansum', 'mean', 'nanmean', 'average', 'std', 'var', 'prod', 'dot', 'vdot', 'inner',
    'matmul', 'einsum', 'interp', 'tensordot', 'trapezoid', 'convolve', 'correlate', 'cov',
    'corrcoef', 'polyfit', 'linalg', 'fft', 'trace', 'norm'}
MODULES = {'math', 'numpy', 'np', 'cmath', 'scipy'}
METHODS = {'sum', 'mean', 'std', 'var', 'prod', 'dot', 'trace'}
# Of NumPy's generators: they call libm, or are compiled with fused operations on some processors.
DRAWS = {'normal', 'standard_normal', 'uniform', 'exponential', 'standard_exponential', 'vonmises',
         'gamma', 'beta', 'lognormal', 'rayleigh', 'weibull', 'triangular', 'multivariate_normal'}


def outside_functions(tree: ast.AST) -> dict[str, str]:
    """Names that stand for a function of libm or NumPy: from `from math import sin as s`."""
    return {alias.asname or alias.name: f'{node.module}.{alias.name}'
            for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)
            and (node.module or '').partition('.')[0] in MODULES for alias in node.names}


def is_whole(node: ast.expr) -> bool:
    """Whether an exponent is written as an integer: then the power is made of products."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        node = node.operand
    return isinstance(node, ast.Constant) and isinstance(node.value, int)


def is_number(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, (int, float))


def dotted(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return f'{dotted(node.value)}.{node.attr}'
    return node.id if isinstance(node, ast.Name) else ''


def findings(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Line and text of each use that is not allowed."""
    imported = outside_functions(tree)
    for node in ast.walk(tree):
        if isinstance(node, (ast.Attribute, ast.Name)):
            name = dotted(node)
            name = imported.get(name, name)
            module, *rest = name.split('.')
            if name != 'math.prod' and module in MODULES and (
                    {*rest} & (INEXACT | NO_FIXED_ORDER)):
                yield node.lineno, name
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            method = node.func.attr
            if method in METHODS | DRAWS and dotted(node.func).partition('.')[0] not in MODULES:
                yield node.lineno, f'.{method}()'
        if isinstance(node, (ast.BinOp, ast.AugAssign)):
            if isinstance(node.op, ast.MatMult):
                yield node.lineno, '@'
            right = node.right if isinstance(node, ast.BinOp) else node.value
            left = node.left if isinstance(node, ast.BinOp) else node.target
            # A power of two numbers is one, made before anything runs. x ** 2 is libm's pow where
            # it is not compiled.
            if isinstance(node.op, ast.Pow) and not (is_whole(right) and is_number(left)):
                yield node.lineno, ast.unparse(node)


def modules() -> list[Path]:
    paths = [path for package in PACKAGES for path in sorted((ROOT / package).rglob('*.py'))]
    return [path for path in paths
            if not path.relative_to(ROOT).as_posix().startswith((OWN, *LOOKED_AT))]


@pytest.mark.parametrize(('text', 'found'), [
    ('math.sin(x)', True), ('np.hypot(x, y)', True), ('from math import sin\nsin(x)', True),
    ('import numpy as np\nf = np.exp', True), ('x ** 0.5', True), ('x ** y', True),
    ('x **= 3.0', True), ('a @ b', True), ('a.sum()', True),
    ('rng.standard_normal(2)', True), ('rng.random(2)', False), ('np.linalg.norm(a)', True),
    ('x ** 3', True), ('pow(2, 5, 7)', False), ('2.0 ** -53', False), ('x ** 2', True),
    ('math.sqrt(x)', False), ('np.sqrt(x)', False), ('math.floor(x)', False),
    ('sum(parts)', False), ('math.prod(shape)', False), ('np.prod(shape)', True),
    ('math.isfinite(x)', False), ('math.pi', False),
    ('from sbot_common.elementary import sin\nsin(x)', False)])
def test_this_check_finds_what_it_has_to(text, found):
    assert bool(list(findings(ast.parse(text)))) is found


def everywhere() -> list[str]:
    """Return file, line and text of all that is not allowed."""
    return [f'{path.relative_to(ROOT).as_posix()}:{line}: {text}' for path in modules()
            for line, text in sorted(set(findings(ast.parse(path.read_text('utf-8')))))]


def test_results_are_made_of_elementary_functions():
    found = everywhere()
    assert len(modules()) > 100
    assert not found, '\n'.join(found)


if __name__ == '__main__':
    print('\n'.join(everywhere()))
