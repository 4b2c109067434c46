// A fixed set of launches with what depends on what among them, put into a queue all at once, again and again.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "device/event.hpp"
#include "device/module.hpp"
#include "device/queue.hpp"

namespace heddle::device {

struct GraphLaunch {
  Function* function = nullptr;  // prepared for the block; outlives the graph's last launch
  LaunchConfig config;           // not cooperative
  std::vector<std::byte> arguments;
  std::vector<unsigned> parents;  // places of earlier launches that it comes behind
};

// One thread at a time.
class LaunchGraph {
 public:
  virtual ~LaunchGraph() = default;
  // What the launch at this place is given from the next launch of the graph on. As many bytes as before.
  virtual void set_arguments(unsigned place, std::span<const std::byte> arguments) = 0;

  // Launches that ran beside the queue that the graph was put into, and may have failed without its noticing.
  struct Tail {
    Queue* queue;
    std::shared_ptr<Event> end;
  };
  // Puts all launches into the queue, of the device that the graph was made for; what comes behind in the queue comes
  // behind all of them.
  virtual std::vector<Tail> launch(Queue& queue) = 0;
};

}  // namespace heddle::device
