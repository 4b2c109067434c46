// What a repetition consists of: launches as they were recorded, and the graph made of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "device/device.hpp"
#include "graph/access.hpp"
#include "heddle/launch.hpp"
#include "runtime/module_state.hpp"

namespace heddle::runtime {

class Buffer;

// A launch as the program asks for it.
struct LaunchCall {
  KernelState& kernel;
  std::size_t place;
  bool anywhere;  // the program names no place: one is chosen, or is that of what is repeated
  const LaunchOptions& options;
  std::span<const Argument> arguments;

  // The same for launches that differ only in the values of numbers and structures.
  std::uint64_t hash() const;
};

// One launch that was made.
struct ReplayStep {
  struct Value {
    unsigned tag;  // Argument::tag()
    bool is_array() const { return (tag & 0xff) == static_cast<unsigned>(Argument::Kind::array); }
    std::uint32_t at;    // in the packed arguments
    std::uint32_t size;  // of a number or structure
    // Of an array.
    Buffer* buffer = nullptr;
    std::uint64_t buffer_id;
    std::uint64_t offset, length;  // bytes, as given
    std::uint64_t begin, end;      // bytes that are used; none: the kernel does not look at it
    graph::Mode mode;
  };
  std::uint64_t kernel_id = 0;
  std::size_t place = 0;
  bool anywhere = false;  // the place was chosen, and stays
  device::GraphLaunch launch;
  bool changed = false;  // arguments that the graph does not know yet
  std::vector<Value> values;
  std::vector<graph::Access> accesses;

  // Whether the call is this one, with arrays that are where they must be; takes over its numbers and the traces that
  // it leaves on arrays, as Buffer::acquire does, if so. Needs the core's lock.
  bool take(const LaunchCall& call);
};

// Launches that go into a queue together.
struct ReplayPart {
  std::vector<ReplayStep> steps;
  std::vector<graph::Access> accesses;  // of all
  std::shared_ptr<device::LaunchGraph> graph;

  // What each step comes behind, and what all of them do to memory: once all steps are there.
  void connect();
  // Makes the graph, or tells it what has changed.
  void bring_up_to_date(device::Device& device);
};

}  // namespace heddle::runtime
