// The standard scene in ARGoS: foot-bots, all lengths scaled to their radius, 2D dynamics. A
// foot-bot has no laser, so only motion is measured.
#include "scene.hpp"

#include <argos3/core/control_interface/ci_controller.h>
#include <argos3/core/simulator/entity/embodied_entity.h>
#include <argos3/core/simulator/simulator.h>
#include <argos3/core/simulator/space/space.h>
#include <argos3/plugins/robots/foot-bot/simulator/footbot_entity.h>
#include <argos3/plugins/robots/generic/control_interface/ci_differential_steering_actuator.h>

#include <fstream>
#include <sstream>
#include <unistd.h>

namespace {

const double RADIUS = 0.085036758, AXLE = 0.14;  // m, of a foot-bot

}  // namespace

class Driven : public argos::CCI_Controller {
public:
    void Init(argos::TConfigurationNode &) override {
        wheels_ = GetActuator<argos::CCI_DifferentialSteeringActuator>("differential_steering");
    }
    void ControlStep() override { wheels_->SetLinearVelocity(100 * left, 100 * right); }  // cm/s

    double left = 0.0, right = 0.0;  // m/s

private:
    argos::CCI_DifferentialSteeringActuator *wheels_ = nullptr;
};

REGISTER_CONTROLLER(Driven, "driven")

static std::string experiment(const Scene &s, double scale) {
    std::ostringstream out;
    const double half = s.side / 2, thick = 0.1;
    auto box = [&](const std::string &name, double x, double y, double w, double h) {
        out << "<box id=\"" << name << "\" size=\"" << w * scale << "," << h * scale
            << ",0.3\" movable=\"false\"><body position=\"" << (x - half) * scale << ","
            << (y - half) * scale << ",0\" orientation=\"0,0,0\"/></box>\n";
    };
    const double size = (s.side + 4) * scale;
    const int cells = std::max(1, int(size / 0.5));
    out << "<?xml version=\"1.0\"?><argos-configuration><framework><system threads=\"0\"/>"
        << "<experiment length=\"0\" ticks_per_second=\"" << 1 / s.dt << "\" random_seed=\""
        << s.seed + 1 << "\"/></framework><controllers><driven id=\"d\"><actuators>"
        << "<differential_steering implementation=\"default\"/></actuators><sensors/><params/>"
        << "</driven></controllers><arena size=\"" << size << "," << size << ",1\" center=\"0,0,0.5\""
        << " positional_index=\"grid\" positional_grid_size=\"" << cells << "," << cells << ",1\">\n";
    box("south", half, -thick / 2, s.side, thick);
    box("north", half, s.side + thick / 2, s.side, thick);
    box("west", -thick / 2, half, thick, s.side);
    box("east", s.side + thick / 2, half, thick, s.side);
    for (size_t k = 0; k < s.boxes.size(); ++k)
        box("box" + std::to_string(k), s.boxes[k].x, s.boxes[k].y, s.boxes[k].width,
            s.boxes[k].height);
    for (size_t k = 0; k < s.poses.size(); ++k)
        out << "<foot-bot id=\"f" << k << "\"><body position=\"" << (s.poses[k].x - half) * scale
            << "," << (s.poses[k].y - half) * scale << ",0\" orientation=\""
            << s.poses[k].yaw * 180 / M_PI << ",0,0\"/><controller config=\"d\"/></foot-bot>\n";
    out << "</arena><physics_engines><dynamics2d id=\"d2\"/></physics_engines><media>"
        << "<range_and_bearing id=\"rab\" index=\"grid\" grid_size=\"" << cells << "," << cells
        << ",1\"/><led id=\"leds\" index=\"grid\" grid_size=\"" << cells << "," << cells
        << ",1\"/></media></argos-configuration>\n";
    return out.str();
}

int main() {
    const Scene scene = read_scene();
    const double scale = RADIUS / scene.radius;
    char name[] = "/tmp/argos_scene_XXXXXX";
    int file = mkstemp(name);
    const std::string text = experiment(scene, scale);
    if (file < 0 || write(file, text.data(), text.size()) != ssize_t(text.size())) return 1;
    close(file);
    auto &simulator = argos::CSimulator::GetInstance();
    simulator.SetExperimentFileName(name);
    simulator.LoadExperiment(true);
    unlink(name);
    auto &space = simulator.GetSpace();
    std::vector<argos::CFootBotEntity *> robots;
    std::vector<Driven *> drivers;
    for (size_t k = 0; k < scene.poses.size(); ++k) {
        robots.push_back(&dynamic_cast<argos::CFootBotEntity &>(
            space.GetEntity("f" + std::to_string(k))));
        drivers.push_back(&dynamic_cast<Driven &>(
            robots.back()->GetControllableEntity().GetController()));
    }
    auto place = [&](size_t k) {
        return robots[k]->GetEmbodiedEntity().GetOriginAnchor().Position;
    };
    std::vector<argos::CVector3> first;
    for (size_t k = 0; k < robots.size(); ++k) first.push_back(place(k));
    int steps = 0;
    measure(scene, [&](size_t k, double rate) {
        drivers[k]->left = scene.speed * scale - 0.5 * rate * AXLE;
        drivers[k]->right = scene.speed * scale + 0.5 * rate * AXLE;
    }, [&] {
        simulator.UpdateSpace();
        if (++steps != 10) return;
        double way = 0.0;
        for (size_t k = 0; k < robots.size(); ++k) way += argos::Distance(place(k), first[k]);
        check_moved("ARGoS", way / robots.size(), 10 * scene.speed * scale * scene.dt);
    });
    std::fflush(stdout);
    std::_Exit(0);
}
