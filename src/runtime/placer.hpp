// Where launches go that name no device: gathers what sched/placement.hpp decides by.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "heddle/launch.hpp"
#include "sched/placement.hpp"

namespace heddle::runtime {

class Core;
class KernelState;

class Placer {
 public:
  // Null where there is nothing to choose: by policy, or since no other device is like the first one.
  static std::unique_ptr<Placer> make(Core& core, const Scheduling& policy);
  Placer(Core& core, Scheduling::Placement policy, std::vector<std::size_t> places);

  // Measures links if the policy goes by them and they are not known yet, which the first call does, some 100 ms for
  // each link. Without the core's lock. Any thread.
  void prepare();
  // The place of a launch. What is tied to the first device goes there: kernels with variables of their module that may
  // differ between devices, everything once the address of an array there was taken, and launches on some processors.
  // The arguments have been checked and the kernel analysed. Needs the core's lock.
  std::size_t choose(KernelState& kernel, const LaunchOptions& options, std::span<const Argument> arguments);

 private:
  const char* tied(KernelState& kernel, const LaunchOptions& options);

  Core& core_;
  sched::Placement placement_;
  std::vector<std::string> ids_;  // of all places
  bool logs_;
};

}  // namespace heddle::runtime
