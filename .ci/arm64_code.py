"""Make machine code for 64-bit ARM on another machine: `python .ci/arm64_code.py FOLDER SCRIPT`.

The script is run, with the arguments that follow. What is compiled meanwhile is also compiled for
64-bit ARM, into a folder in FOLDER, as the package may have it in `sbot_common/compiled/
machine_code`. What is in the cache already is not compiled:

    NUMBA_CACHE_DIR=$(mktemp -d) python .ci/arm64_code.py build/arm64 benchmark/machine_hashes.py

CI makes its wheels on ARM. This is for tests under QEMU (docs/elementary.md), where compilation
takes ten times as long.
"""

from __future__ import annotations

import os
import re
import runpy
import sys
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm

from sbot_common.compiled import cache, compiler
from sbot_common.compiled.cache import shipped_key

# isort: split
from numba.core.codegen import JITCPUCodegen
from numba.core.serialize import dumps

TRIPLE, LEVEL = 'aarch64-unknown-linux-gnu', 'generic'
# LLVM has put this instruction of x86 into numba's counting of references; 4: is it zero now?
_SUBTRACT = 'llvm.x86.atomic.sub.cc.i64'
_OWN_SUBTRACT = """define internal i8 @own_atomic_subtract(ptr %p, i64 %v, i32 %cc) alwaysinline {
 %before = atomicrmw sub ptr %p, i64 %v seq_cst
 %is_zero = icmp eq i64 %before, %v
 %result = zext i1 %is_zero to i8
 ret i8 %result
}"""


def portable(text: str) -> str:
    """Return LLVM's intermediate code without instructions of x86."""
    text = re.sub(rf'declare i8 @{re.escape(_SUBTRACT)}.*', _OWN_SUBTRACT, text)
    text = text.replace(_SUBTRACT, 'own_atomic_subtract')
    conditions = set(re.findall(r'call i8 @own_atomic_subtract\(.*, i32 (\d+)\)', text))
    assert conditions <= {'4'}, conditions
    assert 'llvm.x86' not in text, re.findall(r'llvm\.x86[\w.]*', text)
    return text


class Arm64:
    """A compiler of modules for 64-bit ARM, with numba's passes."""

    def __init__(self) -> None:
        llvm.initialize_all_targets()
        llvm.initialize_all_asmprinters()
        self._machine = llvm.Target.from_triple(TRIPLE).create_target_machine(
            cpu=LEVEL, features='', opt=3, reloc='default', codemodel='jitdefault', jit=True)
        passes = object.__new__(JITCPUCodegen)  # without an engine to execute code
        passes._tm = self._machine
        self._passes: Any = passes

    def compile(self, bitcode: bytes) -> tuple[bytes, bytes]:
        """Return the object file and the optimised bitcode of a module."""
        module = llvm.parse_assembly(portable(str(llvm.parse_bitcode(bitcode))))
        module.triple, module.data_layout = TRIPLE, str(self._machine.target_data)
        manager, builder = self._passes._module_pass_manager()  # as compiler.OuterLibrary does
        manager.run(module, builder)
        return self._machine.emit_object(module), module.as_bitcode()


def compile_for_arm64_too(folder: Path) -> None:
    """Let this process keep both kinds of machine code of what it compiles."""
    os.cpu_count = lambda: 1  # all in this process
    target = folder / shipped_key(LEVEL, TRIPLE)
    target.mkdir(parents=True, exist_ok=True)
    arm64, optimise = Arm64(), compiler.OuterLibrary._optimize_final_module
    save = cache.CodeCache.save_overload

    def remember(self: Any) -> None:  # noqa: ANN401 - of numba
        self.not_optimised = self._final_module.as_bitcode()
        optimise(self)

    def save_both(self: Any, sig: Any, data: Any) -> None:  # noqa: ANN401 - of numba
        save(self, sig, data)
        if data.lifted or data.library.has_dynamic_globals:
            return
        (name, kind, _), *rest = data._reduce()
        parts = ((name, kind, arm64.compile(data.library.not_optimised)), *rest)
        cache._write(target / self._name(sig), dumps(parts))
    compiler.OuterLibrary._optimize_final_module = remember
    cache.CodeCache.save_overload = save_both


if __name__ == '__main__':
    compile_for_arm64_too(Path(sys.argv[1]).absolute())
    sys.argv = sys.argv[2:]
    sys.path.insert(0, str(Path(sys.argv[0]).absolute().parent))
    runpy.run_path(sys.argv[0], run_name='__main__')
