"""Decompress chunks, messages and files of bags (zstd, lz4) within limits.

A few kilobytes can decompress to gigabytes. So the size is limited before memory is taken.
"""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

import lz4.frame
import zstandard

from sbot.files.limits import limits, too_large
from sbot.files.temporary import TemporaryFolder
from sbot_common.errors import InputError, decoding
from sbot_common.files import open_regular

_WINDOW = 1 << 27  # bytes; what `zstd --long` uses at most by default
_PIECE = 1 << 20


def inflated(data: bytes, compression: str, where: str) -> bytes:
    """Return decompressed data of at most ``limits().file_bytes``.

    Parameters
    ----------
    data : of a chunk or a message
    compression : 'zstd', 'lz4' or '' for none
    where : what messages call it

    Raises
    ------
    InputError
        for data that are damaged, too large, or compressed in another way.

    """
    most = limits().file_bytes
    if compression == '':
        return data
    with decoding(where):
        if compression == 'zstd':
            size = zstandard.frame_content_size(data)
            if size < 0:  # its writer did not know
                with zstandard.ZstdDecompressor(max_window_size=_WINDOW).stream_reader(
                        data) as stream:
                    found: bytes = stream.read(most + 1)
            elif size <= most:
                found = zstandard.ZstdDecompressor().decompress(data)
            else:
                raise too_large(where, 'bytes when decompressed', size, 'file_bytes')
        elif compression == 'lz4':
            found = lz4.frame.LZ4FrameDecompressor().decompress(data, max_length=most + 1)
        else:
            raise ValueError(f'unknown compression {compression[:40]!r}')
    if len(found) > most:
        raise too_large(where, 'bytes or more when decompressed', len(found), 'file_bytes')
    return found


class Unpacked:
    """A temporary copy of a compressed file (zstd), deleted with this object.

    Attributes
    ----------
    path : of the copy
    damage : why the rest of the file could not be decompressed, else ''

    Raises
    ------
    InputError
        if it holds more than ``limits().run_bytes`` or than the disk has space for.

    """

    def __init__(self, path: Path) -> None:
        self._folder = TemporaryFolder('bag')
        self.path = Path(self._folder.name) / path.stem
        self.damage = ''
        try:
            with open_regular(path) as source, self.path.open('wb') as copy:
                self._copy(path, source, copy)
        except OSError as error:
            raise InputError(f'{path}: cannot be decompressed: {error.strerror}') from None

    def _copy(self, path: Path, source: BinaryIO, copy: BinaryIO) -> None:
        most = limits().run_bytes
        stream = zstandard.ZstdDecompressor(max_window_size=_WINDOW).stream_reader(
            source, read_across_frames=True)
        size = 0
        while True:
            try:
                piece = stream.read(_PIECE)
            except zstandard.ZstdError as error:
                self.damage = f'damaged after {size} decompressed bytes: {error}'
                return
            if not piece:
                return
            size += len(piece)
            if size > most:
                raise too_large(str(path), 'bytes or more when decompressed', size,
                                'run_bytes')
            copy.write(piece)
