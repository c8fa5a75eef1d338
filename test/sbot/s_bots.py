"""A scenario of five s-bots among obstacles of each kind, with sensors, noise and a gust."""

ARENA = {'bounds': [0, 0, 3, 3], 'circles': [{'center': [2, 2], 'radius': 0.3}],
         'rectangles': [{'center': [1, 2], 'size': [0.4, 0.2], 'yaw': 0.3}],
         'segments': [[0.5, 0.5, 1.5, 0.7]],
         'polygons': [{'corners': [[2.2, 0.4], [2.8, 0.4], [2.8, 1.2], [2.5, 0.7]]}]}
S_BOTS = {'name': 's_bots', 'rate': 10, 'world': ARENA,
          'robots': [{'count': 5, 'body': 's-bot', 'controller': 'none'}],
          'sensors': {'infrared': True, 'scan_beams': 19, 'scan_range_max': 2.0,
                      'scan_noise_std': 0.01, 'odometry_noise_slip': 0.02,
                      'odometry_noise_radius': 0.01, 'laser_x': 0.02, 'laser_yaw': 0.3},
          'wind': {'wind_speed_mean': 0.05, 'wind_gust_force_mean': 0.2,
                   'wind_gust_speed_mean': 0.03, 'wind_gust_start': 0.5,
                   'wind_gust_duration': 0.6}}
