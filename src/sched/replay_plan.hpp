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
class LaunchHash {
 public:
  // `place`: all ones where the program names none.
  LaunchHash(std::uint64_t kernel, std::uint64_t place, const device::LaunchConfig& config);
  void add(const memory::Array& array, std::uint32_t argument, graph::Mode mode, std::uint64_t begin,
           std::uint64_t end) {
    mix(array.id());
    mix(begin ^ std::uint64_t{argument} << 56 ^ static_cast<std::uint64_t>(mode) << 48);
    mix(end);
  }
  std::uint64_t value() const { return hash_; }

 private:
  // As in "splitmix64": neighbours become far apart.
  void mix(std::uint64_t value) {
    hash_ = (hash_ ^ value) * 0x9E3779B97F4A7C15;
    hash_ ^= hash_ >> 29;
  }
  std::uint64_t hash_;
};
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

  // Whether this launch is a repetition of the recorded one, but for the values of numbers and structures, which are
  // stored. If not, the step must not be used any more. Needs the core's lock, as do the functions below.
  bool is_repeated(const LaunchedKernel& kernel, const LaunchOptions& options, std::span<const Argument> arguments);
  // Whether nothing has happened to any array since use_arrays(), so that it need not be called again:
  // ReplayPart::record_uses() does.
  bool is_settled(const memory::Changes& changes) const { return settled_at_ == changes.count; }
  // Whether the arrays' copies are current. If so, marks them as used at `now` (Copy::last_use).
  bool use_arrays(const memory::Changes& changes, std::uint64_t now);

  std::size_t place;
  bool anywhere;  // the program named no device; the chosen place is kept
  device::GraphLaunch launch;
  bool changed = false;     // the graph does not have the arguments yet
  bool due = false;         // some of its arrays should be copied to the host after it
  bool unrecorded = false;  // it was taken, and its uses of arrays are not recorded yet
  std::shared_ptr<KernelHistory> history;
  struct Array {
    ArrayUse use;
    std::uint64_t id;
    std::uint64_t address;  // its address in `launch`
    bool touched;           // the kernel accesses some of its bytes
    unsigned modifies() const { return graph::modifies(use.mode) ? 1 : 0; }
  };
  std::vector<Array> arrays;
  std::vector<graph::Access> accesses;

 private:
  // An argument as the program passed it.
  struct Known {
    std::uint32_t tag;
    std::uint32_t bytes, packed_at;  // of a number or a structure
    const runtime::Buffer* buffer;   // of an array, as are the following
    std::size_t offset, length;
  };
  bool is_alike(const LaunchedKernel& kernel, const LaunchOptions& options, std::size_t arguments) const;
  bool take_value(const Known& known, std::span<const std::byte> bytes);
  void move(Array& array, std::uint64_t address);
  void set(std::uint32_t at, std::span<const std::byte> bytes);

  std::uint64_t kernel_id_;
  std::string device_;
  std::vector<Known> arguments_;
  std::uint64_t settled_at_ = 0;  // memory::Changes::count
};

// Launches that are submitted together.
struct ReplayPart {
  // How the steps use an array, taken together.
  struct Uses {
    memory::Array* array;
    unsigned modifications;
  };
  std::vector<ReplayStep> steps;
  std::vector<graph::Access> accesses;  // of all steps
  std::vector<Uses> uses;
  std::size_t unrecorded = 0;  // steps with this flag
  std::shared_ptr<device::LaunchGraph> graph;

  // Finds the parents of each step, and the accesses and uses of the whole part. To be called when all steps are
  // recorded.
  void connect();
  // Records the uses of arrays by the first `held` steps, where that was not done. `now`: see Copy::last_use. Needs the
  // core's lock.
  void record_uses(std::size_t held, std::uint64_t now);
  // Makes the graph, or passes the changed arguments to it.
  void update(device::Device& device);
};

}  // namespace heddle::sched
