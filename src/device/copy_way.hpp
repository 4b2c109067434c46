// What a trace calls a copy.
#pragma once

#include "base/trace.hpp"
#include "device/memory.hpp"

namespace heddle::device {

// From where a copy comes and where it goes; null is the host.
inline base::TraceEvent::Way way_of_copy(const Device* to, const Device* from) {
  using Way = base::TraceEvent::Way;
  if (to == from) return Way::within;
  if (from == nullptr) return Way::to_device;
  return to == nullptr ? Way::to_host : Way::between_devices;
}

}  // namespace heddle::device
