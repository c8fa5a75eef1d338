# SPDX-License-Identifier: Apache-2.0
"""Parameters of the controller ``navigate``, and the constants of its behaviour.

Candidates that are tried, tolerances and sizes of memory are where they are used. Every constant
is in radii of the body, in seconds, a speed in shares of the largest one, or a pure number. So a
scene that is scaled as a whole (lengths and speeds) gives the scaled run.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Annotated, NamedTuple

from sbot_common.compiled.jit import njit_inner
from sbot_common.params import Param

# Memory of obstacles
SIDE = 864  # cells of the window along x, and along y
REACH = 8  # cells, the greatest distance that is told
SCAN_TIME = 0.5  # s, in which every beam has once been looked at for the memory
CLEARING = 12.0  # radii, beams clear cells up to here
HIT = 3  # evidence that a beam's end adds to a cell
PASS = 1  # evidence that a beam takes from a cell that it passes
MOST = 9  # evidence
LEAST = -4  # evidence
NEUTRAL = -1  # what a cell holds that beams told of, with no evidence left; 0: none told of it
BLIND_SIDE = 1e-3  # sine: beams that see no farther to a side leave some of what is ahead unseen
HIDDEN = 64  # cells out of view that are kept clear of, at most
UNSEEN = 2.5  # radii in which it counts which cells no beam has told of
BANNED = 100  # evidence of a cell that no beam clears
REBUILDS = 1  # obstacles forgotten in a turn, at most

# Noise of the laser
DENSE = 0.1  # radii between the ends of neighbouring beams that see one surface, at most
NOISE_STEP = 0.02  # radii by which the estimate of the noise changes in a look, at most
ENOUGH = 30  # beams; fewer change it less
LARGE_NOISE = 0.1  # radii: distances are means where the noise is larger
SURFACE = 0.4  # radii of a surface of which a distance is the mean
SAME_SURFACE = 4.0  # standard deviations between two readings of one surface, at most
DUST = 0.02  # share of beams that end alone before all that is beside them: the air holds dust.
# In clear air the mean of a second is at most 0.006 (slit, clutter, maze, office, ...); with dust
# on a tenth of the beams it is 0.07 to 0.09
DUST_GAIN = 0.1  # of a look, in the mean of that share
BESIDE_BEAM = 2  # beams to each side that may confirm one
CONFIRMED = 2  # of them must: two of 4 beams in dust agree once in 10,000

# Ways
BODY = 0.92  # radii: cells nearer to an obstacle are forbidden; a quarter of a cell is rounding
TIGHT = 20.0  # cost of a cell nearer to an obstacle than radius and margin
NEAR = 2.0  # added to the cost of 1 there, less with distance
BESIDE_GAP = 0.7  # radii along a way in which obstacles are beside it
PAUSE = 0.2  # s between two searches, at least
LATER = 1.0  # s, where the way is blocked only farther ahead than ``SOON``
SOON = 30  # points of the path
FEW_CELLS = 15_000  # that a search visits before it is tried from the other end
MOST_CELLS = 250_000  # that it visits then
LOST = 0.5  # s until a point that is not in sight is searched anew
AHEAD = 8  # points that are tried in one turn
MOVED = 10 / 3  # radii that a target may move

# Progress
PROGRESS = 1.0  # radii that a robot moves in ``STUCK``, or it is
STUCK = 4.0  # s
ALONE = 6.0  # radii: nobody else so near, who may be what it waits for

# Speeds
WHEELS = 2 / 3  # share of the wheels' speed, so that they also turn the robot
_QUICK = 20 / 3  # radii per second, the largest speed unless a parameter says otherwise
_CRUISE = 0.75  # share of the largest speed, of a robot with a goal, likewise
SLOW = 0.25  # share of the speed at which a leader goes on whose followers are lost
STILL = 0.01  # share of the largest speed, a slower drive is none
CREEPING = 0.15  # share of the largest speed: a slower robot turns as one at rest does
TURN_BEGIN = 0.5  # rad off its heading, a robot at rest begins to turn
TURN_END = 0.1  # rad
TURN_BACK = 2.5  # rad
SLIM = 0.75  # of the radius of a disc of equal area: a narrower body counts as a rectangle.
# BARN's robot (0.82) passes as a disc, one of 1.0 m x 0.5 m (0.63) touched in gaps of 0.9 m
BACKS = 0.25  # share of the largest speed at which a car or a slim body backs
CAR_TURNED = 0.5  # rad off its way, a car need not back to turn
SMOOTH = 0.2  # s, over which a slow robot that is alone takes the mean of what it wants
DEAD_ZONE = 0.065  # rad off its way, a robot that drives alone does not turn; half among others
RISE = 0.1  # s, time constant of a faster speed in the commands
FALL = 0.05  # s, likewise of a slower one, and of turns
START = 0.4  # s from rest to the largest speed, at least
SETTLE = 1.2  # s from a slow robot's turn to one to the other side
WHEEL = 2.0  # 1/s, at least, of the damper's reach
TURNING = 0.4  # s, until the robot heads against the wind
SPARE = 0.75  # share of the margin that is left to turn in, before the robot stops
LEAST_MARGIN = 0.03  # radii, of the margin in a passage too narrow for the whole one
RATE = 30.0  # 1/s, turns for which ``drift_weight`` holds

# Followers
BESIDE = 10 / 3  # radii, a follower no farther from the trail follows it
LOOKAHEAD = 5  # points of the trail
TRAIL_STEP = 2 / 3  # radii between them
LONGEST_TRAIL = 256  # points that are remembered

# Encounters
SIGHT = 20.0  # radii, robots farther away are left out
NEAREST = 1e-3  # s, contacts are never sooner
WEIGHT = 5.0  # radii, of 1/time against a change of the velocity
BEHIND_WALLS = 1.5  # share of the largest speed, added for a velocity towards a wall
SLOWEST = 0.2  # share of the largest speed, of candidates, so that a robot at rest can give way
LOOK = 1.0  # s, walls are looked for
AT_REST = 0.05  # share of the largest speed: a slower robot takes no part in avoiding
REST = 1.3  # factor of the penalty for standing still: two robots that wait for each other stay
KEEP = 0.6  # share of a change against the last choice that counts as a change
HEADING_ROOM = 6.0  # radii, likewise, for one that heads for it
HEADING_COSINE = 0.8  # cosine
PERSONAL = 4.0  # radii between centres that a robot at its goal keeps, where it can
PARKED = 20.0  # s for which a robot has stood: then it is an obstacle of the map
HOME = 10 / 3  # radii, a robot so near to its goal makes room for others

# Obstacles that move
FEWEST = 3  # beams that see an object
GAP = 1.5  # radii between neighbouring readings: another object begins
NOTCH = 0.25  # radii by which readings rise and fall where one disc hides a part of another
LARGEST = 3.0  # radii: a larger object is no disc
GATE = 2.0  # radii between an object and where it was expected
MOVES = 1.0  # radii from where it was ``ANCHOR`` ago: it moves
ANCHOR = 2.0  # s
KNOWN = 0.7  # share of an object where obstacles were known: one that moves has less
KNOWN_GAIN = 0.3  # of a look, in the mean of that share
PLACE_GAIN = 0.5  # of the alpha-beta filter, a look
SPEED_GAIN = 0.2
SWERVE = 0.3  # radii between a moving object and where it was expected: it goes another way
DAMPING = 0.1  # of the fit to a part of an object, a beam
LEAP = 1.0  # radii between that fit and where it was expected: it is of something else
SPACE = 1.5  # margins that are left to one that moves
WELL_IN_VIEW = 0.5  # cosine off the heading, or that of the edge of a narrower view
MISSING = 0.5  # s for which an object in front is not seen until it is forgotten
FORGET = 6.0  # s, likewise of one that is not in front

# Evasion of obstacles that move
EVASION = 2.0  # s that are tried ahead
EVASION_STEPS = 10  # in that time
GROWTH = 2.0  # radii per second by which one is near sooner than it touches: it may turn
TOUCHES = 4.0  # cost of a touch at the end of that time; twice that now
HITS_WALL = 4.0  # likewise of a wall
IS_NEAR = 1.0  # likewise; the farthest that a robot can get along its way costs -1
TURNS = 0.6  # cost of an arc that ends half round

# Passages
LANES = 5.0  # radii of width in which two robots pass if each keeps to its side
LANE_AHEAD = 3.0  # radii ahead on its lane, a robot heads for
ABREAST = 12.0  # radii of width in which robots pass each other without lanes
FORESIGHT = 14.0  # radii ahead in which passages are looked for
PASSAGE = 40.0  # radii, the longest passage that is seen
MEETING = 14.0  # radii beyond a passage's end in which others count
BEND = 0.4  # radii: behind where a straight line comes nearer to a wall, another passage begins
ASIDE = 2.0  # radii off a passage's axis: beside it
LOOK_TIME = 0.1  # s between two looks for passages
CLEAR_TIME = 0.4  # s for which a passage is free before one that waits goes on
YIELD_TIME = 4.0  # s for which an empty passage is left to those who are nearer


class Parameters(NamedTuple):
    """Parameters of ``navigate``; compiled functions accept it whole, after ``resolved``."""

    forward_speed_mps: Annotated[float, Param(
        'm/s', 'Largest forward speed of a command; 0: 2/3 of that of the wheels, at most 20/3 '
        'radii per second.', minimum=0.0)] = 0.0
    rotate_speed_radps: Annotated[float, Param(
        'rad/s', 'Largest turning speed of a command.', minimum=0.0)] = math.pi
    cruise_speed_mps: Annotated[float, Param(
        'm/s', 'Largest speed over ground of a robot with a goal; below `forward_speed_mps`, so '
        'that followers can catch up; 0: 3/4 of the default of `forward_speed_mps`.',
        minimum=0.0)] = 0.0
    goal_tolerance: Annotated[float, Param(
        'm', 'A robot at most this far from its goal has arrived; 0: the radius of '
        'its body.', minimum=0.0)] = 0.0
    position_gain: Annotated[float, Param(
        '1/s', 'Speed per metre of distance, near the target.', minimum=0.0)] = 1.2
    turn_gain: Annotated[float, Param(
        '1/s', 'Turn rate per radian of heading error.', minimum=0.0)] = 8.0
    drift_weight: Annotated[float, Param(
        '', 'Weight of the newest measurement in the moving average of the drift by the wind, at '
        '30 turns per second; in proportion at other rates.', minimum=0.0, maximum=1.0)] = 0.2
    robot_radius_m: Annotated[float, Param(
        'm', "Radius of every robot; 0: the robot's own radius plus collision_distance; a "
        'rectangle has the radius of a disc of equal area.', minimum=0.0)] = 0.0
    margin_m: Annotated[float, Param(
        'm', 'Distance kept from obstacles, in addition to the radius; 0: 0.4 radii.',
        minimum=0.0)] = 0.0
    clearance_m: Annotated[float, Param(
        'm', 'Paths nearer to obstacles than this (from the centre) count as longer; at most '
        'eight cells; 0: eight cells.', minimum=0.0)] = 0.0
    cell_m: Annotated[float, Param(
        'm', 'Side of the cells in which obstacles are remembered; 0: 0.4 radii.',
        minimum=0.0)] = 0.0
    damper_gain: Annotated[float, Param(
        '1/s', 'Largest speed of approach per metre of free distance.', minimum=0.0)] = 3.0
    horizon_s: Annotated[float, Param(
        's', 'How far ahead in time encounters with other robots are predicted.', minimum=0.0,
        open_minimum=True)] = 2.5
    spacing_m: Annotated[float, Param(
        'm', "Distance between neighbouring places of the followers' formation; 0: 13/3 radii.",
        minimum=0.0)] = 0.0
    far_distance_m: Annotated[float, Param(
        'm', 'The leader slows down for a follower that is farther away than this; 0: 40/3 '
        'radii.', minimum=0.0)] = 0.0
    map: Annotated[bool, Param(
        '', 'The robot knows the fixed obstacles of the world from the start; else it knows what '
        'its laser has seen.', at_runtime=False)] = False

    def contradictions(self) -> Iterator[tuple[str, object, str]]:
        """Yield a clearance that the memory of obstacles cannot tell, if that needs no body."""
        if self.cell_m or self.robot_radius_m:
            yield from unknown_clearance(resolved(self))


def unknown_clearance(p: Parameters) -> Iterator[tuple[str, object, str]]:
    """Yield the clearance of ``resolved`` parameters if it is larger than ``REACH`` cells."""
    if p.clearance_m > REACH * p.cell_m:
        yield ('clearance_m', p.clearance_m, f'at most eight times cell_m ({p.cell_m:g})')


class Inertia(NamedTuple):
    """How slowly a body follows its commands; inf: no limit."""

    acceleration: float = math.inf  # m/s^2
    deceleration: float = math.inf
    angular: float = math.inf  # rad/s^2, of both
    delay: float = 0.0  # s


class Car(NamedTuple):
    """How a body steers."""

    curvature: float = 0.0  # 1/m, of its narrowest curve; 0: it turns on the spot
    middle: float = 0.0  # m, of the body ahead of the rear axle


class Outline(NamedTuple):
    """How far (m) a slim body reaches from the point about which it turns; 0: it is a disc."""

    front: float = 0.0
    rear: float = 0.0
    side: float = 0.0


class Size(NamedTuple):
    """A robot's body, as far as the controller depends on it."""

    radius: float  # m, with what the body keeps free around it
    speed: float  # m/s, of the wheels
    inertia: Inertia = Inertia()
    car: Car = Car()
    outline: Outline = Outline()


STANDARD = Size(0.3, 3.0)  # of the body `robot`


def resolved(p: Parameters, size: Size = STANDARD) -> Parameters:
    """Return the parameters with lengths and speeds of 0 replaced by those that fit a body."""
    radius = p.robot_radius_m or size.radius
    cell = p.cell_m or 0.4 * radius
    quick = _QUICK * size.radius
    # A body whose wheels do not turn stays where it is, whatever it is told.
    speed = min(WHEELS * size.speed or quick, quick)
    cruise, late = p.cruise_speed_mps or _CRUISE * speed, math.e * size.inertia.delay
    # A speed in proportion to a distance is reached in time where the speed over the gain is no
    # more than the deceleration; with dead time a loop does not swing up to a gain of 1/(e delay).
    brakes = cruise / size.inertia.deceleration + late
    turns = p.rotate_speed_radps / size.inertia.angular + late
    return p._replace(
        robot_radius_m=radius, forward_speed_mps=p.forward_speed_mps or speed,
        cruise_speed_mps=cruise, position_gain=_slower(p.position_gain, brakes),
        damper_gain=_slower(p.damper_gain, brakes), turn_gain=_slower(p.turn_gain, turns),
        goal_tolerance=p.goal_tolerance or size.radius, cell_m=cell,
        margin_m=p.margin_m or 0.4 * radius,
        clearance_m=p.clearance_m or REACH * cell,
        spacing_m=p.spacing_m or 13 * radius / 3,
        far_distance_m=p.far_distance_m or 40 * radius / 3)


def beside_walls(p: Parameters, outline: Outline) -> Parameters:
    """Return the parameters with which a body passes walls: a slim one is as wide as its side."""
    if outline.side == 0.0:
        return p
    return p._replace(robot_radius_m=outline.side)


def _slower(gain: float, lag: float) -> float:
    """Return a gain (1/s) that fits a body which follows its commands with a lag (s)."""
    return min(gain, 1.0 / lag) if lag > 0.0 else gain


@njit_inner
def bounded(p: Parameters, omega: float) -> float:
    """Return a turn (rad/s) that a command may have."""
    return min(p.rotate_speed_radps, max(-p.rotate_speed_radps, omega))
