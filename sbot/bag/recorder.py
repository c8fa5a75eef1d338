# SPDX-License-Identifier: Apache-2.0
"""Record a rosbag2 directory (MCAP) that stays readable after a crash.

What was written is in the file within a second of wall time, whether or not more is written: a
thread closes a chunk twice a second, compresses and appends it. `write` itself only copies bytes.
"""

from __future__ import annotations

import shutil
import threading
import time
from collections import deque
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType

import zstandard
from mcap.records import Metadata

from sbot.bag.writer import DISTRIBUTION, Catalogue, Chunk, McapFile
from sbot_common.errors import InputError, real_path
from sbot_common.topics import Topic

METADATA_NAME = 'potential_field_bot'  # of the MCAP metadata record
END_NAME = 'potential_field_bot end'  # of another, only in bags of runs that were cut short
CUT_SHORT = 'cut_short'  # its key, also in metadata.yaml
_FLUSH_PERIOD = 0.5  # s of wall time: nothing waits for longer than twice this
_SYNC_PERIOD = 5.0  # s of wall time between fsyncs, and between counts in metadata.yaml
_CHUNK_SIZE = 1 << 20  # bytes before compression
_QUEUE_LENGTH = 4  # chunks that may wait for the disk before `write` waits


class RecorderError(RuntimeError):
    """The recording cannot continue; the bag contains everything written before. One line."""


class Recorder:
    """Records messages given as bytes into a new directory; a context manager.

    Parameters
    ----------
    directory : the bag to make, e.g. 'runs/first'; its file is 'runs/first/first_0.mcap'
    metadata : strings kept in the bag before any message, e.g. scenario, seed, version
    ros_distro : ROS 2 distribution of the nodes that run
    keep_empty : keep the bag if it has no message

    Raises
    ------
    InputError
        if the directory exists or cannot be made.

    """

    def __init__(self, directory: str | Path, *, metadata: Mapping[str, str],
                 ros_distro: str = DISTRIBUTION, keep_empty: bool = False) -> None:
        self.directory = Path(directory)
        self._metadata = dict(metadata)
        self._ros_distro = ros_distro
        self._keep_empty = keep_empty
        self._end: dict[str, str] = {}
        self._catalogue = Catalogue()
        self._chunk_indexes: list[bytes] = []
        self._synced = time.monotonic()
        self._described = 0  # topics in metadata.yaml
        self._compressor = zstandard.ZstdCompressor(level=1)
        self._begin()
        self._changed = threading.Condition()
        self._open = Chunk()
        self._queue: deque[Chunk] = deque()
        self._closing = False
        self._error: RecorderError | None = None
        self._reported = False
        self._thread = threading.Thread(target=self._work, name='recorder', daemon=True)
        self._thread.start()

    def _begin(self) -> None:
        """Make the folder with an empty bag."""
        try:
            self.path = self.directory / f'{real_path(self.directory).name}_0.mcap'
            self.directory.mkdir(parents=True)
        except FileExistsError:
            raise InputError(f'{self.directory}: exists already, and a recording is never '
                             'overwritten; give another name, or remove it first') from None
        except (OSError, ValueError) as error:  # ValueError: a zero byte
            reason = getattr(error, 'strerror', error)
            raise InputError(f'{self.directory}: cannot make the bag: {reason}') from None
        try:
            self._file = McapFile(self.path, Metadata(METADATA_NAME, self._metadata))
            self._write_metadata()
        except OSError as error:
            shutil.rmtree(self.directory, ignore_errors=True)
            raise InputError(f'{self.path}: cannot write the bag: {error.strerror}') from None

    def write(self, name: str, topic: Topic, stamp_ns: int, payload: bytes) -> None:
        """Record one message; may be called from several threads.

        Parameters
        ----------
        name : absolute topic name, e.g. '/robot_0/cmd_vel'
        topic : its type and whether it is latched
        stamp_ns : log time and publish time (ns)
        payload : the message in CDR

        Raises
        ------
        RecorderError
            if an earlier message could not be written (the disk is full, ...).

        """
        with self._changed:
            if self._error is not None:
                self._reported = True
                raise self._error
            if self._closing:
                raise RecorderError(f'{self.directory}: the bag is closed')
            entry = self._catalogue.entry(name, topic, self._open)
            self._open.add_message(entry.number, entry.messages, stamp_ns, payload)
            entry.messages += 1
            if len(self._open.records) >= _CHUNK_SIZE:
                self._seal()
                while len(self._queue) >= _QUEUE_LENGTH and self._error is None:
                    self._changed.wait()

    def close(self) -> None:
        """Write the remaining messages and the index; a second call does nothing.

        A bag without a message is removed, so that its name is free again, unless ``keep_empty``.

        Raises
        ------
        RecorderError
            if that fails, or an earlier failure was not reported yet; the bag is readable.

        """
        if self._closing:
            return
        with self._changed:
            self._seal()
            self._closing = True
            self._changed.notify_all()
        self._thread.join()
        try:
            if self._error is None:
                self._finish()
        except OSError as error:
            self._fail(error)
        finally:
            self._file.close()
        if not len(self._catalogue) and not self._keep_empty:
            shutil.rmtree(self.directory, ignore_errors=True)
        if self._error is not None and not self._reported:
            self._reported = True
            raise self._error

    def cut_short(self, where: str) -> None:
        """Note that the run did not come to its end, e.g. 'at tick 50 of 450'; then ``close``."""
        self._end[CUT_SHORT] = ' '.join(where.split())[:150]

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        try:
            self.close()
        except RecorderError:
            if error is None:  # else the first error is raised
                raise

    def _seal(self) -> None:
        """Hand the open chunk to the thread; the lock is held."""
        if self._open.records:
            self._queue.append(self._open)
            self._open = Chunk()
            self._changed.notify_all()

    def _work(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._queue or self._closing, _FLUSH_PERIOD)
                if not self._queue:
                    self._seal()
                if not self._queue and self._closing:
                    return
                chunk = self._queue[0] if self._queue else None
            if chunk is not None:
                try:
                    if self._error is None:
                        self._store(chunk)
                except OSError as error:
                    self._fail(error)
                with self._changed:
                    self._queue.popleft()
                    self._changed.notify_all()

    def _store(self, chunk: Chunk) -> None:
        self._catalogue.count(chunk)
        now = time.monotonic()
        is_due = now - self._synced >= _SYNC_PERIOD
        # Readers find only topics that metadata.yaml names: so it comes first, and one that is
        # killed in between, or finds no space, has named a few messages that are not there.
        if is_due or len(self._catalogue) > self._described:
            self._write_metadata()
        self._chunk_indexes.append(self._file.write(chunk, self._compressor))
        if is_due:
            self._file.sync()
            self._synced = now

    def _fail(self, error: OSError) -> None:
        with self._changed:
            self._error = RecorderError(
                f'{self.directory}: recording stopped: {error.strerror or error}; the bag is '
                'readable and holds what was written before the last second')
            self._changed.notify_all()

    def _write_metadata(self) -> None:
        self._described = self._catalogue.describe(
            self.path, {**self._metadata, **self._end}, self._ros_distro)

    def _finish(self) -> None:
        indexes = [self._file.metadata_index]
        if self._end:
            indexes.append(self._file.add_metadata(Metadata(END_NAME, self._end)))
        self._file.finish(self._catalogue.index(self._chunk_indexes, indexes))
        self._write_metadata()
