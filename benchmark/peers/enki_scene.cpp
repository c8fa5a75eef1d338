// The standard scene in Enki. Its lengths are cm. Lasers are sixty infrared sensors of three rays.
#include "scene.hpp"

#include <enki/PhysicalEngine.h>
#include <enki/interactions/IRSensor.h>
#include <enki/robots/DifferentialWheeled.h>

#include <memory>

namespace {

const double CM = 100.0, AXLE = 0.5;  // of a metre; m

struct Robot : Enki::DifferentialWheeled {
    std::vector<std::unique_ptr<Enki::IRSensor>> sensors;

    Robot(const Scene &scene, const Pose &pose)
        : DifferentialWheeled(AXLE * CM, 10.0 * CM, 0.0) {
        pos = Enki::Point(pose.x * CM, pose.y * CM);
        angle = pose.yaw;
        const double aperture = M_PI / 6.0;  // of a sensor: three rays over 30 degrees
        const int count = scene.beams / 3;
        for (int k = 0; k < count; ++k) {
            double middle = count > 1 ? -M_PI / 2 + aperture / 2
                + k * (M_PI - aperture) / (count - 1) : 0.0;
            sensors.emplace_back(new Enki::IRSensor(
                this, Enki::Vector(0, 0), 10.0, middle, scene.range * CM, 4000, 0.3, 0.7, 0.0));
            addLocalInteraction(sensors.back().get());
        }
        setCylindric(scene.radius * CM, 20.0, 1000.0);
    }
};

}  // namespace

int main() {
    const Scene scene = read_scene();
    Enki::World world(scene.side * CM, scene.side * CM);
    std::vector<Robot *> robots;
    for (const Pose &pose : scene.poses) {
        robots.push_back(new Robot(scene, pose));
        world.addObject(robots.back());
    }
    for (const Rectangle &box : scene.boxes) {
        auto *object = new Enki::PhysicalObject;
        object->setRectangular(box.width * CM, box.height * CM, 50.0, -1.0);
        object->pos = Enki::Point(box.x * CM, box.y * CM);
        world.addObject(object);
    }
    int steps = 0;
    measure(scene, [&](size_t i, double rate) {
        robots[i]->leftSpeed = (scene.speed - 0.5 * rate * AXLE) * CM;
        robots[i]->rightSpeed = (scene.speed + 0.5 * rate * AXLE) * CM;
    }, [&] {
        world.step(scene.dt);
        if (++steps != 10) return;
        double way = 0.0;
        bool seen = scene.beams == 0;
        for (size_t i = 0; i < robots.size(); ++i) {
            way += std::hypot(robots[i]->pos.x / CM - scene.poses[i].x,
                              robots[i]->pos.y / CM - scene.poses[i].y);
            for (auto &sensor : robots[i]->sensors)
                seen = seen || sensor->getDist() < 0.99 * scene.range * CM;
        }
        check_moved("Enki", way / robots.size(), 10 * scene.speed * scene.dt);
        if (!seen) { std::fputs("a sensor of Enki sees nothing\n", stderr); std::exit(1); }
    });
}
