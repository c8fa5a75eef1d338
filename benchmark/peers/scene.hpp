// The standard scene, read from standard input, and the clock of a step; see peers.py.
#pragma once

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <iostream>
#include <random>
#include <string>
#include <vector>

struct Pose { double x, y, yaw; };
struct Rectangle { double x, y, width, height; };

struct Scene {
    double side, radius, dt, speed, turn, range, seconds;  // m, s, m/s, rad/s
    int steps_a_draw, beams;
    unsigned seed;
    std::vector<Pose> poses;
    std::vector<Rectangle> boxes;
};

inline Scene read_scene() {
    Scene s;
    size_t robots = 0, boxes = 0;
    std::cin >> s.side >> s.radius >> s.dt >> s.speed >> s.turn >> s.range >> s.seconds
        >> s.steps_a_draw >> s.beams >> s.seed >> robots >> boxes;
    s.poses.resize(robots);
    for (Pose &p : s.poses) std::cin >> p.x >> p.y >> p.yaw;
    s.boxes.resize(boxes);
    for (Rectangle &b : s.boxes) std::cin >> b.x >> b.y >> b.width >> b.height;
    if (!std::cin) { std::fputs("the scene cannot be read\n", stderr); std::exit(1); }
    return s;
}

inline double now(clockid_t clock) {
    timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

// Call `turn(robot, rate)` where rates are drawn anew and `step()`; print milliseconds a step.
inline void measure(const Scene &s, std::function<void(size_t, double)> turn,
                    std::function<void()> step) {
    std::mt19937 random(s.seed + 1);
    std::uniform_real_distribution<double> rates(-s.turn, s.turn);
    auto draw = [&] { for (size_t i = 0; i < s.poses.size(); ++i) turn(i, rates(random)); };
    draw();
    step();
    int steps = 0;
    double wall = now(CLOCK_MONOTONIC), used = now(CLOCK_PROCESS_CPUTIME_ID);
    double end = wall + s.seconds;
    while (steps < 3 || now(CLOCK_MONOTONIC) < end) {
        if (steps % s.steps_a_draw == 0) draw();
        step();
        ++steps;
    }
    used = now(CLOCK_PROCESS_CPUTIME_ID) - used;
    wall = now(CLOCK_MONOTONIC) - wall;
    std::printf("\n{\"ms\": %.9g, \"cpu_ms\": %.9g}\n", 1e3 * wall / steps, 1e3 * used / steps);
}

// Fail where robots did not move as far as their speed lets them, or not at all.
inline void check_moved(const char *what, double way, double most) {
    if (!(way > 0.05 * most && way < 1.2 * most)) {
        std::fprintf(stderr, "robots of %s went %g m where %g m were possible\n", what, way, most);
        std::exit(1);
    }
}
