// The constants of the model of co-running kernels (L0, a0/B, b0), measured on a device. Kernelet (Zhong and He, arXiv
// 1303.5164), section 4.4.
#pragma once

#include "device/device.hpp"
#include "model/corun/warp_states.hpp"

namespace heddle::batch {

// Chains of loads, each of which needs the one before: of one warp on each SM for the latency, of more warps for what
// each request under way adds; of whole lines, and of a line for each lane. In cycles of the device's %clock64. Takes
// some milliseconds of the device. Throws what launches throw.
model::MemoryLatency measure_latency(device::Device& device);

}  // namespace heddle::batch
