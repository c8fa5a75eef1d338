"""One message to publish or record, encoded."""

from __future__ import annotations

from typing import NamedTuple

from sbot_common.topics import Topic


class Outgoing(NamedTuple):
    """One message to publish or record."""

    name: str  # absolute
    topic: Topic
    payload: bytes
