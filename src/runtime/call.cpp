#include "runtime/call.hpp"

#include <algorithm>
#include <exception>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/fail.hpp"
#include "base/format.hpp"
#include "runtime/buffer.hpp"
#include "runtime/core.hpp"
#include "runtime/launch_state.hpp"

namespace heddle::runtime {
namespace {

struct Part {
  Buffer* buffer;
  std::uint64_t begin, end;
  Direction direction;
};

std::vector<Part> parts_of(const Core& core, std::span<const Argument> arrays) {
  std::vector<Part> parts;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const Argument& array = arrays[i];
    const auto refuse = [&](const std::string& what) {
      base::fail(ErrorCode::invalid_argument, "array {} of a call {}", i + 1, what);
    };
    if (array.kind() != Argument::Kind::array) refuse("is no array; what else the function needs it may have captured");
    if (array.buffer() == nullptr) refuse("was moved from; pass the one it was moved to");
    if (array.buffer()->core().get() != &core) refuse("is one of another runtime");
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
  const Core& core;
  CallFunction function;
  std::string device;
  std::vector<Call::Item> arrays;
  void run(void* stream) const {
    try {
      const InCall in_call(core);
      function(Call(device, stream, arrays));
    } catch (...) {
      rethrow_as_error();
    }
  }
};

// What the function throws at once is the task's failure too, not that of who asked for it.
void put(device::Queue& queue, const std::shared_ptr<Task>& task) {
  try {
    queue.call_with_stream([task](void* stream) { task->run(stream); });
  } catch (const Error&) {
    queue.call([failure = std::current_exception()] { std::rethrow_exception(failure); });
  }
}

std::vector<graph::Access> acquire(std::size_t place, std::span<const Part> parts,
                                   const std::vector<std::shared_ptr<Buffer>>& pinned, const Scheduling& policy) {
  std::vector<graph::Access> accesses;
  for (const Part& part : parts)
    accesses.push_back(part.buffer->acquire(place, part.begin, part.end, mode_of(part.direction, policy)));
  for (const auto& buffer : pinned)
    accesses.push_back(buffer->acquire(place, 0, buffer->bytes(), graph::Mode::read_write));
  return accesses;
}

}  // namespace

std::shared_ptr<LaunchState> call(const std::shared_ptr<Core>& core, const CallOptions& options, CallFunction function,
                                  std::span<const Argument> arrays) {
  if (!function) base::fail(ErrorCode::invalid_argument, "Runtime::call was given no function");
  const std::vector<Part> parts = parts_of(*core, arrays);
  const std::size_t place = core->find(options.device);
  auto task = std::make_shared<Task>(Task{*core, std::move(function), core->place(place).device->info().id, {}});
  const Scheduling& policy = core->engine().policy();
  std::vector<std::shared_ptr<Buffer>> pinned;  // outlive the lock, which their end takes
  std::unique_lock lock(core->mutex());
  core->replayer().settle();
  pinned = core->pinned(place);
  std::vector<graph::Access> accesses = acquire(place, parts, pinned, policy);
  while (!policy.prefetch && wait_for_moves(*core, accesses, lock)) accesses = acquire(place, parts, pinned, policy);
  for (const Part& part : parts)
    task->arrays.push_back({reinterpret_cast<void*>(part.buffer->address(place) + part.begin),
                            static_cast<std::size_t>(part.end - part.begin)});
  Engine::Submitted submitted =
      core->engine().submit(place, accesses, [&](device::Queue& queue) { put(queue, task); }, {.start = options.timed});
  for (const Part& part : parts)
    if (part.direction == Direction::out) part.buffer->overwritten(place, part.begin, part.end);
  auto state = std::make_shared<LaunchState>(core, place, std::move(submitted));
  if (policy.execution == Scheduling::Execution::sync) {
    lock.unlock();
    state->wait();
  }
  return state;
}

void call_host(Core& core, const CallFunction& function, std::span<const Argument> arrays) {
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
