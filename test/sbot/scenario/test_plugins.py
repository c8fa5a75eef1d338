"""Plugins of pydantic: not looked for when a scenario is loaded, and there for other models."""

import subprocess
import sys

PLUGIN = """
class Plugin:
    def new_schema_validator(self, *_, **__):
        print('PLUGIN SEES A MODEL')
        return None, None, None
plugin = Plugin()
"""
LOAD = """
import sys, sbot
sbot.load('leader_follower')
assert 'pydantic.plugin._loader' not in sys.modules
assert 'importlib.metadata' not in sys.modules or {early}
print('LOADED')
from pydantic import BaseModel
class Own(BaseModel):
    number: int
assert Own(number=3).number == 3
"""


def test_loading_a_scenario_leaves_plugins_to_others(tmp_path):
    package = tmp_path / 'watching-1.dist-info'
    package.mkdir()
    (tmp_path / 'watching.py').write_text(PLUGIN)
    (package / 'METADATA').write_text('Metadata-Version: 2.1\nName: watching\nVersion: 1\n')
    (package / 'entry_points.txt').write_text('[pydantic]\nwatching = watching:plugin\n')
    code = (f'import sys; early = "importlib.metadata" in sys.modules\n'
            f'sys.path.insert(0, {str(tmp_path)!r})' + LOAD.format(early='early'))
    done = subprocess.run([sys.executable, '-c', code], check=False, capture_output=True,
                          text=True, timeout=240)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split('\n')[:2] == ['LOADED', 'PLUGIN SEES A MODEL']
