// The standard scene in Stage, without its window.
#include "scene.hpp"

#include <stage.hh>

#include <sstream>

namespace {

std::string world_file(const Scene &s) {
    std::ostringstream out;
    out << "resolution 0.02\ninterval_sim " << 1e3 * s.dt << "\nspeedup 0\n"
        << "define wall model (color \"black\" obstacle_return 1 ranger_return 1)\n"
        << "define bot position (drive \"diff\" localization \"gps\" localization_origin [0 0 0 0]"
        << " size [" << 2 * s.radius << " " << 2 * s.radius << " 0.3] block(points 12";
    for (int k = 0; k < 12; ++k)
        out << " point[" << k << "] [" << 1 + std::cos(k * M_PI / 6) << " "
            << 1 + std::sin(k * M_PI / 6) << "]";
    out << " z [0 0.3])";
    if (s.beams)
        out << " ranger(size [0.1 0.1 0.1] ranger_return -1 obstacle_return 0"
            << " sensor(range [0 " << s.range << "] fov 180 samples " << s.beams << "))";
    out << ")\n";
    auto wall = [&](double x, double y, double w, double h) {
        out << "wall(pose [" << x << " " << y << " 0 0] size [" << w << " " << h << " 0.6])\n";
    };
    const double thick = 0.1, half = s.side / 2;
    wall(half, -thick / 2, s.side, thick);
    wall(half, s.side + thick / 2, s.side, thick);
    wall(-thick / 2, half, thick, s.side);
    wall(s.side + thick / 2, half, thick, s.side);
    for (const Rectangle &b : s.boxes) wall(b.x, b.y, b.width, b.height);
    for (size_t i = 0; i < s.poses.size(); ++i)
        out << "bot(name \"r" << i << "\" pose [" << s.poses[i].x << " " << s.poses[i].y << " 0 "
            << s.poses[i].yaw * 180 / M_PI << "])\n";
    return out.str();
}

}  // namespace

int main(int argc, char **argv) {
    const Scene scene = read_scene();
    Stg::Init(&argc, &argv);
    Stg::World world("scene");
    std::istringstream text(world_file(scene));
    world.Load(text, "scene.world");
    std::vector<Stg::ModelPosition *> robots;
    std::vector<Stg::ModelRanger *> lasers;
    for (size_t i = 0; i < scene.poses.size(); ++i) {
        auto *robot = dynamic_cast<Stg::ModelPosition *>(
            world.GetModel("r" + std::to_string(i)));
        robot->Subscribe();
        robots.push_back(robot);
        if (!scene.beams) continue;
        lasers.push_back(dynamic_cast<Stg::ModelRanger *>(robot->GetChild("ranger:0")));
        lasers.back()->Subscribe();
    }
    world.Start();
    int steps = 0;
    measure(scene, [&](size_t i, double rate) { robots[i]->SetSpeed(scene.speed, 0.0, rate); },
            [&] {
        world.Update();
        if (++steps != 10) return;
        double way = 0.0;
        for (size_t i = 0; i < robots.size(); ++i) {
            Stg::Pose pose = robots[i]->GetPose();
            way += std::hypot(pose.x - scene.poses[i].x, pose.y - scene.poses[i].y);
        }
        check_moved("Stage", way / robots.size(), 10 * scene.speed * scene.dt);
        bool seen = lasers.empty();
        for (auto *laser : lasers) {
            const auto &ranges = laser->GetSensors().at(0).ranges;
            if (ranges.size() != size_t(scene.beams)) break;
            for (double range : ranges) seen = seen || range < 0.99 * scene.range;
        }
        if (!seen) { std::fputs("a laser of Stage sees nothing\n", stderr); std::exit(1); }
    });
    std::fflush(stdout);
    std::_Exit(0);  // Stage's destructors take long
}
