"""Records: compiled code finds every field of a tuple where Python wrote it."""

import pickle
from typing import Any, NamedTuple

import numba
import numpy as np
from numba import types
from numba.core.cgutils import ir
from numba.extending import intrinsic

from sbot_common.compiled.jit import by_address, njit
from sbot_common.compiled.records import Record, Structure, define_structure


@by_address
class Part(NamedTuple):
    flag: bool
    rows: np.ndarray
    number: float


class Pair(NamedTuple):
    x: float
    y: float


class Whole(NamedTuple):
    count: int
    part: Part
    bytes: np.ndarray
    on: bool
    pair: Pair
    alike: tuple[float, float, float]
    switches: tuple[bool, bool]
    last: np.ndarray


def function_of(record, body):
    """Return ``body`` of a record's view, to be called with the record's address."""
    @intrinsic
    def view(_, address):
        def codegen(context, builder, signature, args):
            return builder.inttoptr(args[0], ir.IntType(8).as_pointer())
        return record.kind(types.int64), codegen
    inner = numba.njit(body)

    @numba.njit
    def call(address):
        return inner(view(address))
    return lambda: call(record.address)


def whole():
    return Record(Whole(7, Part(True, np.arange(6.0).reshape(2, 3), 2.5),
                        np.arange(5, dtype=np.uint8), False, Pair(1.5, -0.0),
                        (3.0, 4.0, 5.0), (False, True), np.arange(4, dtype=np.int32)[::2]))


def test_every_field_is_where_it_was_written():
    def read(it):
        return (it.count, it.part.flag, it.part.rows[1, 2], it.part.rows.shape[0], it.part.number,
                it.bytes[4], it.on, it.pair.x, it.pair.y, it.last[1], it.last.size,
                it.alike[0], it.alike[2], it.switches[0], it.switches[1])
    got = function_of(whole(), read)()
    assert got == (7, True, 5.0, 2, 2.5, 4, False, 1.5, 0.0, 2, 2, 3.0, 5.0, False, True)
    assert str(got[8]) == '-0.0'


def test_arrays_are_the_given_ones_and_are_kept():
    def write(it):
        it.part.rows[0, 1] += 10.0
    record = whole()
    function_of(record, write)()
    assert record.fields.part.rows[0, 1] == 11.0


def test_records_of_one_layout_are_of_one_type_and_others_are_not():
    assert whole().kind == whole().kind
    assert Record(whole().fields._replace(count=1.0)).kind != whole().kind


def test_fields_of_one_type_that_change_places_give_another_type():
    def kind_of(*names):
        made = NamedTuple('Made', [(name, float) for name in names])
        made.__module__ = __name__
        return Record(made(1.0, 2.0)).kind
    assert str(kind_of('a', 'b')) == str(kind_of('a', 'b'))
    assert str(kind_of('a', 'b')) != str(kind_of('b', 'a'))


class Tally(Structure):
    """An array and a number."""

    def __new__(cls, values: np.ndarray, count: int) -> Any:
        return _make_tally(values, count)


define_structure(Tally, ['values', 'count'])


@njit
def _make_tally(values, count):
    return Tally(values, count)


@njit
def total(pair):
    pair.count += 1
    return pair.values.sum() + pair.count


def test_compiled_code_reads_and_changes_it():
    pair = Tally(np.array([1.0, 2.0]), 3)
    assert isinstance(pair, Tally)
    assert total(pair) == 7.0
    assert total(pair) == 8.0


def test_machine_code_on_disk_finds_the_same_type():
    kind = numba.typeof(Tally(np.zeros(1), 0))
    assert pickle.loads(pickle.dumps(type(kind))) is type(kind)
