#include "runtime/engine.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "base/log.hpp"
#include "heddle/error.hpp"

namespace heddle::runtime {
namespace {

// How many tasks go into a queue until somebody asks what of them is done: asking costs a call of the driver.
constexpr unsigned poll_after = 32;

// A failure is being told; later commands of its queue must not be skipped for it.
void clear_failure(device::Queue& queue) {
  try {
    queue.synchronize();
  } catch (const Error& error) {
    base::log_debug("the failure that is being told: {}", error.what());
  }
}

// For what is done; keeps the first failure.
void wait_for(device::Event& end, device::Queue& queue, std::exception_ptr& failure) {
  try {
    end.wait();
  } catch (const Error&) {
    if (!failure) failure = std::current_exception();
    clear_failure(queue);
  }
}

}  // namespace

Engine::Engine(const std::vector<device::Device*>& devices, const Scheduling& policy, std::mutex& mutex,
               TraceFile* trace)
    : mutex_(mutex), trace_(trace), policy_(policy) {
  for (device::Device* device : devices) places_.push_back({.device = device, .chooser = sched::QueueChooser(policy)});
}

graph::ObjectId Engine::add_object(std::uint64_t size, std::uint64_t array) {
  const graph::ObjectId object = dag_.add_object(size);
  if (trace_) trace_->name_object(object, array);
  return object;
}

graph::ObjectId Engine::add_object(std::uint64_t size, const std::string& name) {
  const graph::ObjectId object = dag_.add_object(size);
  if (trace_) trace_->name_object(object, name);
  return object;
}

std::shared_ptr<device::Event> Engine::take_event(Place& place, bool timed) {
  auto& spare = place.spare[timed ? 1 : 0];
  if (spare.empty()) return timed ? place.device->event() : place.device->untimed_event();
  std::shared_ptr<device::Event> event = std::move(spare.back());
  spare.pop_back();
  return event;
}

void Engine::give(Place& place, std::shared_ptr<device::Event>& event, bool timed) {
  if (event && event.use_count() == 1) place.spare[timed ? 1 : 0].push_back(std::move(event));
  event.reset();
}

// The task is done.
void Engine::tell_history(const Place& place, const Running& running) {
  const Besides& besides = *running.besides;
  if (besides.sample && running.start) besides.sample->tell(*running.start, *running.end, place.samples);
  if (!besides.history || !running.start) return;
  KernelHistory& history = *besides.history;
  history.last_seconds = static_cast<double>(running.end->completed_ns() - running.start->completed_ns()) * 1e-9;
  ++history.timed;
  history.mean_seconds += (history.last_seconds - history.mean_seconds) / static_cast<double>(history.timed);
}

graph::TaskRef Engine::append_barrier(std::span<const graph::Access> accesses) {
  const graph::TaskRefs all = last_tasks();
  return dag_.append(accesses, {all.data(), all.size()});
}

void Engine::keep_behind_barrier(graph::TaskRef task) {
  if (dag_.finished(barrier_))
    barrier_ = {};
  else
    dag_.put_behind(task, barrier_);
}

Engine::Submitted Engine::begin(std::size_t number, std::span<const graph::Access> accesses, const Wanted& wanted) {
  Submitted made;
  made.task = wanted.barrier ? append_barrier(accesses) : dag_.append(accesses);
  if (barrier_.id != 0) [[unlikely]]
    keep_behind_barrier(made.task);
  if (wanted.barrier) barrier_ = made.task;
  if (running_.size() <= made.task.slot) running_.resize(made.task.slot + 1);
  try {
    enter(number, made, accesses, wanted);
  } catch (...) {
    give_up(made.task);
    throw;
  }
  return made;
}

const std::shared_ptr<device::Arrival>& Engine::arrival_of(graph::TaskRef task) const {
  static const std::shared_ptr<device::Arrival> none;
  if (dag_.finished(task)) return none;
  const Running& running = running_[task.slot];
  return running.besides && running.besides->announced && running.is_free ? running.besides->words.front() : none;
}

const std::shared_ptr<device::Arrival>& Engine::whole(std::size_t number) {
  Place& place = places_[number];
  if (!place.whole && place.tells) {
    place.whole = place.device->arrival();
    place.tells = place.whole != nullptr;
  }
  return place.whole;
}

bool Engine::goes_on(graph::TaskRef task) const { return dag_.finished(task) || running_[task.slot].is_free; }

bool Engine::is_unhindered(Place& place, graph::TaskRef task, const Wanted& wanted) const {
  // Copies of one direction may share a channel of the device, so that one which waits holds up those behind it.
  if (wanted.copies) {
    std::erase_if(place.stuck_copies, [this](graph::TaskRef copy) { return dag_.finished(copy); });
    if (!place.stuck_copies.empty()) return false;
  }
  const graph::TaskRefs& parents = dag_[task].parents;
  return std::all_of(parents.begin(), parents.end(), [this](graph::TaskRef parent) { return goes_on(parent); });
}

void Engine::wait_for_parents(std::size_t number, Lane& lane, graph::TaskRef task, const graph::TaskRefs& awaited,
                              const Wanted& wanted) {
  for (const graph::TaskRef& parent : awaited) lane.queue->wait(*running_[parent.slot].end);
  // One launch's copies after the other's: pieces of all would take turns on the link, and all would be there late. So
  // nobody begins to wait for one before it has begun to arrive.
  if (wanted.arrival)
    for (const graph::TaskRef& before : places_[number].told)
      if (!dag_.finished(before) && dag_[before].queue != dag_[task].queue)
        lane.queue->wait(*running_[before.slot].end);
  behind_.clear();
  for (const graph::TaskRef& parent : dag_[task].parents) {
    const Running& running = running_[parent.slot];
    if (std::find(wanted.ahead_of.begin(), wanted.ahead_of.end(), parent) != wanted.ahead_of.end()) {
      lane.queue->wait(*running.besides->announced);
      behind_.push_back(running.end);
    } else if (dag_[parent].place != number) {
      lane.queue->wait(*running.end);
    }
  }
}

void Engine::begin_arrivals(std::size_t number) {
  Place& place = places_[number];
  if (place.telling.empty()) return;
  place.told.swap(place.telling);
  place.telling.clear();
}

void Engine::announce(Place& place, const Submitted& made, const Wanted& wanted) {
  place.telling.push_back(made.task);
  Besides& besides = running_[made.task.slot].with_besides();
  besides.words.push_back(wanted.arrival);
  lane_->queue->announce(*wanted.arrival, wanted.arrives_at);
  besides.announced = take_event(place, false);
  lane_->queue->record(*besides.announced);
}

// A queue for the task, behind its parents.
void Engine::enter(std::size_t number, Submitted& made, std::span<const graph::Access> accesses, const Wanted& wanted) {
  Place& place = places_[number];
  graph::Task& task = dag_[made.task];
  task.place = static_cast<std::uint32_t>(number);
  const auto here = [&](const graph::Task& other) {
    if (wanted.ahead_of.empty()) return other.place == number;
    return other.place == number && std::none_of(wanted.ahead_of.begin(), wanted.ahead_of.end(),
                                                 [&](graph::TaskRef ahead) { return ahead.id == other.id; });
  };
  // Copies that tell have queues of their own, one for each of a launch's arrays: they are long in advance of what
  // comes behind them, and queues of the device share what NVIDIA calls connections (CUDA_DEVICE_MAX_CONNECTIONS), in
  // which one that waits holds up the other.
  const bool unhindered = (wanted.copies || !wanted.ahead_of.empty()) && is_unhindered(place, made.task, wanted);
  const auto own =
      wanted.arrival && unhindered ? std::optional(place.telling.size() % most_arrival_queues) : std::nullopt;
  const sched::QueueChoice choice = place.chooser.choose(dag_, made.task, here, own);
  if (choice.is_new) place.lanes.emplace_back();
  Lane& lane = place.lanes[choice.queue];
  if (!lane.queue) lane.queue = place.device->queue({});
  wait_for_parents(number, lane, made.task, choice.awaited, wanted);
  Running& running = running_[made.task.slot];
  running.is_free = unhindered && (lane.tasks.empty() || goes_on(lane.tasks.back()));
  if (wanted.copies && !running.is_free) place.stuck_copies.push_back(made.task);
  if (lane.partition != wanted.partition) {
    lane.queue->set_partition(wanted.partition);
    lane.partition = wanted.partition;
  }
  made.end = take_event(place, wanted.start);
  if (wanted.start) {
    made.start = take_event(place, true);
    lane.queue->record(*made.start);
  }
  if (wanted.history) running.with_besides().history = wanted.history;
  if (wanted.sample) {
    running.with_besides().sample = wanted.sample;
    if (place.samples.size() == most_samples) place.samples.erase(place.samples.begin());
    place.samples.push_back(wanted.sample);
  }
  lane_ = &lane;
  if (wanted.arrival) announce(place, made, wanted);
  for (const graph::TaskRef& copy : wanted.ahead_of) running.with_besides().words.push_back(arrival_of(copy));
  if (trace_) trace(made, accesses, choice.awaited);
}

// There is no event that tells when the task has run. It is over once those before it are: who comes behind it comes
// behind them. What has brought it here (no memory, a GPU that is lost) is told by who calls this.
void Engine::give_up(graph::TaskRef task) {
  for (const graph::TaskRef& parent : dag_[task].parents) {
    try {
      running_[parent.slot].end->wait();
    } catch (const Error& error) {
      base::log_debug("before a task that could not be put into a queue: {}", error.what());
    }
  }
  finish(task);
}

void Engine::trace(const Submitted& made, std::span<const graph::Access> accesses, const graph::TaskRefs& awaited) {
  const graph::Task& task = dag_[made.task];
  TraceTask told;
  for (const graph::TaskRef& parent : task.parents) {
    told.behind.push_back(running_[parent.slot].with_besides().traced);
    if (dag_[parent].place != task.place) told.waits.push_back(running_[parent.slot].with_besides().traced);
  }
  for (const graph::TaskRef& parent : awaited) told.waits.push_back(running_[parent.slot].with_besides().traced);
  for (const graph::Access& access : accesses)
    told.uses.push_back({access.object, graph::modifies(access.mode), access.begin, access.end});
  running_[made.task.slot].with_besides().traced = trace_->begin_task(std::move(told));
}

void Engine::end(Submitted& made) {
  if (trace_) trace_->end_task();
  try {
    for (const auto& copied : behind_) lane_->queue->wait(*copied);
    behind_.clear();
    lane_->queue->record(*made.end);
  } catch (...) {
    give_up(made.task);
    throw;
  }
  Running& running = running_[made.task.slot];
  running.start = made.start;
  running.end = made.end;
  lane_->tasks.push_back(made.task);
  if (++lane_->unpolled >= poll_after) poll(*lane_);
}

void Engine::set_graph(graph::TaskRef task, std::shared_ptr<device::LaunchGraph> graph,
                       std::vector<device::LaunchGraph::Tail> tails) {
  Besides& besides = running_[task.slot].with_besides();
  besides.graph = std::move(graph);
  besides.tails = std::move(tails);
}

void Engine::forget_besides(Place& place, Running& running, std::exception_ptr& failure) {
  for (const device::LaunchGraph::Tail& tail : running.besides->tails) wait_for(*tail.end, *tail.queue, failure);
  tell_history(place, running);
  give(place, running.besides->announced, false);
  running.besides.reset();
}

std::exception_ptr Engine::finish(graph::TaskRef ref) {
  if (dag_.finished(ref)) return nullptr;
  const std::uint32_t asked_place = dag_[ref].place, asked_queue = dag_[ref].queue;
  std::exception_ptr failure;
  dag_.finish(ref, [&](graph::TaskRef done, const graph::Task& task) {
    Place& place = places_[task.place];
    Running& running = running_[done.slot];
    const bool elsewhere = task.place != asked_place || task.queue != asked_queue;
    if (elsewhere && place.device->info().survives_faults)
      wait_for(*running.end, *place.lanes[task.queue].queue, failure);
    if (running.besides) forget_besides(place, running, failure);
    place.chooser.finished(task.queue);
    give(place, running.end, running.start != nullptr);
    give(place, running.start, true);
  });
  return failure;
}

// The queue is in order: what is before a task that is done is done as well. One question for a half of them is enough
// to keep up with any number.
void Engine::poll(Lane& lane) {
  lane.unpolled = 0;
  while (!lane.tasks.empty() && dag_.finished(lane.tasks.front())) lane.tasks.pop_front();
  std::size_t known = lane.tasks.size() / 2 + 1;
  while (known > 0 && (known > lane.tasks.size() || dag_.finished(lane.tasks[known - 1]))) --known;
  if (known == 0) return;
  device::Event& end = *running_[lane.tasks[known - 1].slot].end;
  if (!end.done()) return;
  try {
    end.wait();
  } catch (const Error&) {
    return;  // stays for who waits for it
  }
  for (std::size_t i = 0; i < known; ++i) {
    if (const std::exception_ptr failure = finish(lane.tasks[i])) {
      forgotten_ = failure;  // nobody waits here; synchronize() tells it
      break;
    }
  }
  lane.tasks.erase(lane.tasks.begin(), lane.tasks.begin() + static_cast<std::ptrdiff_t>(known));
}

std::vector<InFlight> Engine::in_flight(const graph::TaskRefs& tasks) {
  std::vector<InFlight> all;
  for (const graph::TaskRef& task : tasks)
    if (!dag_.finished(task)) all.push_back({task, running_[task.slot].end});
  return all;
}

void Engine::wait(const InFlight& work) {
  try {
    work.end->wait();
  } catch (const Error&) {
    const std::lock_guard lock(mutex_);
    if (!dag_.finished(work.task)) {
      const graph::Task& task = dag_[work.task];
      clear_failure(*places_[task.place].lanes[task.queue].queue);
      finish(work.task);
    }
    throw;
  }
  const std::lock_guard lock(mutex_);
  if (const std::exception_ptr failure = finish(work.task)) std::rethrow_exception(failure);
}

void Engine::wait(const graph::TaskRefs& tasks) {
  std::vector<InFlight> all;
  {
    const std::lock_guard lock(mutex_);
    all = in_flight(tasks);
  }
  std::exception_ptr first;
  for (const InFlight& work : all) {
    try {
      wait(work);
    } catch (const Error&) {
      if (!first) first = std::current_exception();
    }
  }
  if (first) std::rethrow_exception(first);
}

graph::TaskRefs Engine::last_tasks() const {
  graph::TaskRefs tasks;
  for (const Place& place : places_)
    for (const Lane& lane : place.lanes)
      if (!lane.tasks.empty()) tasks.push_back(lane.tasks.back());
  return tasks;
}

std::vector<InFlight> Engine::last() { return in_flight(last_tasks()); }

void Engine::synchronize() {
  std::exception_ptr first;
  std::vector<InFlight> all;
  {
    const std::lock_guard lock(mutex_);
    first = std::exchange(forgotten_, nullptr);
    all = last();
  }
  for (const InFlight& work : all) {
    try {
      wait(work);
    } catch (const Error&) {
      if (!first) first = std::current_exception();
    }
  }
  if (first) std::rethrow_exception(first);
}

void Engine::drain() {
  std::vector<InFlight> all;
  {
    const std::lock_guard lock(mutex_);
    all = last();
  }
  for (const InFlight& work : all) {
    try {
      work.end->wait();
    } catch (const Error& error) {
      base::log_debug("the queue holds this for whoever asks: {}", error.what());
    }
  }
}

}  // namespace heddle::runtime
