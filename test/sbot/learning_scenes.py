"""Small scenes for environments."""

SBOTS = {'rate': 10, 'world': {'bounds': [0, 0, 1.2, 1.2]},
         'robots': [{'body': 's-bot', 'count': 4, 'controller': 'none'}],
         'sensors': {'infrared': True, 'infrared_noise': 0.1, 'scan_beams': 1}}
NEAR = {'rate': 10, 'world': {'bounds': [0, 0, 12, 6]},
        'robots': [{'pose': [2, 3, 0], 'goal': [6, 3]}],
        'wind': {'wind_direction': [0, 1, 0], 'wind_speed_mean': 0.1}}
PAIR = {**NEAR, 'robots': [{'pose': [2, 2, 0], 'goal': [6, 3]}, {'pose': [2, 4, 0]}]}
