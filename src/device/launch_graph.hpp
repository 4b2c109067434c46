// A graph: a fixed set of launches with the dependences among them. It is put into a queue all at once, repeatedly.
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
  std::vector<unsigned> parents;  // indices of earlier launches that must be done before it
};

// One thread at a time.
class LaunchGraph {
 public:
  virtual ~LaunchGraph() = default;
  // Sets the arguments of the launch at index `place`, from the next launch of the graph on. Their size must not
  // change.
  virtual void set_arguments(unsigned place, std::span<const std::byte> arguments) = 0;

  // The end of launches that ran in another queue than the graph's. Their failures are not failures of the graph's
  // queue.
  struct Tail {
    Queue* queue;
    std::shared_ptr<Event> end;
  };
  // Puts all launches into the queue, which must be of the graph's device. Later commands of the queue run after all of
  // them.
  virtual std::vector<Tail> launch(Queue& queue) = 0;
};

}  // namespace heddle::device
