"""A real headless Chromium for tests, driven through its debugging pipe: no driver, no port."""

import base64
import fcntl
import io
import json
import os
import select
import shutil
import subprocess
import time

import numpy as np
from PIL import Image

CHROMIUM = next((path for name in ('chromium', 'chromium-browser', 'google-chrome')
                 if (path := shutil.which(name))), None)
_FLAGS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
          '--disable-background-networking', '--disable-component-update', '--disable-sync',
          '--hide-scrollbars', '--force-device-scale-factor=1', '--remote-debugging-pipe',
          '--disable-dev-shm-usage']  # containers have little of it, and DDS uses it, too
DEADLINE = 240.0  # s


def _far_pipe():
    near = os.pipe()
    far = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 20) for end in near]
    for end in near:
        os.close(end)
    return far


class Browser:
    """One page in a browser; a context manager."""

    def __init__(self, profile, width, height):
        read_end, self._out = _far_pipe()
        self._in, write_end = _far_pipe()
        command = [CHROMIUM, *_FLAGS, f'--user-data-dir={profile}',
                   f'--window-size={width},{height}', 'about:blank']
        # Chromium reads commands from descriptor 3 and writes answers to descriptor 4.
        self._process = subprocess.Popen(
            ['bash', '-c', f'exec "$@" 3<&{read_end} 4>&{write_end} {read_end}<&- {write_end}>&-',
             'bash', *command],
            pass_fds=(read_end, write_end), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(read_end)
        os.close(write_end)
        self._buffer = b''
        self._last = 0
        self._session = None
        self.errors = []
        target = self._first_page()
        self._session = self.call('Target.attachToTarget', targetId=target['targetId'],
                                  flatten=True)['sessionId']
        self.call('Runtime.enable')
        self.call('Page.enable')
        self.call('Emulation.setDeviceMetricsOverride', width=width, height=height,
                  deviceScaleFactor=1, mobile=False)

    def __enter__(self):
        return self

    def _first_page(self):
        end = time.monotonic() + DEADLINE
        while not (pages := [target for target in self.call('Target.getTargets')['targetInfos']
                             if target['type'] == 'page']):
            assert time.monotonic() < end, 'the browser opens no page'
            time.sleep(0.05)
        return pages[0]

    def __exit__(self, *_):
        self._process.terminate()
        try:
            self._process.wait(DEADLINE)
        finally:
            self._process.kill()
        os.close(self._out)
        os.close(self._in)

    @property
    def process_id(self):
        return self._process.pid

    def call(self, method, **parameters):
        self._last += 1
        message = {'id': self._last, 'method': method, 'params': parameters}
        if self._session:
            message['sessionId'] = self._session
        os.write(self._out, json.dumps(message).encode() + b'\0')
        while True:
            answer = self._read()
            if answer.get('method') == 'Runtime.exceptionThrown':
                self.errors.append(answer['params']['exceptionDetails'])
            if answer.get('id') == self._last:
                assert 'error' not in answer, answer
                return answer['result']

    def _read(self):
        while b'\0' not in self._buffer:
            ready, _, _ = select.select([self._in], [], [], DEADLINE)
            assert ready, f'no answer of the browser for {DEADLINE:g} s'
            piece = os.read(self._in, 1 << 20)
            assert piece, 'the browser ended'
            self._buffer += piece
        text, _, self._buffer = self._buffer.partition(b'\0')
        return json.loads(text)

    def evaluate(self, expression):
        result = self.call('Runtime.evaluate', expression=expression, returnByValue=True,
                           awaitPromise=True)
        assert 'exceptionDetails' not in result, result
        return result['result'].get('value')

    def wait_for(self, expression):
        end = time.monotonic() + DEADLINE
        while not self.evaluate(expression):
            assert time.monotonic() < end, f'never true: {expression}; {self.errors}'
            time.sleep(0.005)  # each question takes time of the page

    def open(self, url):
        """Open a page and wait until it is drawn."""
        self.call('Page.navigate', url=url)
        self.wait_for('document.documentElement?.dataset.ready === "1"'
                      ' && document.documentElement.dataset.time !== undefined')
        self.evaluate('new Promise(done => requestAnimationFrame(() => '
                      'requestAnimationFrame(done))).then(() => 0)')

    def screenshot(self):
        data = self.call('Page.captureScreenshot', format='png')['data']
        return np.asarray(Image.open(io.BytesIO(base64.b64decode(data))).convert('RGB'))
