"""Document 001's own C++: listings put together, compiled, and called with numbers.

The document is a literate program: a listing has a name, is continued by `+=` and is quoted in
others as `{Name, section}`. Nothing of it is kept here; whoever has the documents names their
folder in the environment variable POTENTIAL_FIELD_BOT_DOCUMENTS.
"""

import ctypes
import os
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
from elementary_header import header, set_functions

VARIABLE = 'POTENTIAL_FIELD_BOT_DOCUMENTS'
ROOT = 'src/potential_field.cpp'
TITLE = re.compile(r'\{([^{},]+) \d+\}(?: \+=)?\s*$')
QUOTE = re.compile(r'^\s*\{([^{},]+), \d+\}\s*$')
FLAGS = ['-std=gnu++98', '-ftrivial-auto-var-init=zero', '-ffp-contract=off', '-O2', '-w', '-fPIC',
         '-shared']

# Just enough of ROS 1, tf and boost for the listings to compile; `ok` counts turns.
STUBS = {
    'ros/ros.h': r"""
#pragma once
#include <algorithm>
#include <cstdlib>
#include <cstdio>
#include <cmath>
#include <exception>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>
extern double draws[8];
extern int next_draw;
extern int turns_left;
extern char info[4096];
inline double draw() { return draws[next_draw++]; }
#undef RAND_MAX
#define RAND_MAX 1.0
#define rand() draw()
#define ROS_INFO(...) snprintf(info, sizeof info, __VA_ARGS__)
#define ROS_FATAL_STREAM(x) do { std::cerr << x << std::endl; } while (0)
namespace boost {
template <class T> T lexical_cast(int i) { std::ostringstream s; s << i; return s.str(); }
template <class T> T lexical_cast(const char* t) {
  std::istringstream s(t); T v; s >> v; if (!s) throw std::exception(); return v; }
}
template <class T> struct Pointer {
  const T* p; Pointer() : p(0) {} Pointer(const T* q) : p(q) {}
  const T* operator->() const { return p; } const T& operator*() const { return *p; } };
namespace ros {
struct Time { double s; Time() : s(0) {} Time(double t) : s(t) {}
  bool operator==(const Time& o) const { return s == o.s; } };
struct Publisher { template <class M> void publish(const M&); };
struct Subscriber {};
struct NodeHandle {
  NodeHandle() {} NodeHandle(const std::string&) {}
  template <class M> Publisher advertise(const char*, int) { return Publisher(); }
  template <class F, class O> Subscriber subscribe(const std::string&, int, F, O) {
    return Subscriber(); } };
struct Rate { Rate(double) {} void sleep() {} };
inline bool ok() { return turns_left-- > 0; }
inline void spinOnce() {}
inline void init(int, char**, const std::string&) {}
}
""",
    'ros/console.h': '',
    'nav_msgs/Odometry.h': r"""
#pragma once
namespace nav_msgs { struct Odometry {
  typedef Pointer<Odometry> ConstPtr;
  struct { ros::Time stamp; } header;
  struct { struct {
    struct { double x, y, z; } position; struct { double x, y, z, w; } orientation; }
    pose; } pose; }; }
""",
    'geometry_msgs/Twist.h': r"""
#pragma once
namespace geometry_msgs { struct Vector3 { double x, y, z; Vector3() : x(0), y(0), z(0) {} };
struct Twist { Vector3 linear, angular; }; }
extern geometry_msgs::Twist published;
namespace ros { template <> inline void Publisher::publish(const geometry_msgs::Twist& t) {
  published = t; } }
""",
    'sensor_msgs/LaserScan.h': r"""
#pragma once
namespace sensor_msgs { struct LaserScan {
  typedef Pointer<LaserScan> ConstPtr;
  float angle_min, angle_increment; std::vector<float> ranges; }; }
""",
    'tf/LinearMath/Quaternion.h': r"""
#pragma once
namespace tf { struct Quaternion { Quaternion(double, double, double, double) {} }; }
""",
    'tf/LinearMath/Matrix3x3.h': r"""
#pragma once
namespace tf { struct Matrix3x3 { Matrix3x3(const Quaternion&) {}
  void getRPY(double&, double&, double&) {} }; }
""",
}

DRIVER = r"""
#include "ros/ros.h"
#include "nav_msgs/Odometry.h"
#include "geometry_msgs/Twist.h"
#include "sensor_msgs/LaserScan.h"
double draws[8]; int next_draw; int turns_left; char info[4096];
geometry_msgs::Twist published;
#define protected public
#ifdef ELEMENTARY
#include "elementary.h"
#endif
#include "listing.cpp"
#undef protected
static ros::NodeHandle handle;
static PotFieldBot bare(handle, 0, 1, 0, 0);
static sensor_msgs::LaserScan scan;

extern "C" {
void formula(int which, long n, const double* in, double* out) {
  for (long i = 0; i < n; ++i, in += 10, out += 3) {
    Vector2 f; f.x = f.y = 0; PotFieldBot& b = bare; Leader l;
    next_draw = 0; draws[0] = in[2];
    switch (which) {
      case 0: f = b.getLeaderAttraction(in[0], in[1], in[2], in[3], in[4]); break;
      case 1: f = b.getFollowerAttraction(in[0], in[1], in[2], in[3], in[4], in[5], in[6], in[7],
                                          in[8], in[9]); break;
      case 2: f = b.getRepulsion(in[0], in[1], in[2], in[3], in[4], in[5]); break;
      case 3: b.locateLeader(l, in[0], in[1], in[2], in[3], in[4], in[5]);
        f.x = l.distanceThreshold; f.y = l.thetaMin; out[2] = l.thetaMax; break;
      case 4: l.distanceThreshold = in[0]; l.thetaMin = in[1]; l.thetaMax = in[2];
        f.x = b.checkForLeader(l, float(in[3]), in[4]); break;
      case 5: f = b.generateRandomForce(in[0], in[1]); break;
      case 6: f.x = b.getAngularVelocity(in[0], in[1], in[2]); break;
      case 7: f.x = b.getLinearVelocity(in[0], in[1], in[2], in[3], in[4]); break;
      case 8: f.x = b.sgn(in[0]); break;
      case 9: f.x = b.isOnGoal(in[0], in[1], in[2], in[3], in[4]); break;
      case 10: b.tickCounter = unsigned(in[0]); f.x = b.checkFrequency(float(in[1])); break;
      case 11: draws[0] = in[0]; f.x = b.generateRandomAngle(); break;
      case 12: draws[0] = in[2]; draws[1] = in[3];
        b.pose[0].x = in[0]; b.pose[0].y = in[1]; b.generateGoal();
        f.x = b.goalX; f.y = b.goalY; break;
    }
    out[0] = f.x; out[1] = f.y;
  }
}
PotFieldBot* bot_new(int id, int n, double gx, double gy) {
  return new PotFieldBot(handle, id, n, gx, gy); }
void bot_delete(PotFieldBot* b) { delete b; }
void bot_poses(PotFieldBot* b, const double* p) {
  for (int i = 0; i < b->numRobots; ++i, p += 3) {
    b->pose[i].x = p[0]; b->pose[i].y = p[1]; b->pose[i].heading = p[2]; b->pose[i].t = 1.0; } }
void bot_scan(PotFieldBot* b, const float* r, int count, float angle_min, float increment) {
  scan.ranges.assign(r, r + count);
  scan.angle_min = angle_min; scan.angle_increment = increment;
  b->laserCallback(&scan); }
void bot_start(PotFieldBot* b, const double* d) {
  next_draw = 0; draws[0] = d[0]; draws[1] = d[1]; turns_left = 1; b->postInitialization(); }
void bot_turn(PotFieldBot* b, const double* d, double* out) {
  for (int i = 0; i < 3; ++i) draws[i] = d[i];
  next_draw = 0; turns_left = 1; b->spin();
  out[0] = published.linear.x; out[1] = published.angular.z;
  out[2] = b->positionEMA.x; out[3] = b->positionEMA.y; out[4] = b->goalX; out[5] = b->goalY;
  out[6] = b->isOnGoal(); }
void bot_total(PotFieldBot* b, const double* d, double* out) {
  next_draw = 0; draws[0] = d[0];
  Vector2 f = b->getTotalForce(); out[0] = f.x; out[1] = f.y;
  f = b->getAttraction(); out[2] = f.x; out[3] = f.y;
  f = b->getOtherRepulsion(); out[4] = f.x; out[5] = f.y; }
const char* bot_line(PotFieldBot* b, double fx, double fy, double theta, double v, double omega) {
  Vector2 f; f.x = fx; f.y = fy; b->printDiagnostic(f, theta, v, omega); return info; }
}
"""


def unavailable() -> str:
    """Why the listings cannot be compiled here; empty when they can."""
    if not os.environ.get(VARIABLE):
        return f'{VARIABLE} names no folder of documents'
    if find_document() is None:
        return f'{os.environ[VARIABLE]} (from {VARIABLE}) holds no text with {ROOT}'
    return '' if shutil.which('g++') else 'g++ is not installed'


def find_document() -> str | None:
    """The text of the document that holds the listings."""
    for path in sorted(Path(os.environ[VARIABLE]).glob('*.txt')):
        text = path.read_text(encoding='utf-8')
        if '{' + ROOT + ' 18}' in text:
            return text
    return None


def listings(text: str) -> dict[str, list[str]]:
    """Lines of each named listing, continuations joined."""
    named: dict[str, list[str]] = {}
    current: list[str] | None = None
    fenced = False
    for line in text.splitlines():
        if line.startswith('```'):
            fenced = not fenced
        elif title := (TITLE.match if fenced else TITLE.search)(line):
            current = named.setdefault(title[1], [])
        elif fenced:
            if current is not None:
                current.append(line)
        elif line.startswith(('This code is used', 'See also')):
            current = None
        elif QUOTE.match(line) and current is not None:
            current.append(line)
    return named


def tangle(named: dict[str, list[str]], name: str = ROOT) -> list[str]:
    """The whole listing ``name`` with all quotations replaced."""
    lines = []
    for line in named[name]:
        quote = QUOTE.match(line)
        lines += tangle(named, quote[1]) if quote else [line]
    return lines


def class_only(source: str) -> str:
    """The listing without `main`, and without the brace by which its constructor ends the class.

    Both are broken by superfluous closing braces at the document's page breaks.
    """
    source = source[:source.index('int main(')]
    early = '};\n\n// Send a velocity command'
    assert source.count('{') - source.count('}') == -source.count(early)
    return source.replace(early, '// Send a velocity command')


def changed_constants(source: str, values: dict[str, str]) -> str:
    """The listing with other values of its constants."""
    for name, value in values.items():
        source, count = re.subn(rf'(const static \w+ {name}) = [^;]+;', rf'\1 = {value};', source)
        assert count == 1, name
    return source


class Oracle:
    """The compiled listings.

    With the project's elementary functions in place of <cmath>'s, or with the machine's.
    """

    def __init__(self, folder: Path, constants: dict[str, str] | None = None,
                 machine_functions: bool = False) -> None:
        text = find_document()
        assert text is not None
        source = class_only('\n'.join(tangle(listings(text))))
        source = changed_constants(source, constants or {})
        for name, stub in STUBS.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(stub)
        (folder / 'listing.cpp').write_text(source)
        (folder / 'driver.cpp').write_text(DRIVER)
        (folder / 'elementary.h').write_text(header())
        library = folder / 'oracle.so'
        ours = [] if machine_functions else ['-DELEMENTARY']
        subprocess.run(['g++', *FLAGS, *ours, f'-I{folder}', str(folder / 'driver.cpp'), '-o',
                        str(library)], check=True)
        self._library = ctypes.CDLL(str(library))
        if not machine_functions:
            set_functions(self._library)
        self._library.bot_new.restype = ctypes.c_void_p
        self._library.bot_line.restype = ctypes.c_char_p

    def formula(self, which: int, inputs: np.ndarray) -> np.ndarray:
        """(n, 3) results of a formula for (n, up to 10) inputs."""
        padded = np.zeros((len(inputs), 10))
        padded[:, :inputs.shape[1]] = inputs
        results = np.zeros((len(inputs), 3))
        self._library.formula(which, ctypes.c_long(len(inputs)), _doubles(padded),
                              _doubles(results))
        return results

    def bot(self, robot_id: int, num_robots: int, goal: tuple[float, float]) -> 'Bot':
        """A robot of the listings."""
        return Bot(self._library, robot_id, num_robots, goal)


class Bot:
    """A PotFieldBot of the listings."""

    def __init__(self, library: ctypes.CDLL, robot_id: int, num_robots: int,
                 goal: tuple[float, float]) -> None:
        self._library = library
        self._bot = ctypes.c_void_p(library.bot_new(
            robot_id, num_robots, ctypes.c_double(goal[0]), ctypes.c_double(goal[1])))

    def close(self) -> None:
        self._library.bot_delete(self._bot)

    def poses(self, poses: np.ndarray) -> None:
        self._library.bot_poses(self._bot, _doubles(poses))

    def scan(self, ranges: np.ndarray, angle_min: float, increment: float) -> None:
        """The heading at this moment makes the absolute angles."""
        self._library.bot_scan(self._bot, ranges.ctypes.data_as(ctypes.c_void_p), len(ranges),
                               ctypes.c_float(angle_min), ctypes.c_float(increment))

    def start(self, draws: np.ndarray) -> None:
        """Post-initialization; two draws for a random walk."""
        self._library.bot_start(self._bot, _doubles(draws))

    def turn(self, draws: np.ndarray) -> np.ndarray:
        """v, omega, average x, y, goal x, y, on goal; one draw, two more for a random walk."""
        out = np.zeros(7)
        self._library.bot_turn(self._bot, _doubles(draws), _doubles(out))
        return out

    def total(self, draws: np.ndarray) -> np.ndarray:
        """x, y of total force, attraction and other repulsion, as of the last turn."""
        out = np.zeros(6)
        self._library.bot_total(self._bot, _doubles(draws), _doubles(out))
        return out

    def line(self, *values: float) -> str:
        """The diagnostic line for force x, y, theta, v, omega."""
        raw: bytes = self._library.bot_line(self._bot, *map(ctypes.c_double, values))
        return raw.decode()


def _doubles(array: np.ndarray) -> ctypes.c_void_p:
    return array.ctypes.data_as(ctypes.c_void_p)
