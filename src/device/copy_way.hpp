// The direction of a copy in the trace.
#pragma once

#include "base/trace.hpp"
#include "device/memory.hpp"

namespace heddle::device {

// From the devices of source and destination; null is the host.
inline base::TraceEvent::Way way_of_copy(const Device* to, const Device* from) {
  using Way = base::TraceEvent::Way;
  if (to == from) return Way::within;
  if (from == nullptr) return Way::to_device;
  return to == nullptr ? Way::to_host : Way::between_devices;
}

}  // namespace heddle::device
