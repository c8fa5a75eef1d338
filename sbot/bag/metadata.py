"""metadata.yaml of a rosbag2 directory, QoS profiles, message definitions and type hashes.

The layout is that of rosbag2's metadata version 9, as ROS 2 Jazzy writes it, so that
``ros2 bag play`` offers each topic with the quality of service with which it was recorded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from sbot_common.topics import Topic
from sbot_common.wire.cdr import typestore

VERSION = 9
FILE_NAME = 'metadata.yaml'
DISTRIBUTION = 'jazzy'  # whose layout it is: of runs without ROS
_DEPTH = 100  # that of the lockstep topics; a latched topic keeps only its last message
_FOREVER = {'sec': 9223372036, 'nsec': 854775807}
_DUMPER: Any = getattr(yaml, 'CSafeDumper', yaml.SafeDumper)


class Counted(NamedTuple):
    """A topic of a bag and its number of messages."""

    name: str  # absolute
    topic: Topic
    messages: int


class Summary(NamedTuple):
    """Message counts and times (ns) for metadata.yaml."""

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
def _qos_profiles(latched: bool) -> list[dict[str, Any]]:
    """Return the one QoS profile with which a topic is offered."""
    return [{
        'history': 'keep_last',
        'depth': 1 if latched else _DEPTH,
        'reliability': 'reliable',
        'durability': 'transient_local' if latched else 'volatile',
        'deadline': dict(_FOREVER),
        'lifespan': dict(_FOREVER),
        'liveliness': 'automatic',
        'liveliness_lease_duration': dict(_FOREVER),
        'avoid_ros_namespace_conventions': False,
    }]


def _yaml(value: object) -> str:
    """Return YAML; a list that occurs often (a QoS profile) is written once and referred to."""
    text: str = yaml.dump(value, Dumper=_DUMPER, sort_keys=False, allow_unicode=True,
                          default_flow_style=None, width=1000)
    return text


@cache
def offered_qos(latched: bool) -> str:
    """Return the YAML list of the one QoS profile with which a topic is offered."""
    return _yaml(_qos_profiles(latched))


def render(file_name: str, summary: Summary, custom: Mapping[str, str],
           ros_distro: str = DISTRIBUTION) -> str:
    """Return the text of metadata.yaml for a bag of one MCAP file.

    ``custom`` becomes ``custom_data``, where rosbag2 keeps short strings: long texts are left out.
    """
    short = {key: value for key, value in custom.items() if len(value) < 200 and '\n' not in value}
    return _yaml({'rosbag2_bagfile_information': {
        'version': VERSION,
        'storage_identifier': 'mcap',
        'duration': {'nanoseconds': summary.end_ns - summary.start_ns},
        'starting_time': {'nanoseconds_since_epoch': summary.start_ns},
        'message_count': summary.messages,
        'topics_with_message_count': [{
            'topic_metadata': {
                'name': name,
                'type': topic.type,
                'serialization_format': 'cdr',
                'offered_qos_profiles': _qos_profiles(topic.latched),
                'type_description_hash': type_hash(topic.type),
            },
            'message_count': messages,
        } for name, topic, messages in summary.topics],
        'compression_format': '',
        'compression_mode': '',
        'relative_file_paths': [file_name],
        'files': [{
            'path': file_name,
            'starting_time': {'nanoseconds_since_epoch': summary.start_ns},
            'duration': {'nanoseconds': summary.end_ns - summary.start_ns},
            'message_count': summary.messages,
        }],
        'custom_data': short or None,
        'ros_distro': ros_distro,
    }})


def replace_file(path: Path, text: str) -> None:
    """Write a text file atomically: a reader finds either the old text or the new one."""
    new = path.with_name(path.name + '.new')
    new.write_text(text, encoding='utf-8')
    new.replace(path)
