"""Installs the example into a workspace, for `colcon build`."""

from setuptools import setup

NAME = 'external_node'

setup(
    name=NAME, version='1.0.0', packages=[NAME],
    data_files=[('share/ament_index/resource_index/packages', [f'resource/{NAME}']),
                (f'share/{NAME}', ['package.xml', 'scenario.yaml']),
                (f'share/{NAME}/launch', ['launch/external_node.launch.py'])],
    install_requires=['setuptools'],
    entry_points={'console_scripts': [f'avoid = {NAME}.node:main',
                                      f'estimate = {NAME}.estimate:main']})
