#include "runtime/call.hpp"

#include <algorithm>
#include <exception>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/fail.hpp"
#include "base/format.hpp"
#include "core/core.hpp"
#include "runtime/buffer.hpp"
#include "runtime/launch.hpp"
#include "sched/turn.hpp"

namespace heddle::runtime {
namespace {

struct Part {
  Buffer* buffer;
  std::uint64_t begin, end;
  Direction direction;
};

std::vector<Part> parts_of(const core::Core& core, std::span<const Argument> arrays) {
  std::vector<Part> parts;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const Argument& array = arrays[i];
    const auto refuse = [&](const std::string& what) {
      base::fail(ErrorCode::invalid_argument, "array {} of a call {}", i + 1, what);
    };
    if (array.kind() != Argument::Kind::array) refuse("is no array; what else the function needs it may have captured");
    if (array.buffer() == nullptr) refuse("was moved from; pass the one it was moved to");
    if (&array.buffer()->core() != &core) refuse("is one of another runtime");
    const std::size_t bytes = array.buffer()->bytes();
    const std::size_t left = bytes - std::min(array.offset(), bytes);
    if (array.offset() > bytes || (array.length() != Argument::rest && array.length() > left))
      refuse(fmt::format("is a slice that reaches out of its array of {}", base::counted(bytes, "byte")));
    parts.push_back({array.buffer(), array.offset(), array.offset() + std::min(array.length(), left),
                     array.direction() == Direction::found ? Direction::inout : array.direction()});
  }
  return parts;
}

graph::Mode mode_of(Direction direction, const Scheduling& policy) {
  if (direction == Direction::out) return graph::Mode::write;
  const bool is_const = direction == Direction::in && policy.dependences == Scheduling::Dependences::with_const;
  return is_const ? graph::Mode::read : graph::Mode::read_write;
}

// Devices know heddle::Error alone.
[[noreturn]] void rethrow_as_error() {
  try {
    throw;
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    base::fail(ErrorCode::invalid_argument, "a function given to Runtime::call threw: {}", error.what());
  } catch (...) {
    base::fail(ErrorCode::invalid_argument, "a function given to Runtime::call threw what is no std::exception");
  }
}

// What the function is called with, wherever and whenever that is.
struct Task {
  const core::Core& core;
  CallFunction function;
  std::string device;
  std::vector<Call::Item> arrays;
  void run(void* stream) const {
    try {
      const core::InCall in_call(core);
      function(Call(device, stream, arrays));
    } catch (...) {
      rethrow_as_error();
    }
  }
};

// What the function throws at once is a failure of the task too, and is not thrown to the caller of Runtime::call.
void put(device::Queue& queue, const std::shared_ptr<Task>& task) {
  try {
    queue.call_with_stream([task](void* stream) { task->run(stream); });
  } catch (const Error&) {
    queue.call([failure = std::current_exception()] { std::rethrow_exception(failure); });
  }
}

std::vector<graph::Access> logical_accesses(core::Core& core, std::span<const Part> parts,
                                            std::span<memory::Array* const> pinned) {
  std::vector<graph::Access> accesses;
  for (const Part& part : parts)
    accesses.push_back({core.logical_object(part.buffer->array()), mode_of(part.direction, core.scheduler().policy()),
                        part.begin, part.end});
  for (memory::Array* const array : pinned)
    accesses.push_back({core.logical_object(*array), graph::Mode::read_write, 0, array->bytes()});
  return accesses;
}

std::vector<graph::Access> acquire(core::Core& core, std::size_t place, std::span<const Part> parts,
                                   std::span<memory::Array* const> pinned) {
  std::vector<graph::Access> accesses;
  for (const Part& part : parts)
    accesses.push_back(core.transfers().acquire(part.buffer->array(), place, part.begin, part.end,
                                                mode_of(part.direction, core.scheduler().policy())));
  for (memory::Array* const array : core.pinned().still(place, pinned))
    accesses.push_back(core.transfers().acquire(*array, place, 0, array->bytes(), graph::Mode::read_write));
  return accesses;
}

// Has the arrays copied to the place, once no other call is open.
std::vector<graph::Access> acquire_all(core::Core& core, std::size_t place, std::span<const Part> parts,
                                       std::span<memory::Array* const> pinned, base::Lock& lock,
                                       sched::MemoryManager::Pressure& pressure) {
  std::vector<memory::Array*> arrays;
  for (const Part& part : parts) arrays.push_back(&part.buffer->array());
  for (;;) {
    core.calls().wait_for_all(lock);
    core.replayer().flush();
    if (core.memory().allocate(arrays, static_cast<memory::Space>(place), lock, pressure, "a call")) continue;
    std::vector<graph::Access> accesses = acquire(core, place, parts, pinned);
    if (core.scheduler().policy().prefetch || !wait_for_moves(core, accesses, lock)) return accesses;
  }
}

// The function is called now, by this thread, without the lock: the task has its place in the order, and a queue of its
// own.
HEDDLE_RELEASES_LOCK graph::TaskRef submit_open(core::Core& core, std::size_t place,
                                                std::span<const graph::Access> accesses,
                                                std::span<memory::Array* const> arrays,
                                                const std::shared_ptr<Task>& task, bool timed, base::Lock& lock) {
  const std::size_t queue = core.dedicated_queues().take(place);
  core.calls().open(arrays);
  std::optional<sched::Scheduler::OpenTask> open;
  try {
    open = core.scheduler().open(place, accesses, {.timed = timed, .dedicated = queue});
  } catch (...) {
    core.calls().close(arrays);
    core.dedicated_queues().release(place, queue);
    throw;
  }
  std::exception_ptr failure;
  lock.unlock();
  try {
    core.device(place).commands([&] { put(*open->queue->queue, task); });
  } catch (...) {
    failure = std::current_exception();
  }
  lock.lock();
  core.calls().close(arrays);
  core.dedicated_queues().release(place, queue);
  const graph::TaskRef made = open->task;
  core.scheduler().close(std::move(*open));
  if (auto* const dispatcher = core.dispatcher()) dispatcher->dispatch();  // held tasks may have waited for the call
  if (failure) std::rethrow_exception(failure);
  return made;
}

}  // namespace

std::shared_ptr<LaunchState> call(const std::shared_ptr<core::Core>& core, const CallOptions& options,
                                  CallFunction function, std::span<const Argument> arrays) {
  if (!function) base::fail(ErrorCode::invalid_argument, "Runtime::call was given no function");
  const std::vector<Part> parts = parts_of(*core, arrays);
  const std::size_t place = core->find(options.device);
  const auto space = static_cast<memory::Space>(place);
  auto task = std::make_shared<Task>(Task{*core, std::move(function), core->device(place).info().id, {}});
  sched::MemoryManager::Pressure pressure;
  base::Lock lock(core->mutex());
  core->wait_until_all_submitted(lock);
  const auto pinned_now = core->pinned().at(place);
  std::vector<memory::Array*> used(pinned_now.begin(), pinned_now.end());
  std::optional<sched::Turn> turn;  // before others that launch with the same arrays
  if (core->dispatcher()) turn.emplace(*core->dispatcher(), logical_accesses(*core, parts, used), lock);
  const std::vector<graph::Access> accesses = acquire_all(*core, place, parts, used, lock, pressure);
  used = core->pinned().still(place, used);
  for (const Part& part : parts) {
    memory::Array& array = part.buffer->array();
    used.push_back(&array);
    task->arrays.push_back(
        {reinterpret_cast<void*>(array.address(space) + part.begin), static_cast<std::size_t>(part.end - part.begin)});
  }
  graph::TaskRef made;
  if (core->device(place).info().has_streams)
    made = submit_open(*core, place, accesses, used, task, options.timed, lock);
  else
    made = core->scheduler().submit(place, accesses, [&](device::Queue& queue) { put(queue, task); },
                                    {.timed = options.timed});
  for (const Part& part : parts)
    if (part.direction == Direction::out) part.buffer->array().modified(space, part.begin, part.end);
  sched::TaskEvents events;
  if (options.timed) events = core->scheduler().tracker()[made];
  turn.reset();
  lock.unlock();
  auto state = std::make_shared<LaunchState>(core, place, made, std::move(events));
  if (core->scheduler().policy().execution == Scheduling::Execution::sync) state->wait();
  return state;
}

void call_host(core::Core& core, const CallFunction& function, std::span<const Argument> arrays) {
  if (!function) base::fail(ErrorCode::invalid_argument, "Runtime::call_host was given no function");
  const std::vector<Part> parts = parts_of(core, arrays);
  std::vector<Call::Item> items(parts.size());
  // First what is modified, which may have the host's copy lie elsewhere from then on.
  for (const bool modified : {true, false}) {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const Part& part = parts[i];
      if ((part.direction != Direction::in) != modified) continue;
      void* const data = modified ? part.buffer->write(part.begin, part.end)
                                  : const_cast<void*>(part.buffer->read(part.begin, part.end));
      items[i] = {data, static_cast<std::size_t>(part.end - part.begin)};
    }
  }
  function(Call("host", nullptr, items));
}

}  // namespace heddle::runtime
