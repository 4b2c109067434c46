#include "device/listed_graph.hpp"

#include <algorithm>

namespace heddle::device {

ListedGraph::ListedGraph(QueueSource& device, std::span<const GraphLaunch> launches)
    : device_(device), begin_(device.untimed_event()) {
  for (const GraphLaunch& launch : launches) steps_.emplace_back().launch = launch;
  choose_lanes();
}

// A launch goes on in the lane of a parent that is last there; others begin lanes, or take the first one that is free
// for them.
std::uint32_t ListedGraph::take_lane(std::vector<std::uint32_t>& last, std::uint32_t step) {
  for (const unsigned parent : steps_[step].launch.parents) {
    const std::uint32_t lane = steps_[parent].lane;
    if (last[lane] == parent) return lane;
  }
  if (last.size() < most_lanes) {
    last.push_back(none);
    return static_cast<std::uint32_t>(last.size() - 1);
  }
  return step % most_lanes;
}

void ListedGraph::choose_lanes() {
  std::vector<std::uint32_t> last;  // step, by lane
  for (std::uint32_t i = 0; i < steps_.size(); ++i) {
    Step& step = steps_[i];
    step.lane = take_lane(last, i);
    for (const unsigned parent : step.launch.parents) {
      Step& before = steps_[parent];
      if (before.lane == step.lane) continue;  // in order
      if (before.event == none) {
        before.event = static_cast<std::uint32_t>(events_.size());
        events_.push_back(device_.untimed_event());
      }
      step.waits.push_back(before.event);
    }
    last[step.lane] = i;
  }
  for (std::size_t i = 1; i < last.size(); ++i) lanes_.push_back({device_.queue({}), {}});
}

void ListedGraph::set_arguments(unsigned place, std::span<const std::byte> arguments) {
  steps_[place].launch.arguments.assign(arguments.begin(), arguments.end());
}

std::shared_ptr<Event> ListedGraph::end_of(Lane& lane) {
  const auto free =
      std::find_if(lane.ends.begin(), lane.ends.end(), [](const auto& event) { return event.use_count() == 1; });
  if (free != lane.ends.end()) return *free;
  return lane.ends.emplace_back(device_.untimed_event());
}

std::vector<LaunchGraph::Tail> ListedGraph::launch(Queue& queue) {
  if (!lanes_.empty()) queue.record(*begin_);
  for (Lane& lane : lanes_) lane.queue->wait(*begin_);
  for (const Step& step : steps_) {
    Queue& into = step.lane == 0 ? queue : *lanes_[step.lane - 1].queue;
    for (const std::uint32_t event : step.waits) into.wait(*events_[event]);
    const GraphLaunch& launch = step.launch;
    into.launch(*launch.function, launch.config, {0, launch.config.grid.count()}, launch.arguments);
    if (step.event != none) into.record(*events_[step.event]);
  }
  std::vector<Tail> tails;
  for (Lane& lane : lanes_) {
    tails.push_back({lane.queue.get(), end_of(lane)});
    lane.queue->record(*tails.back().end);
    queue.wait(*tails.back().end);
  }
  return tails;
}

}  // namespace heddle::device
