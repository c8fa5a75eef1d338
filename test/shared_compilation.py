"""No function is compiled by two processes of tests at once: one takes it from the cache."""

import contextlib
import gc
import zlib


def compile_once() -> None:
    """Let this process and its forks wait while another one compiles the same function."""
    with contextlib.suppress(ImportError):  # not a POSIX system
        import fcntl

        from sbot_common.compiled.cache import CACHE_DIRECTORY
        from sbot_common.compiled.compiler import _OuterDispatcher
        compile_now, path = _OuterDispatcher.compile, CACHE_DIRECTORY / 'compiling.lock'

        def compile_in_turn(self: _OuterDispatcher, signature: object) -> object:
            with path.open('w') as file:
                fcntl.lockf(file, fcntl.LOCK_EX, 1, zlib.crc32(self._cache._stem().encode()))
                collecting = gc.isenabled()
                gc.disable()  # a compiler makes millions of objects
                try:
                    return compile_now(self, signature)
                finally:
                    if collecting:
                        gc.enable()

        _OuterDispatcher.compile = compile_in_turn
