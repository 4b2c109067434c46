// What was measured of devices and kernels, kept for later programs: the database `knowledge/kernels.sqlite` of the
// cache. Several processes may use it at once.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/clock.hpp"
#include "device/device.hpp"
#include "model/corun/warp_states.hpp"
#include "sched/kernel_traits.hpp"

namespace heddle::batch {

// A device, so that what was measured on another machine or machine file is not taken for it.
std::string describe_for_knowledge(device::Device& device);

// Functions throw what `measure` throws, and nothing else: without a database (none may be kept, or the disk is full)
// everything is measured, with a warning in the log. Any thread.
class Knowledge {
 public:
  // `keep` false: nothing is read or kept.
  Knowledge(const base::Clock& clock, bool keep = true) : clock_(clock), keep_(keep) {}

  // The constants of the model; measured when the device is not known.
  model::MemoryLatency latency(const std::string& device, const std::function<model::MemoryLatency()>& measure);
  // The profile of a kernel by the id of its code, block and shared memory; measured if it has no entry yet.
  sched::KernelTraits profile(const std::string& device, std::uint64_t kernel,
                              const std::function<sched::KernelTraits()>& measure);

 private:
  const base::Clock& clock_;
  const bool keep_;
};

}  // namespace heddle::batch
