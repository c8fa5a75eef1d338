// A node of rclcpp that drives away from what it scans; it knows nothing of lockstep.
#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <vector>

#include "geometry_msgs/msg/twist.hpp"
#include "rclcpp/rclcpp.hpp"
#include "sensor_msgs/msg/laser_scan.hpp"

class Avoid : public rclcpp::Node
{
public:
  Avoid()
  : Node("avoid"), gain_(declare_parameter("gain", 0.8)),
    publisher_(create_publisher<geometry_msgs::msg::Twist>("cmd_vel", 10)),
    subscription_(create_subscription<sensor_msgs::msg::LaserScan>(
        "base_scan", 10,
        [this](const sensor_msgs::msg::LaserScan & scan) {on_scan(scan);}))
  {
  }

private:
  void on_scan(const sensor_msgs::msg::LaserScan & scan)
  {
    std::vector<double> ranges;
    for (const double range : scan.ranges) {
      ranges.push_back(std::max(0.0, std::min(range, 5.0)));
    }
    const auto half = ranges.begin() + ranges.size() / 2;
    const double right = std::accumulate(ranges.begin(), half, 0.0) / (half - ranges.begin());
    const double left = std::accumulate(half, ranges.end(), 0.0) / (ranges.end() - half);
    geometry_msgs::msg::Twist command;
    command.linear.x = 0.2 * *std::min_element(ranges.begin(), ranges.end());
    command.angular.z = gain_ * (left - right);
    publisher_->publish(command);
  }

  double gain_;
  rclcpp::Publisher<geometry_msgs::msg::Twist>::SharedPtr publisher_;
  rclcpp::Subscription<sensor_msgs::msg::LaserScan>::SharedPtr subscription_;
};

int main(int argc, char ** argv)
{
  rclcpp::init(argc, argv);
  rclcpp::spin(std::make_shared<Avoid>());
  rclcpp::shutdown();
  return 0;
}
