#include "device/device.hpp"

#include "base/fail.hpp"
#include "device/listed_graph.hpp"

namespace heddle::device {

std::unique_ptr<LaunchGraph> Device::launch_graph(std::span<const GraphLaunch> launches) {
  return std::make_unique<ListedGraph>(*this, launches);
}

void Queue::announce(Arrival&, std::uint64_t) {
  base::fail(ErrorCode::unsupported, "copies to this device cannot tell how far they have come");
}

void Queue::copy_telling(Span, Span, Arrival&) {
  base::fail(ErrorCode::unsupported, "copies to this device cannot tell how far they have come");
}

}  // namespace heddle::device
