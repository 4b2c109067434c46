// What a repetition consists of: launches as they were recorded, and the graph made of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "device/device.hpp"
#include "graph/access.hpp"
#include "heddle/launch.hpp"
#include "sched/bound_launch.hpp"

namespace heddle::sched {

// The same for launches that differ only in the values of numbers and structures.
std::uint64_t hash_of(const BoundLaunch& launch);

// A launch that was submitted: bound, with a place and the addresses of its arrays there, and as the program made it.
struct RecordedLaunch {
  const BoundLaunch& bound;
  std::string_view device;  // that the program named; empty: none
  std::span<const Argument> arguments;
};

// One launch of a repetition.
class ReplayStep {
 public:
  // `accesses` are what it did.
  ReplayStep(const RecordedLaunch& launch, device::Function& function, std::span<const graph::Access> accesses);

  // Whether the program makes this launch again, with arrays that are where they must be. If so, takes over its numbers
  // and structures, and marks its arrays as used, at `now` (Copy::last_use). Needs the core's lock.
  bool take(const LaunchedKernel& kernel, const LaunchOptions& options, std::span<const Argument> arguments,
            std::uint64_t now);

  std::size_t place;
  bool anywhere;  // the place was chosen, and stays
  device::GraphLaunch launch;
  bool changed = false;  // arguments that the graph does not have yet
  struct Array {
    ArrayUse use;
    std::uint64_t id;
    std::uint64_t address;  // that `launch` has for it
  };
  std::vector<Array> arrays;
  std::vector<graph::Access> accesses;

 private:
  bool is_same(const LaunchedKernel& kernel, const LaunchOptions& options, std::span<const Argument> arguments) const;
  // Whether the arrays' copies are as the launch needs them.
  bool is_resident() const;
  void set(std::uint32_t at, std::span<const std::byte> bytes);

  // A number or structure among the arguments.
  struct Value {
    std::uint32_t argument, packed_at;
  };
  std::uint64_t kernel_id_;
  std::string device_;
  std::vector<Argument> arguments_;
  std::vector<Value> values_;
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
