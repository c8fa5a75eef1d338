"""Elements of ARGoS experiments: lines, numbers and what is refused."""

import pytest

from sbot.scenario.argos_xml import MAX_DEPTH, parse_xml, radians
from sbot_common.errors import InputError

TEXT = b"""<a>
  <body position="1,2,0" orientation="450,0,0"/>
  <b n="2.5" on="true"/><b/>
</a>"""


def test_elements_know_their_lines_and_numbers():
    root = parse_xml(TEXT, 'x.argos')
    assert root.pose() == [1.0, 2.0, radians(90.0)]
    first, second = root.all('b')
    assert (first.line, first.number('n'), first.flag('on', default=False)) == (3, 2.5, True)
    assert (second.number('n', 7.0), second.flag('on', default=False)) == (7.0, False)
    assert [each.tag for each in root.everywhere('b')] == ['b', 'b']


@pytest.mark.parametrize(('ask', 'message'), [
    (lambda root: root.only('b'), r'x\.argos:3: <b> is given twice, first on line 3'),
    (lambda root: root.needed('c'), 'element <c> is missing'),
    (lambda root: root.all('b')[1].text('n'), "attribute 'n' is missing"),
    (lambda root: root.all('b')[0].number('n', minimum=3.0), "n: got '2.5', expected a finite"),
    (lambda root: root.all('b')[0].flag('n', default=True), 'expected true or false')])
def test_what_is_wrong_is_named_by_file_and_line(ask, message):
    with pytest.raises(InputError, match=message):
        ask(parse_xml(TEXT, 'x.argos'))


@pytest.mark.parametrize(('text', 'message'), [
    (b'<a>', 'x:1: not well-formed XML'), (b'<!DOCTYPE a []><a/>', 'document type or entities'),
    (b'<a>' * (MAX_DEPTH + 1), f'nested more than {MAX_DEPTH} levels deep')])
def test_texts_that_are_refused(text, message):
    with pytest.raises(InputError, match=message):
        parse_xml(text, 'x')
