"""Fast2D for C: the document's example through the shared library."""

import math
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from sbot_sim.fast2d import Fast2D, shared_library

HERE = Path(__file__).parent
REASON = shared_library._missing()


def expected_lines():
    """Play the example in Python; return the numbers that the C program prints."""
    with Fast2D() as engine:
        solid = engine.create_solid()
        engine.object_set_bounding_rectangle(solid, [-0.1, 0.1, 0.1, -0.1], [-0.1, -0.1, 0.1, 0.1])
        engine.object_set_position(solid, 0.177532, 0.209856)
        engine.object_set_angle(solid, -0.785398)
        engine.add_object(solid)
        robot = engine.create_robot()
        engine.object_set_bounding_radius(robot, 0.0285)
        engine.object_set_position(robot, -0.150197, 0.01018)
        engine.object_set_angle(robot, 4.85101)
        engine.add_object(robot)
        sensor = engine.create_irsensor(robot, -0.0245, -0.012, -3.0543, 0.05, 0.5, 1, [1.0])
        lines = [[engine.sensor_get_activation(sensor)]]
        engine.robot_set_speed(robot, 0.1, 0.05)
        engine.robot_set_angular_speed(robot, 0.5)
        for _ in range(60):
            engine.step(0.064)
            lines.append([*engine.object_get_transform(robot),
                          engine.sensor_get_activation(sensor)])
    return lines


@pytest.mark.skipif(REASON is not None, reason=str(REASON))
def test_a_c_program_plays_the_example_to_the_bit(tmp_path):
    library = shared_library._build(tmp_path / 'with space')
    program = tmp_path / 'example'
    subprocess.run([shutil.which('cc') or 'gcc', '-Wall', '-Werror', f'-I{shared_library.INCLUDE}',
                    str(HERE / 'example.c'), '-o', str(program), '-ldl'], check=True)
    # A host knows nothing of our environment: no variables, another directory.
    environment = {name: value for name, value in os.environ.items()
                   if name in ('HOME', 'NUMBA_CACHE_DIR', 'XDG_CACHE_HOME', 'PYTHONPATH')}
    done = subprocess.run([str(program), str(library)], cwd=tmp_path, env=environment, text=True,
                          capture_output=True, timeout=300)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[-1] == 'done'
    assert [[float(word) for word in line.split()] for line in lines[:-1]] == expected_lines()
    said = [line for line in done.stderr.splitlines() if 'compiling' not in line]
    assert len(said) == 9  # one line for each misuse
    assert all(math.isfinite(float(word)) for word in lines[-2].split())


@pytest.mark.skipif(REASON is not None, reason=str(REASON))
def test_the_header_serves_cplusplus_too(tmp_path):
    compiler = shutil.which('g++') or shutil.which('c++')
    if compiler is None:
        pytest.skip('there is no C++ compiler')
    source = tmp_path / 'host.cpp'
    source.write_text('#include <plugins/fast2d/fast2d.h>\n'
                      'int main() { return sizeof(RobotRef) == sizeof(void *) ? 0 : 1; }\n')
    subprocess.run([compiler, '-Wall', '-Werror', f'-I{shared_library.INCLUDE}', str(source), '-o',
                    str(tmp_path / 'host')], check=True)
