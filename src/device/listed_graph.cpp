#include "device/listed_graph.hpp"

#include <algorithm>

namespace heddle::device {

ListedGraph::ListedGraph(QueueSource& device, std::span<const GraphLaunch> launches)
    : device_(device), launches_(launches.begin(), launches.end()), begin_(device.untimed_event()) {
  std::vector<graph::PlannedTask> tasks;
  for (const GraphLaunch& launch : launches) tasks.push_back({.parents = launch.parents});
  plan_ = graph::spread(tasks, most_queues);
  for (std::size_t i = 1; i < plan_.places.size(); ++i) branches_.push_back({device.queue({}), {}});
  for (const graph::Spread::Step& step : plan_.steps)
    events_.push_back(step.recorded ? device.untimed_event() : nullptr);
}

void ListedGraph::set_arguments(unsigned place, std::span<const std::byte> arguments) {
  launches_[place].arguments.assign(arguments.begin(), arguments.end());
}

std::shared_ptr<Event> ListedGraph::end_of(Branch& branch) {
  const auto free =
      std::find_if(branch.ends.begin(), branch.ends.end(), [](const auto& event) { return event.use_count() == 1; });
  if (free != branch.ends.end()) return *free;
  return branch.ends.emplace_back(device_.untimed_event());
}

std::vector<LaunchGraph::Tail> ListedGraph::launch(Queue& queue) {
  if (!branches_.empty()) queue.record(*begin_);
  for (Branch& branch : branches_) branch.queue->wait(*begin_);
  for (std::size_t i = 0; i < launches_.size(); ++i) {
    const graph::Spread::Step& step = plan_.steps[i];
    Queue& into = step.queue == 0 ? queue : *branches_[step.queue - 1].queue;
    for (const unsigned awaited : step.waits) into.wait(*events_[awaited]);
    const GraphLaunch& launch = launches_[i];
    into.launch(*launch.function, launch.config, {0, launch.config.grid.count()}, launch.arguments);
    if (step.recorded) into.record(*events_[i]);
  }
  std::vector<Tail> tails;
  for (Branch& branch : branches_) {
    tails.push_back({branch.queue.get(), end_of(branch)});
    branch.queue->record(*tails.back().end);
    queue.wait(*tails.back().end);
  }
  return tails;
}

}  // namespace heddle::device
