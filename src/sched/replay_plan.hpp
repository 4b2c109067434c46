// A recorded period: its launches, and the graphs made of them.
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

// A hash that is equal for launches that differ only in the values of numbers and structures.
std::uint64_t hash_of(const BoundLaunch& launch);

// A launch that was submitted: bound, with a place and the addresses of its arrays there; and its arguments as the
// program passed them.
struct RecordedLaunch {
  const BoundLaunch& bound;
  std::string_view device;  // as the program named it; empty: not named
  std::span<const Argument> arguments;
};

// One launch of a period.
class ReplayStep {
 public:
  // `accesses`: those of the launch.
  ReplayStep(const RecordedLaunch& launch, device::Function& function, std::span<const graph::Access> accesses);

  // Whether this launch is a repetition of the recorded one, and its arrays' copies are current. If so, stores its
  // numbers and structures, and marks its arrays as used at `now` (Copy::last_use). Needs the core's lock.
  bool take(const LaunchedKernel& kernel, const LaunchOptions& options, std::span<const Argument> arguments,
            std::uint64_t now);

  std::size_t place;
  bool anywhere;  // the program named no device; the chosen place is kept
  device::GraphLaunch launch;
  bool changed = false;  // the graph does not have the arguments yet
  bool due = false;      // some of its arrays should be copied to the host after it
  struct Array {
    ArrayUse use;
    std::uint64_t id;
    std::uint64_t address;  // its address in `launch`
    bool touched;           // the kernel accesses some of its bytes
  };
  std::vector<Array> arrays;
  std::vector<graph::Access> accesses;

 private:
  bool is_same(const LaunchedKernel& kernel, const LaunchOptions& options, std::span<const Argument> arguments) const;
  void move(Array& array, std::uint64_t address);
  void set(std::uint32_t at, std::span<const std::byte> bytes);

  // An argument that is a number or a structure.
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
  std::vector<graph::Access> accesses;  // of all steps
  std::shared_ptr<device::LaunchGraph> graph;

  // Finds the parents of each step, and the accesses of the whole part. To be called when all steps are recorded.
  void connect();
  // Makes the graph, or passes the changed arguments to it.
  void update(device::Device& device);
};

}  // namespace heddle::sched
