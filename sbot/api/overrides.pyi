# SPDX-License-Identifier: Apache-2.0
"""Types of the keys of a scenario, for editors; docs/make_overrides.py makes them.

There is no such module at run time. A group may also be any other mapping: a scenario is checked
when it is loaded.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict

from numpy.typing import NDArray

Numbers = Sequence[float] | NDArray[Any]
Points = Sequence[Sequence[float]] | NDArray[Any]

class Circle(TypedDict, total=False):
    """A round obstacle."""

    center: Numbers
    """Centre."""
    radius: float
    """Radius."""

class Rectangle(TypedDict, total=False):
    """A solid rectangle, turned by ``yaw`` about its centre."""

    center: Numbers
    """Centre."""
    size: Numbers
    """Width along its own x axis, height along its own y axis."""
    yaw: float
    """Direction of its own x axis, counter-clockwise."""

class Polygon(TypedDict, total=False):
    """A solid polygon, convex or not."""

    corners: Points
    """Its corners in order, in either direction. An edge joins the last to the first."""

class MovingObstacle(TypedDict, total=False):
    """A round obstacle that goes along a path."""

    radius: float
    """Radius."""
    path: Points
    """The path of its centre, in straight lines. It starts at the first point."""
    speed: float
    """Speed along the path."""
    at_end: Literal['turn', 'loop']
    """At the end of its path. `turn`: it returns along the path; `loop`: it moves straight to
    the first point."""

class PushableBox(TypedDict, total=False):
    """A rectangle or a disc that rests until something pushes it."""

    center: Numbers
    """Where its centre starts."""
    size: Numbers | None
    """Size of a rectangle: width along its own x axis, height along its own y axis. Give this
    or `radius`."""
    radius: float | None
    """Radius of a round box."""
    yaw: float
    """Direction of its own x axis at the start, counter-clockwise."""
    mass: float
    """Its mass. A box and the body that pushes it share an overlap by their inverse masses."""

class Zone(TypedDict, total=False):
    """A named place on the floor: drawn, and without any other effect."""

    name: str
    """Shown beside it: nest, lamp, charging station."""
    center: Numbers
    """Centre."""
    radius: float | None
    """Radius. Default: a point."""
    color: str
    """Its colour in pictures, films, the viewer and rviz."""

class World(TypedDict, total=False):
    """The arena: walls, obstacles, boxes and zones."""

    bounds: Numbers | None
    """The four outer walls. Default: the edges of the `map`; needed without a map."""
    segments: Points
    """Thin walls."""
    circles: Sequence[Circle | Mapping[str, Any]]
    """Round obstacles."""
    rectangles: Sequence[Rectangle | Mapping[str, Any]]
    """Rectangular obstacles."""
    polygons: Sequence[Polygon | Mapping[str, Any]]
    """Polygonal obstacles, convex or not."""
    moving: Sequence[MovingObstacle | Mapping[str, Any]]
    """Obstacles that move."""
    boxes: Sequence[PushableBox | Mapping[str, Any]]
    """Boxes that robots can push."""
    zones: Sequence[Zone | Mapping[str, Any]]
    """Named places on the floor, which are only shown."""
    open: bool
    """The bounds are not walls; they set the area of pictures and maps."""
    map: str | None
    """A map_server map (`map.yaml`); occupied cells are obstacles. Relative to the scenario
    file."""

class Robot(TypedDict, total=False):
    """An entry of a file's list of robots: one robot, or ``count`` robots in an area."""

    body: str
    """A shipped body (`sbot list robots`) or one of `bodies`."""
    controller: Any
    """Its controller."""
    goal: Numbers | None
    """Its goal. Robot 0 needs one if its controller is `potential_field`."""
    goal_tolerance: float | None
    """A robot that is closer to its goal than this has arrived. Default: its controller's
    tolerance; without one, the radius of the body."""
    parameters: Mapping[str, Any]
    """Parameters of its controller. They override those in `controllers`."""
    reserved: bool
    """It is in reserve, without a `pose`: in the world only from when it is
    [spawned](ros2_topics.md#robots-in-reserve). Robot 0 cannot be."""
    pose: Numbers | None
    """Where one robot starts. Needed unless `count` is given."""
    count: int | None
    """Place this many robots of this kind in `area`."""
    area: Numbers | None
    """With `count`: the collision circles start inside this area; default: the bounds of the
    world."""
    layout: Literal['random', 'grid'] | None
    """With `count`: `random` (default; free places, drawn from the seed) or `grid` (even
    rows)."""
    yaw: float | None
    """With `count`: heading of all robots; default: random, or 0 with `grid`."""
    yaw_uniform: Numbers | None
    """Headings are drawn between these two, instead of `yaw`."""
    yaw_gaussian: Numbers | None
    """Headings are drawn about this mean with this standard deviation, instead of `yaw`."""
    position_gaussian: Numbers | None
    """With `count`: positions are drawn about this mean with these standard deviations,
    instead of uniformly in `area`."""

class Sensors(TypedDict, total=False):
    """The sensors of the robots."""

    scan_beams: int
    """Number of beams of a scan."""
    scan_angle_min: float
    """Angle of the first beam, from straight ahead. [rad]"""
    scan_angle_max: float
    """Angle of the last beam; below the first for a clockwise scan. [rad]"""
    scan_range_min: float
    """A smaller distance reads -inf. [m]"""
    scan_range_max: float
    """A larger distance reads +inf. [m]"""
    scan_sees_robots: bool
    """Whether scans see the other robots."""
    scan_noise_std: float
    """Standard deviation of the noise added to each range. [m]"""
    laser_x: float
    """Position of the laser forward of the robot's origin. [m]"""
    laser_y: float
    """Position of the laser to the left of the robot's origin. [m]"""
    laser_yaw: float
    """Yaw of the laser on the robot, counter-clockwise. [rad]"""
    infrared: bool
    """Whether robots have infrared sensors."""
    infrared_table: str
    """Table from distances to readings: exponential, polynomial, as_printed, or a file of 151
    readings (0 to 15 cm, 1 mm apart)."""
    infrared_noise: float
    """Largest noise as a fraction of the reading; uniform."""
    infrared_sees_robots: bool
    """Whether infrared sees the other robots."""
    infrared_range: float
    """Range, from the rim of the body. [m]"""
    range_and_bearing: bool
    """Robots broadcast ten bytes and hear their neighbours."""
    rab_range: float
    """Largest distance between centres at which robots hear each other. [m]"""
    rab_blocked_by_walls: bool
    """Walls and obstacles block broadcasts; robots do not."""
    odometry_noise_radius: float
    """Standard deviation of the relative error of the radius of each wheel, drawn once."""
    odometry_noise_slip: float
    """Standard deviation of the measured distance of a wheel after 1 m; it grows with the
    square root of the distance. [sqrt(m)]"""
    imu: bool
    """Robots have an IMU: topic `imu`."""
    imu_noise_yaw: float
    """Standard deviation of the noise of each heading. [rad]"""
    imu_noise_turn_rate: float
    """Noise density of the turn rate: its white noise at 1 Hz. [rad/s/sqrt(Hz)]"""
    imu_noise_acceleration: float
    """Noise density of each acceleration. [m/s^2/sqrt(Hz)]"""
    imu_bias_turn_rate: float
    """Standard deviation of the bias of the turn rate, drawn once per robot. [rad/s]"""
    imu_bias_acceleration: float
    """Standard deviation of the bias of each acceleration, drawn once per robot. [m/s^2]"""
    gnss: bool
    """Robots have a GNSS receiver: topic `gnss`."""
    gnss_latitude: float
    """Latitude of the origin of `map`, on WGS 84. [deg]"""
    gnss_longitude: float
    """Longitude of the origin of `map`. [deg]"""
    gnss_altitude: float
    """Altitude of the origin of `map` above the ellipsoid. [m]"""
    gnss_noise: float
    """Standard deviation of the noise of each position, to the east and to the north. [m]"""
    gnss_noise_vertical: float
    """Standard deviation of the noise of each altitude. [m]"""

class Wind(TypedDict, total=False):
    """The wind."""

    wind_direction: Numbers
    """Direction to which mean wind and mean force blow; any length."""
    wind_gust_direction: Numbers
    """Direction to which the gust blows; any length."""
    xyz_offset: Numbers
    """Point at which forces act; must be zero, because this world has no torque. [m]"""
    wind_speed_mean: float
    """Speed of the wind, outside the grid if there is one. [m/s]"""
    wind_force_mean: float
    """Constant force along wind_direction. [N]"""
    wind_gust_duration: float
    """How long the gust lasts. [s]"""
    wind_gust_start: float
    """Simulated time at which the gust starts. [s]"""
    wind_gust_force_mean: float
    """Force of the gust. [N]"""
    use_custom_static_wind_field: bool
    """Take the wind from the grid in custom_wind_field_path."""
    custom_wind_field_path: str
    """Text file of the grid; in a scenario, relative to the scenario file."""
    wind_height: float
    """Height z at which the wind grid moves robots. [m]"""
    wind_height_above_terrain: float
    """Height above the grid's ground at which robots feel it, instead of wind_height;
    negative: not used. [m]"""
    wind_gust_speed_mean: float
    """Speed that the gust adds to the wind. [m/s]"""
    forces_with_field: bool
    """Mean force and gust force also act inside a grid, unlike in the plugin."""
    wake: bool
    """Robots upwind shelter robots downwind."""
    lateral_reach_radii: float
    """Width of the wake (one sigma) in blocker radii."""
    shadow_length_radii: float
    """Length of the ramp downwind in blocker radii."""
    upwind_gate_radii: float
    """Gap along the wind, in blocker radii, below which there is no shelter."""
    gamma_boost: float
    """Factor on the reduction; 1 changes nothing."""
    wake_fade: Literal['ramp_in', 'fade_out']
    """ramp_in: shelter grows with distance, as printed; fade_out: shelter fades with
    distance."""
    wake_boost: Literal['linear', 'power']
    """linear: clamp(gamma r); power: 1 - (1 - r)^gamma for each neighbour."""
    turbulence: Literal['none', 'place', 'robot']
    """none; place: a field that robots near each other share; robot: independent for each
    robot."""
    turbulence_speed: float
    """Standard deviation along x and along y. [m/s]"""
    turbulence_length: float
    """With place: correlation length. [m]"""
    turbulence_time: float
    """Correlation time. [s]"""
    effective_wind_function: str
    """Your own function, 'module:function', instead of (1 - r) w."""
    blocking_function: str
    """Your own function, 'module:function', instead of the reductions r by neighbours; needs
    wake."""
    drive_impulse_function: str
    """Your own function, 'module:function', instead of m v along the heading, for bodies with
    drive: impulse."""

class Knowledge(TypedDict, total=False):
    """What controllers know about poses."""

    pose_noise_std: float
    """Standard deviation of the noise of a robot's own x and y. [m]"""
    pose_yaw_noise_std: float
    """Standard deviation of the noise of its own yaw. [rad]"""
    pose_delay: float
    """Age of its own pose, in whole ticks. [s]"""
    others_noise_std: float
    """Standard deviation of the noise of other robots' x and y. [m]"""
    others_yaw_noise_std: float
    """Standard deviation of the noise of other robots' yaw. [rad]"""
    others_delay: float
    """Age of other robots' poses, in whole ticks. [s]"""
    others_range: float
    """Largest distance between centres at which other robots are known; 0: no limit. [m]"""
    others_in_sight: bool
    """Other robots are known only if no wall or obstacle is between them. Moving obstacles,
    boxes and robots do not hide them."""

class Body(TypedDict, total=False):
    """A body of your own, or changes to a shipped one."""

    like: str
    """The body whose values hold for what is left out."""
    radius: float
    """Radius of the body that lasers and infrared see. [m]"""
    collision_distance: float
    """Distance around the body that stays free. [m]"""
    wheel_distance: float
    """Distance between the two wheels. [m]"""
    wheel_radius: float
    """Radius of the wheels. [m]"""
    max_wheel_speed: float
    """Largest speed of a wheel, forwards and backwards. [rad/s]"""
    mass: float
    """Mass; only impulses and wind forces depend on it. [kg]"""
    drive: Literal['wheels', 'ackermann', 'impulse', 'omnidirectional']
    """How the robot moves: two driven wheels; driven rear wheels and steered front wheels; an
    impulse along the heading, and wheels that turn it; four Mecanum wheels."""
    wheelbase: float
    """With `ackermann` and `omnidirectional`: distance from the front to the rear wheels; 0:
    equal to `wheel_distance`. [m]"""
    max_steering_angle: float
    """With `ackermann`: largest angle of the front wheels, to the left and right. [rad]"""
    length: float
    """Length along x of a rectangular body; 0: it is round. [m]"""
    width: float
    """Width along y of a rectangular body. [m]"""
    offset: float
    """Distance from the origin (the middle of the driven axle) forward to the centre of a
    rectangular body; negative: backward. [m]"""
    max_speed: float
    """Largest speed of a command along each axis, cut before its wheels; 0: no limit. [m/s]"""
    max_angular_speed: float
    """Largest turn rate of a command, cut before its wheels; 0: no limit. [rad/s]"""
    max_acceleration: float
    """Largest acceleration of the drive along the ground; 0: no limit. [m/s^2]"""
    max_deceleration: float
    """Largest deceleration; 0: as `max_acceleration`. [m/s^2]"""
    max_angular_acceleration: float
    """Largest angular acceleration and deceleration; 0: no limit. [rad/s^2]"""
    command_delay: float
    """Time until a command reaches the motors, rounded to whole ticks. [s]"""
    sensors: Sensors | Mapping[str, Any]
    lasers: Sequence[Sensors | Mapping[str, Any]]

class Overrides(TypedDict, total=False):
    """Keys of a scenario but seed and controllers."""

    name: str
    """Shown in summaries; default, or `null`: the file name without `.yaml`."""
    description: str
    """One or two sentences for readers of the file."""
    rate: float | str
    """Ticks per second."""
    duration: float
    """Simulated time of a run."""
    until: str | None
    """Ends a run before its duration: when every robot with a goal has reached it, at the
    first collision, or when the function says so. Not over ROS."""
    lockstep: bool
    """`true`: the nodes wait for each other. `false`: they run by the wall clock."""
    lockstep_timeout: float
    """In lockstep: the run ends if a robot is silent for longer than this."""
    target_real_time_factor: float
    """Simulated seconds per second of wall time; 0: as fast as possible in lockstep, and 1
    without it."""
    cmd_vel_timeout: float
    """Free-running: a robot stops when its last `cmd_vel` is older than this (simulated time);
    0: it never stops."""
    cmd_vel_stamped: bool
    """`cmd_vel` is a TwistStamped. Default: `true` if the bodies of all robots say so, as
    TurtleBot3s do."""
    poses_topic: bool
    """All poses are also on `/poses`, where controllers read them."""
    record_topics: Sequence[str]
    """Over ROS in lockstep: topics of nodes of your own. The simulator waits for these nodes,
    and recordings hold the topics."""
    tf_namespaced: bool
    """Several robots publish transforms on `/robot_<i>/tf` with plain frame names, for
    Nav2."""
    python_path: Sequence[str]
    """Folders with the modules of `module:Class`, relative to the scenario file."""
    world: World | Mapping[str, Any]
    """Walls and obstacles."""
    bodies: Mapping[str, Body | Mapping[str, Any]]
    """Bodies of your own, and changes to the shipped ones."""
    sensors: Sensors | Mapping[str, Any]
    """The sensors of the robots."""
    knowledge: Knowledge | Mapping[str, Any]
    """What controllers know about poses; default: all poses, exactly."""
    wind: Wind | Mapping[str, Any]
    """The wind; default: none."""
    robots: Sequence[Robot | Mapping[str, Any]]
    """The robots. The first one, robot 0, is the leader."""

class SeededOverrides(Overrides, total=False):
    """Keys of a scenario but controllers."""

    seed: int | None
    """Seed of all random numbers; `null`: a seed is drawn and recorded."""

class SweepOverrides(Overrides, total=False):
    """Keys of a scenario but its seed."""

    controllers: Mapping[str, Any]
    """Parameters for all robots with that controller."""
