#include "graph/spread.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "graph/dag.hpp"
#include "graph/queue_chooser.hpp"

namespace heddle::graph {
namespace {

// The last task of each queue that has run at some point of the plan: a vector clock.
class Reached {
 public:
  bool includes(unsigned queue, int task) const { return task < 0 || (queue < last_.size() && last_[queue] >= task); }
  void add(unsigned queue, unsigned task) {
    if (last_.size() <= queue) last_.resize(queue + 1, -1);
    last_[queue] = std::max(last_[queue], static_cast<int>(task));
  }
  void add(const Reached& other) {
    if (last_.size() < other.last_.size()) last_.resize(other.last_.size(), -1);
    for (std::size_t i = 0; i < other.last_.size(); ++i) last_[i] = std::max(last_[i], other.last_[i]);
  }

 private:
  std::vector<int> last_;  // by queue; -1: none
};

class Planner {
 public:
  Planner(std::span<const PlannedTask> tasks, unsigned most_queues)
      : tasks_(tasks), policy_{.most_queues = most_queues}, reached_(tasks.size()) {
    plan_.steps.resize(tasks.size());
    number(0, 0);
  }

  Spread run() {
    for (unsigned task = 0; task < tasks_.size(); ++task) add(task);
    for (unsigned queue = 1; queue < last_.size(); ++queue) join(static_cast<unsigned>(last_[queue]), queue);
    return std::move(plan_);
  }

 private:
  struct Place {
    QueueChooser chooser;
    std::vector<unsigned> queues = {};  // the plan's number of each queue of the chooser
  };

  Place& at(std::uint32_t place) { return places_.try_emplace(place, Place{QueueChooser(policy_)}).first->second; }

  // Gives the next queue of the place a number in the plan.
  unsigned number(std::uint32_t place, std::uint32_t queue) {
    Place& there = at(place);
    if (queue < there.queues.size()) return there.queues[queue];
    plan_.places.push_back(place);
    last_.push_back(-1);
    return there.queues.emplace_back(static_cast<unsigned>(last_.size() - 1));
  }

  // Its parents without those that others imply. Tasks of the DAG are numbered from 1.
  std::vector<unsigned> append(unsigned task, TaskRef& ref) {
    TaskRefs parents;
    for (const unsigned parent : tasks_[task].parents) parents.push_back(refs_[parent]);
    ref = refs_.emplace_back(dag_.append({}, {parents.data(), parents.size()}));
    dag_[ref].place = tasks_[task].place;
    std::vector<unsigned> direct;
    for (const TaskRef& parent : dag_[ref].parents) direct.push_back(static_cast<unsigned>(parent.id - 1));
    return direct;
  }

  // A queue of the place whose tasks have all run when those in `reached` have.
  std::optional<std::uint32_t> idle_queue(const Place& place, const Reached& reached) const {
    for (std::uint32_t queue = 0; queue < place.queues.size(); ++queue) {
      const int last = last_[place.queues[queue]];
      if (last >= 0 && reached.includes(place.queues[queue], last)) return queue;
    }
    return std::nullopt;
  }

  void add(unsigned task) {
    TaskRef ref;
    const std::vector<unsigned> parents = append(task, ref);
    Reached before;
    for (const unsigned parent : parents) before.add(reached_[parent]);
    Place& place = at(tasks_[task].place);
    const auto here = [&](const Task& other) { return other.place == tasks_[task].place; };
    const QueueChoice choice = place.chooser.choose(dag_, ref, here, {.idle = idle_queue(place, before)});
    Spread::Step& step = plan_.steps[task];
    step.queue = number(tasks_[task].place, choice.queue);
    const bool first = last_[step.queue] < 0;
    reached_[task] = first ? Reached() : reached_[static_cast<std::size_t>(last_[step.queue])];
    wait_for(parents, task);
    step.begins = first && step.queue != 0 && step.waits.empty();
    reached_[task].add(step.queue, task);
    last_[step.queue] = static_cast<int>(task);
  }

  // The last parent first: what it has waited for need not be waited for again.
  void wait_for(const std::vector<unsigned>& parents, unsigned task) {
    Spread::Step& step = plan_.steps[task];
    for (auto parent = parents.rbegin(); parent != parents.rend(); ++parent) {
      const unsigned queue = plan_.steps[*parent].queue;
      if (queue != step.queue && !reached_[task].includes(queue, static_cast<int>(*parent))) {
        step.waits.push_back(*parent);
        plan_.steps[*parent].recorded = true;
      }
      reached_[task].add(reached_[*parent]);
    }
  }

  void join(unsigned tail, unsigned queue) {
    plan_.tails.push_back(tail);
    if (last_[0] >= 0 && reached_[static_cast<std::size_t>(last_[0])].includes(queue, static_cast<int>(tail))) return;
    plan_.joins.push_back(tail);
    plan_.steps[tail].recorded = true;
  }

  const std::span<const PlannedTask> tasks_;
  const Scheduling policy_;
  Dag dag_;
  std::vector<TaskRef> refs_;  // by task
  std::map<std::uint32_t, Place> places_;
  std::vector<int> last_;         // task of each queue; -1: none
  std::vector<Reached> reached_;  // by task
  Spread plan_;
};

}  // namespace

Spread spread(std::span<const PlannedTask> tasks, unsigned most_queues) { return Planner(tasks, most_queues).run(); }

}  // namespace heddle::graph
