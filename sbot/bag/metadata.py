"""The words around the messages of a rosbag2 directory: metadata.yaml, QoS profiles, definitions.

The layout is that of rosbag2's metadata version 9, as ROS 2 Jazzy writes it, so that
``ros2 bag play`` offers each topic with the quality of service with which it was recorded.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from sbot_common.topics import Topic
from sbot_common.wire.cdr import typestore

VERSION = 9
FILE_NAME = 'metadata.yaml'
DEPTH = 100  # that of the lockstep topics; a latched topic keeps only its last message
_FOREVER = '{sec: 9223372036, nsec: 854775807}'


class Counted(NamedTuple):
    """One topic of a bag."""

    name: str  # absolute
    topic: Topic
    messages: int


class Summary(NamedTuple):
    """What metadata.yaml tells of the messages; times in nanoseconds."""

    start_ns: int
    end_ns: int
    topics: Sequence[Counted]

    @property
    def messages(self) -> int:
        """How many messages there are."""
        return sum(topic.messages for topic in self.topics)


@cache
def definition(type_name: str) -> str:
    """Return a type's message definition with those that it uses, in the 'ros2msg' encoding."""
    return str(typestore().generate_msgdef(type_name, ros_version=2)[0])


@cache
def type_hash(type_name: str) -> str:
    """Return the REP 2016 hash of a type, 'RIHS01_...'."""
    return str(typestore().hash_rihs01(type_name))


@cache
def offered_qos(latched: bool) -> str:
    """Return the YAML list of the one QoS profile with which a topic is offered."""
    return '\n'.join([
        '- history: keep_last',
        f'  depth: {1 if latched else DEPTH}',
        '  reliability: reliable',
        f'  durability: {"transient_local" if latched else "volatile"}',
        f'  deadline: {_FOREVER}',
        f'  lifespan: {_FOREVER}',
        '  liveliness: automatic',
        f'  liveliness_lease_duration: {_FOREVER}',
        '  avoid_ros_namespace_conventions: false',
    ])


def _quoted(text: str) -> str:
    """Return ``text`` as a YAML double-quoted scalar; JSON's are a subset of them."""
    return json.dumps(text, ensure_ascii=False)


def _indented(text: str, spaces: int) -> str:
    return '\n'.join(' ' * spaces + line for line in text.splitlines())


def _topic_text(counted: Counted) -> str:
    topic = counted.topic
    return '\n'.join([
        '    - topic_metadata:',
        f'        name: {_quoted(counted.name)}',
        f'        type: {topic.type}',
        '        serialization_format: cdr',
        '        offered_qos_profiles:',
        _indented(offered_qos(topic.latched), 10),
        f'        type_description_hash: {type_hash(topic.type)}',
        f'      message_count: {counted.messages}',
    ])


def render(file_name: str, summary: Summary, custom: Mapping[str, str]) -> str:
    """Return the text of metadata.yaml for a bag of one MCAP file.

    ``custom`` becomes ``custom_data``, where rosbag2 keeps short strings: long texts are left out.
    """
    topics = '\n'.join(_topic_text(counted) for counted in summary.topics)
    start = f'nanoseconds_since_epoch: {summary.start_ns}'
    duration = f'nanoseconds: {summary.end_ns - summary.start_ns}'
    short = [f'    {_quoted(key)}: {_quoted(value)}' for key, value in custom.items()
             if len(value) < 200 and '\n' not in value]
    return '\n'.join([
        'rosbag2_bagfile_information:',
        f'  version: {VERSION}',
        '  storage_identifier: mcap',
        f'  duration: {{{duration}}}',
        f'  starting_time: {{{start}}}',
        f'  message_count: {summary.messages}',
        f'  topics_with_message_count:\n{topics}' if topics else '  topics_with_message_count: []',
        '  compression_format: ""',
        '  compression_mode: ""',
        '  relative_file_paths:',
        f'    - {_quoted(file_name)}',
        '  files:',
        f'    - path: {_quoted(file_name)}',
        f'      starting_time: {{{start}}}',
        f'      duration: {{{duration}}}',
        f'      message_count: {summary.messages}',
        '  custom_data:\n' + '\n'.join(short) if short else '  custom_data: ~',
        '  ros_distro: jazzy',
        '',
    ])


def replace_file(path: Path, text: str) -> None:
    """Write a text file so that whoever looks finds either the old text or the new one, whole."""
    new = path.with_name(path.name + '.new')
    try:
        new.write_text(text, encoding='utf-8')
        os.replace(new, path)
    except OSError:
        new.unlink(missing_ok=True)
        raise
