// What a repetition consists of: launches as they were recorded, and the graph made of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "device/device.hpp"
#include "graph/access.hpp"
#include "sched/bound_launch.hpp"

namespace heddle::sched {

// The same for launches that differ only in the values of numbers and structures.
std::uint64_t hash_of(const BoundLaunch& launch);

// One launch that was made.
struct ReplayStep {
  ReplayStep() = default;
  // `launch` has a place, and its packed arguments the addresses there; `accesses` are what it did.
  ReplayStep(const BoundLaunch& launch, device::Function& function, std::span<const graph::Access> accesses);

  // Whether `launch` is this one, with arrays that are where they must be. If so, takes over its numbers and marks its
  // arrays as used, at `now` (Copy::last_use). Needs the core's lock.
  bool take(BoundLaunch& launch, std::uint64_t now);

  std::uint64_t kernel_id = 0;
  std::size_t place = 0;
  bool anywhere = false;  // the place was chosen, and stays
  device::GraphLaunch launch;
  bool changed = false;  // arguments that the graph does not have yet
  struct Array {
    ArrayUse use;
    std::uint64_t id;
  };
  std::vector<Array> arrays;
  std::vector<graph::Access> accesses;
};

// Launches that are submitted together.
struct ReplayPart {
  std::vector<ReplayStep> steps;
  std::vector<graph::Access> accesses;  // of all
  std::shared_ptr<device::LaunchGraph> graph;

  // Finds what each step comes after, and what all of them do to memory: once all steps are there.
  void connect();
  // Makes the graph, or gives it what has changed.
  void update(device::Device& device);
};

}  // namespace heddle::sched
