"""Names of competitors in tables."""

from sbot.navigation.table import table


def test_a_node_is_shown_by_its_file_unless_another_has_its_name():
    def names(*commands):
        rows = [{'scene': 'a/b', 'controller': f'node: {command}', 'set': {}}
                for command in commands]
        return [line[1] for line in table(rows)[1:]]
    assert names('python3 nodes/mine.py --ros-args -r __ns:={namespace}') == ['node: mine.py']
    assert names('mine_node --ros-args') == ['node: mine_node']
    assert names('/opt/bin/mine_node one', 'rooms') == ['node: mine_node', 'node: rooms']
    assert names('mine.py one', 'mine.py two') == ['node: mine.py one', 'node: mine.py two']
