#include "device/device.hpp"

#include "base/fail.hpp"
#include "device/listed_graph.hpp"

namespace heddle::device {

std::unique_ptr<LaunchGraph> Device::launch_graph(std::span<const GraphLaunch> launches) {
  return std::make_unique<ListedGraph>(*this, launches);
}

void Queue::begin_progress(ProgressFlag&, std::uint64_t) {
  base::fail(ErrorCode::unsupported, "copies to this device cannot report their progress");
}

void Queue::copy_with_progress(Span, Span, ProgressFlag&) {
  base::fail(ErrorCode::unsupported, "copies to this device cannot report their progress");
}

}  // namespace heddle::device
