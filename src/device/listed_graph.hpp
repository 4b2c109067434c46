// A graph for devices that have none of their own: a list of what to put into which queue, made once.
#pragma once

#include <cstdint>
#include <deque>

#include "device/launch_graph.hpp"
#include "device/queue_source.hpp"

namespace heddle::device {

class ListedGraph final : public LaunchGraph {
 public:
  // `device` makes the queues and events that it needs, and outlives it.
  ListedGraph(QueueSource& device, std::span<const GraphLaunch> launches);
  void set_arguments(unsigned place, std::span<const std::byte> arguments) override;
  std::vector<Tail> launch(Queue& queue) override;

  std::size_t lanes() const { return lanes_.size() + 1; }  // queues that it uses, the one it is put into among them

 private:
  static constexpr std::uint32_t none = ~0u, most_lanes = 8;
  struct Step {
    GraphLaunch launch;
    std::uint32_t lane = 0;            // 0: the queue that the graph is put into
    std::vector<std::uint32_t> waits;  // events of other lanes
    std::uint32_t event = none;        // recorded behind it, for others
  };
  struct Lane {
    std::unique_ptr<Queue> queue;
    std::vector<std::shared_ptr<Event>> ends;  // of launches of the graph; one that nobody else holds is free
  };

  void choose_lanes();
  std::uint32_t take_lane(std::vector<std::uint32_t>& last, std::uint32_t step);
  std::shared_ptr<Event> end_of(Lane& lane);

  QueueSource& device_;
  std::vector<Step> steps_;
  std::deque<Lane> lanes_;  // from lane 1 on
  std::vector<std::unique_ptr<Event>> events_;
  std::unique_ptr<Event> begin_;
};

}  // namespace heddle::device
