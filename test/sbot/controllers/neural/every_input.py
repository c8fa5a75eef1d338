"""A scene with every input: sensors with noise, walls, wind with wakes, robots that meet."""

from sbot.controllers.neural.inputs import NAMES

TICKS = 60
ALL = tuple('scan:7' if name == 'scan' else name for name in NAMES)


def sensing(controller, parameter, file, ticks=TICKS):
    """Return the text of a scenario of three s-bots, whose controllers have a file each."""
    return f"""
rate: 20
duration: {ticks / 20}
world: {{bounds: [0, 0, 1.6, 1.4], circles: [{{center: [0.8, 0.7], radius: 0.12}}]}}
robots:
  - {{body: s-bot, pose: [0.3, 0.3, 0.5], goal: [1.4, 1.2], controller: '{controller}'}}
  - {{body: s-bot, pose: [0.5, 0.35, 2.5], goal: [0.2, 1.2], controller: '{controller}'}}
  - {{body: s-bot, pose: [1.3, 1.1, -2.0], goal: [0.3, 0.2], controller: '{controller}'}}
controllers: {{'{controller}': {{{parameter}: {file}}}}}
sensors: {{infrared: true, infrared_noise: 0.1, range_and_bearing: true, scan_beams: 24,
          scan_range_max: 1.5, scan_noise_std: 0.01}}
wind: {{wind_speed_mean: 0.02, wake: true}}
"""
