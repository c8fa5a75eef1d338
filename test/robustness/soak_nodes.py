#!/usr/bin/env python3
"""Eight robots over ROS 2 with recorder, live view and clients that come and go: what grows?

    python test/robustness/soak_nodes.py --minutes 60 --csv build/soak_nodes.csv

Samples memory, threads and open files of every process, and the size of the logs. Prints a table
of the first and last quarter of the samples (without the first tenth); exit code 1 if something
grew, a log has more than a run of a minute says, or a command did not end as it should.
"""

import argparse
import csv
import random
import signal
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

SBOT = [sys.executable, '-m', 'sbot.cli']
HEAD = """\
name: soak
rate: 20
world: {bounds: [0, 0, 20, 20], circles: [{center: [10, 10], radius: 1}]}
sensors: {infrared: true, range_and_bearing: true, scan_sees_robots: true, scan_beams: 90}
wind: {wind_speed_mean: 0.2, wake: true}
target_real_time_factor: 1
lockstep_timeout: 120
"""
ROBOT = '- {pose: [%d, %d, 0], goal: [%d, %d], controller: %s}\n'
LOUDEST = 8000  # bytes of log, however long the run is
ALLOWED = {'rss_mb': (1.02, 3.0), 'threads': (1.0, 1.5), 'fds': (1.0, 1.5)}  # factor, summand


def scenario_text(robots: int, seconds: float) -> str:
    """Robots in two rows that cross: encounters, and then a crowd at rest in the wind."""
    return HEAD + f'duration: {seconds}\nrobots:\n' + ''.join(
        ROBOT % (2 + 2 * (i % 8), 2 + 14 * (i // 8 % 2) + i % 2, 18 - 2 * (i % 8),
                 17 - 14 * (i // 8 % 2), ('potential_field', 'wind_aware')[i % 2])
        for i in range(robots))


def sample(pid: int) -> dict[str, float]:
    """Return memory, threads and open files of a process."""
    status = dict(line.split(':', 1) for line in Path(
        f'/proc/{pid}/status').read_text().splitlines() if ':' in line)
    return {'rss_mb': int(status['VmRSS'].split()[0]) / 1024, 'threads': int(status['Threads']),
            'fds': len(list(Path(f'/proc/{pid}/fd').iterdir()))}


def processes(roots: dict[str, int]) -> dict[str, int]:
    """Return the processes below some, those too, by the name of the node or of the root."""
    parents = {}
    for folder in Path('/proc').glob('[0-9]*'):
        try:
            parents[int(folder.name)] = int(
                (folder / 'stat').read_text().rpartition(')')[2].split()[1])
        except OSError:
            continue
    found = dict(roots)
    for pid, parent in parents.items():
        if parent in roots.values():
            try:
                words = Path(f'/proc/{pid}/cmdline').read_text().split('\0')
            except OSError:
                continue
            found[next((word.partition(':=')[2] for word in words
                        if word.startswith('__node:=')), f'child_{pid}')] = pid
    return found


class Clients(threading.Thread):
    """Browsers that read for a while, leave in the middle, reset, or never say a word."""

    def __init__(self, port: int, ended: threading.Event) -> None:
        super().__init__(daemon=True)
        self.port, self.ended, self.connections, self.frames = port, ended, 0, 0
        self._random = random.Random(1)
        self._silent: list[socket.socket] = []

    def run(self) -> None:
        while not self.ended.wait(self._random.uniform(0.0, 0.2)):
            try:
                self._once(self._random.choice(['page', 'leave', 'reset', 'silent', 'events',
                                                'events', 'garbage', 'half']))
            except OSError:
                continue

    def _once(self, kind: str) -> None:
        client = socket.create_connection(('127.0.0.1', self.port), timeout=5.0)
        self.connections += 1
        if kind == 'silent':
            self._silent.append(client)
            if len(self._silent) > 40:  # the server has closed it long ago
                self._silent.pop(0).close()
            return
        path = {'events': '/events', 'reset': '/events'}.get(kind, '/')
        request = f'GET {path} HTTP/1.1\r\nHost: localhost:{self.port}\r\n\r\n'.encode()
        client.sendall({'garbage': self._random.randbytes(300) + b'\r\n\r\n',
                        'half': request[:-9]}.get(kind, request))
        if kind in ('page', 'events', 'garbage'):
            end = time.monotonic() + self._random.uniform(0.1, 4.0)
            while time.monotonic() < end:
                data = client.recv(1 << 16)
                if not data:
                    break
                self.frames += data.count(b'event: frame')
                if kind == 'page' and data.rstrip().endswith(b'</html>'):
                    break
        elif kind == 'reset':
            client.recv(1000)
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
        client.close()


def grown(rows: list[dict[str, float]], name: str) -> tuple[float, float, bool]:
    """Return medians of first and last quarter of the samples, and whether the last is more."""
    values = [row[name] for row in rows[len(rows) // 10:]]
    quarter = max(1, len(values) // 4)
    first, last = statistics.median(values[:quarter]), statistics.median(values[-quarter:])
    factor, summand = ALLOWED[name]
    return first, last, last > first * factor + summand


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--minutes', type=float, default=60.0)
    parser.add_argument('--robots', type=int, default=8)
    parser.add_argument('--every', type=float, default=15.0, help='seconds between samples')
    parser.add_argument('--csv', help='file for the samples')
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix='sbot_soak_') as name:
        return soak(args, Path(name))


def soak(args: argparse.Namespace, folder: Path) -> int:
    (folder / 'soak.yaml').write_text(scenario_text(args.robots, args.minutes * 60))
    logs = {name: folder / f'{name}.log' for name in ('up', 'view')}
    commands = {'view': ['view', '--live', '--port', '0'],
                'up': ['up', str(folder / 'soak.yaml'), '--record', str(folder / 'bag')]}
    running = {}
    for name, command in commands.items():
        with logs[name].open('w') as log:
            running[name] = subprocess.Popen([*SBOT, *command], stdout=log, stderr=log)
    ended = threading.Event()
    rows: dict[str, list[dict[str, float]]] = {}
    try:
        while 'http://' not in logs['view'].read_text():
            assert running['view'].poll() is None, logs['view'].read_text()
            time.sleep(0.1)
        port = int(logs['view'].read_text().partition('localhost:')[2].partition('/')[0])
        clients = Clients(port, ended)
        clients.start()
        begin = time.monotonic()
        while running['up'].poll() is None and running['view'].poll() is None:
            for name, pid in processes({n: p.pid for n, p in running.items()}).items():
                try:
                    rows.setdefault(name, []).append(
                        {'seconds': time.monotonic() - begin, **sample(pid)})
                except (OSError, KeyError):  # it has just ended
                    continue
            ended.wait(args.every)
        took = time.monotonic() - begin
        ended.set()
        running['view'].send_signal(signal.SIGINT)
        codes = {name: process.wait(60) for name, process in running.items()}
    finally:
        ended.set()
        for process in running.values():
            process.kill()
    if args.csv:
        with open(args.csv, 'w', newline='') as file:
            writer = csv.writer(file)
            writer.writerow(['process', 'seconds', *ALLOWED])
            writer.writerows([name, *row.values()] for name, found in rows.items()
                             for row in found)
    bad = []
    print(f'{took:.0f} s, {clients.connections} connections, {clients.frames} frames, exit codes '
          f'{codes}, bag {sum(f.stat().st_size for f in (folder / "bag").iterdir()) / 1e6:.1f} MB')
    print('| process | samples | RSS (MB) | threads | open files |')
    print('| --- | --- | --- | --- | --- |')
    for name, found in sorted(rows.items()):
        if len(found) < 8:  # no node, e.g. a compiler for a moment
            continue
        cells = []
        for kind in ALLOWED:
            first, last, more = grown(found, kind)
            cells.append(f'{first:.1f} to {last:.1f}' if kind == 'rss_mb' else
                         f'{first:.0f} to {last:.0f}')
            bad += [f'{name}: {kind} grew from {first:g} to {last:g}'] if more else []
        print(f'| {name} | {len(found)} | {" | ".join(cells)} |')
    for name, log in logs.items():
        size = log.stat().st_size
        print(f'log of {name}: {size} bytes')
        if size > LOUDEST or 'Traceback' in log.read_text():
            bad.append(f'log of {name}: {size} bytes: {log.read_text()[:3000]}')
    if any(codes.values()):
        bad.append(f'exit codes {codes}: {logs["up"].read_text()[-1000:]}')
    print('\n'.join(bad) or 'nothing grew')
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
