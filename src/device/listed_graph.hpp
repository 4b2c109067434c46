// A graph for devices without native graphs: a list, made once, of what to put into which queue.
#pragma once

#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "device/launch_graph.hpp"
#include "device/queue_source.hpp"
#include "graph/spread.hpp"

namespace heddle::device {

class ListedGraph final : public LaunchGraph {
 public:
  // `device` creates the queues and events that the graph needs, and outlives it.
  ListedGraph(QueueSource& device, std::span<const GraphLaunch> launches);
  void set_arguments(unsigned place, std::span<const std::byte> arguments) override;
  std::vector<Tail> launch(Queue& queue) override;

 private:
  static constexpr unsigned most_queues = 8;
  struct Branch {
    std::unique_ptr<Queue> queue;
    std::vector<std::shared_ptr<Event>> ends;  // of launches of the graph; one without other references is free
  };

  std::shared_ptr<Event> end_of(Branch& branch);

  QueueSource& device_;
  std::vector<GraphLaunch> launches_;
  graph::Spread plan_;
  std::deque<Branch> branches_;                 // the queues of the plan from number 1 on
  std::vector<std::unique_ptr<Event>> events_;  // by launch; null: no other queue waits for it
  std::unique_ptr<Event> begin_;
};

}  // namespace heddle::device
