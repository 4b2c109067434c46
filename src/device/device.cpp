#include "device/device.hpp"

#include "device/listed_graph.hpp"

namespace heddle::device {

std::unique_ptr<LaunchGraph> Device::launch_graph(std::span<const GraphLaunch> launches) {
  return std::make_unique<ListedGraph>(*this, launches);
}

}  // namespace heddle::device
