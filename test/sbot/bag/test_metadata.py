"""metadata.yaml: counts, times, offered qualities of service; written at once or not at all."""

import pytest
import yaml

from sbot.bag.metadata import Counted, Summary, definition, render, replace_file, type_hash
from sbot_common.topics import CLOCK, WIND_FIELD


def test_it_has_what_rosbag2_reads():
    summary = Summary(5, 12, [Counted('/clock', CLOCK, 3), Counted('/field', WIND_FIELD, 1)])
    info = yaml.safe_load(render('a.mcap', summary, {'seed': '1', 'scenario': 'long\ntext'}))[
        'rosbag2_bagfile_information']
    assert (info['message_count'], info['duration']) == (4, {'nanoseconds': 7})
    assert info['custom_data'] == {'seed': '1'}
    qualities = [each['topic_metadata']['offered_qos_profiles'][0]
                 for each in info['topics_with_message_count']]
    assert [each['durability'] for each in qualities] == [
        'transient_local' if topic.latched else 'volatile' for topic in (CLOCK, WIND_FIELD)]


def test_types_have_their_definition_and_hash():
    assert 'builtin_interfaces/Time clock' in definition(CLOCK.type)
    assert type_hash(CLOCK.type).startswith('RIHS01_')


def test_a_file_is_replaced_as_a_whole(tmp_path):
    path = tmp_path / 'metadata.yaml'
    replace_file(path, 'old')
    with pytest.raises(UnicodeEncodeError):
        replace_file(path, '\ud800')
    assert path.read_text() == 'old'
