"""YAML text to nodes: limited depth, one document, known anchors, tabs named."""

import pytest

from sbot.files.yaml_nodes import compose
from sbot_common.errors import InputError


def test_a_node_knows_its_line():
    node = compose('a: 1\nb: [2]\n', 'x.yaml')
    assert [(key.value, key.start_mark.line) for key, _ in node.value] == [('a', 0), ('b', 1)]
    assert compose('', 'x.yaml') is None


@pytest.mark.parametrize(('text', 'message'), [
    ('a: 1\n--- \nb: 2\n', r'x\.yaml:2:1: a second document'),
    ('a: *b\n', r"x\.yaml:1:4: .*no anchor '&b'"),
    ('a: ' + '[' * 200 + ']' * 200, 'nested more than 50 levels deep'),
    ('a:\n\tb: 1\n', 'indent with spaces, not tabs'),
    ('a: [1\n', r'x\.yaml:2:1: not valid YAML')])
def test_errors_name_file_line_and_column(text, message):
    with pytest.raises(InputError, match=message):
        compose(text, 'x.yaml')
