"""Send a signal at each line of some files in turn, in a forked process; print bad endings.

    python test/robustness/any_line.py WHAT

An ending is bad if it has another exit code than it should, or has more on stderr than
its own line.
"""

import os
import signal
import sys
import tempfile
import types

sys.path.insert(0, os.path.join(os.path.dirname(__file__), *2 * ['..']))
MOST = 2000  # lines; then the script ends


def _node() -> int:
    from sbot.ros import executables
    sys.modules['quiet_node'] = module = types.ModuleType('quiet_node')
    module.main = lambda argv: 0
    return executables.run('quiet_node', [])


def _command() -> int:
    from sbot.cli import main
    return main.main()


# What to run, files, its exit codes (after a signal that came in time, and too late), its lines.
WHATS = {
    'node': (_node, ('sbot/ros/executables.py', 'signals/interrupts.py'), {0}, {''}),
    'command': (_command, ('sbot/cli/main.py', 'signals/interrupts.py'), {0, 1},
                {'', 'sbot: interrupted\n'}),
}


def trace_until(nth: int, files: tuple[str, ...]) -> list[int]:
    """Trace this process; send it a SIGINT at the nth line once it has a handler for it."""
    seen = [0]

    def trace(frame, event, argument):
        if not frame.f_code.co_filename.endswith(files):
            return None
        if event == 'line' and signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
            seen[0] += 1
            if seen[0] == nth:
                os.kill(os.getpid(), signal.SIGINT)
        return trace
    sys.settrace(trace)
    return seen


def ending(what: str, nth: int) -> tuple[int, str, bool]:
    """Return exit code, text, and whether there was an nth line."""
    run, files, _, _ = WHATS[what]
    with tempfile.TemporaryFile() as log:
        reached, tell = os.pipe()
        pid = os.fork()
        if not pid:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            os.dup2(log.fileno(), 2)
            seen = trace_until(nth, files)
            code = 70
            try:
                code = run()
            except BaseException:
                sys.excepthook(*sys.exc_info())
            sys.settrace(None)
            os.write(tell, b'y' if seen[0] >= nth else b'n')
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
        os.close(tell)
        _, status = os.waitpid(pid, 0)
        was_there = os.read(reached, 1) != b'n'
        os.close(reached)
        log.seek(0)
        return os.waitstatus_to_exitcode(status), log.read().decode(), was_there


def main() -> int:
    """Print bad endings and the number of lines; return 1 after a bad one."""
    what = sys.argv[1]
    sys.argv[1:] = ['list'] if what == 'command' else []
    _, _, codes, texts = WHATS[what]
    ending(what, MOST)  # imports, in a process of its own
    bad, nth = 0, 1
    while nth < MOST:
        code, text, was_there = ending(what, nth)
        if not was_there:
            break
        if code not in codes or text not in texts:
            bad += 1
            print(f'line {nth}: exit code {code}: {text}')
        nth += 1
    print(f'{nth - 1} lines, {bad} bad')
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
