#include "runtime/launch_state.hpp"

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <mutex>
#include <utility>
#include <vector>

#include "base/fail.hpp"
#include "base/format.hpp"
#include "runtime/arguments.hpp"
#include "runtime/buffer.hpp"
#include "runtime/core.hpp"
#include "runtime/early_start.hpp"
#include "runtime/footprint.hpp"

namespace heddle::runtime {
namespace {

using Accesses = boost::container::small_vector<graph::Access, 8>;
// Whose accesses they are, of those that are arguments'; for launches that may begin early.
using Parameters = boost::container::small_vector<std::uint32_t, 8>;

graph::Mode mode_of(const Use& use, const Scheduling& policy) {
  // That some of the bytes are written does not mean that all of them are, unless the caller says so.
  if (use.overwrites) return graph::Mode::write;
  const bool is_const = use.access == Access::read && policy.dependences == Scheduling::Dependences::with_const;
  return is_const ? graph::Mode::read : graph::Mode::read_write;
}

// The bytes of an argument that is an array.
struct Bytes {
  std::uint64_t begin, end;
};
Bytes bytes_of(const Argument& argument) {
  const std::uint64_t begin = argument.offset();
  return {begin, begin + std::min(argument.length(), argument.buffer()->bytes() - begin)};
}

// What a launch needs on its place.
struct Needs {
  Core& core;
  std::size_t place;
  KernelState& kernel;
  const KernelInfo& info;
  bool annotated;  // the caller says something of some arguments
  std::span<const Argument> arguments;
  const std::vector<std::shared_ptr<Buffer>>& pinned;
};

// Has the arrays brought to the place; what the launch does to memory there.
Accesses acquire(const Needs& needs, const EarlyStart& early, Parameters& parameters) {
  Accesses accesses;
  parameters.clear();
  const Scheduling& policy = needs.core.engine().policy();
  for (std::size_t i = 0; i < needs.arguments.size(); ++i) {
    const Argument& argument = needs.arguments[i];
    if (argument.kind() != Argument::Kind::array) continue;
    const Parameter& parameter = needs.info.parameters[i];
    const Use use = needs.annotated ? use_of(needs.kernel, parameter, i, argument) : Use{parameter.access, false};
    const bool used = use.access != Access::none;
    const Bytes bytes = used ? bytes_of(argument) : Bytes{0, 0};
    const graph::Access access =
        argument.buffer()->acquire(needs.place, bytes.begin, bytes.end, mode_of(use, policy), early.arriving(i));
    if (!used) continue;
    accesses.push_back(access);
    if (early.has_plan()) parameters.push_back(static_cast<std::uint32_t>(i));
  }
  for (const auto& buffer : needs.pinned)
    accesses.push_back(buffer->acquire(needs.place, 0, buffer->bytes(), graph::Mode::read_write));
  if (const auto variables = needs.kernel.variables())
    accesses.push_back(needs.kernel.module().variables_access(needs.place, *variables));
  return accesses;
}

// Once the launch is made. If it was refused, what was there before still counts.
void overwritten(std::size_t place, KernelState& kernel, std::span<const Argument> arguments) {
  const KernelInfo& info = kernel.info();
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].kind() != Argument::Kind::array) continue;
    if (!use_of(kernel, info.parameters[i], i, arguments[i]).overwrites) continue;
    const Bytes bytes = bytes_of(arguments[i]);
    arguments[i].buffer()->overwritten(place, bytes.begin, bytes.end);
  }
}

}  // namespace

bool wait_for_moves(Core& core, std::span<const graph::Access> accesses, std::unique_lock<std::mutex>& lock) {
  graph::TaskRefs moves;
  for (const graph::Access& access : accesses) {
    for (const graph::TaskRef& task :
         core.engine().dag().hazards({access.object, graph::Mode::read, access.begin, access.end}))
      if (core.engine().dag()[task].is_move) moves.push_back(task);
  }
  if (moves.empty()) return false;
  lock.unlock();
  core.engine().wait(moves);
  lock.lock();
  core.replayer().give_way();
  return true;
}

namespace {

// The same, behind what must be over before the launch is put in.
Accesses brought(const Needs& needs, EarlyStart& early, std::unique_lock<std::mutex>& lock) {
  Parameters parameters;
  Accesses accesses = acquire(needs, early, parameters);
  // While it waits others may launch with the same arrays, of whose bytes the current ones are elsewhere then.
  while (!needs.core.engine().policy().prefetch && wait_for_moves(needs.core, {accesses.data(), accesses.size()}, lock))
    accesses = acquire(needs, early, parameters);
  early.settle(needs.core, needs.place, {accesses.data(), accesses.size()}, {parameters.data(), parameters.size()});
  return accesses;
}

ReplayStep step_of(const LaunchCall& call, device::Function& function, const device::LaunchConfig& config,
                   std::span<const std::byte> packed, std::span<const graph::Access> accesses) {
  const KernelInfo& info = call.kernel.info();
  const Scheduling& policy = call.kernel.module().core()->engine().policy();
  ReplayStep step{.kernel_id = call.kernel.id(), .place = call.place, .anywhere = call.anywhere};
  step.launch = {&function, config, {packed.begin(), packed.end()}, {}};
  step.accesses.assign(accesses.begin(), accesses.end());
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    const Argument& argument = call.arguments[i];
    ReplayStep::Value& value = step.values.emplace_back();
    value = {.tag = argument.tag(),
             .at = info.parameters[i].offset,
             .size = static_cast<std::uint32_t>(argument.value().size()),
             .offset = argument.offset(),
             .length = argument.length()};
    if (argument.kind() != Argument::Kind::array) continue;
    value.buffer = argument.buffer();
    value.buffer_id = value.buffer->id();
    const Use use = use_of(call.kernel, info.parameters[i], i, argument);
    value.mode = mode_of(use, policy);
    if (use.access == Access::none) continue;
    const Bytes bytes = bytes_of(argument);
    value.begin = bytes.begin;
    value.end = bytes.end;
  }
  return step;
}

// What the host is going to ask for begins to move while it does something else.
void copy_back(const Scheduling& policy, std::span<const Argument> arguments) {
  if (policy.execution != Scheduling::Execution::async || !policy.prefetch) return;
  for (const Argument& argument : arguments)
    if (argument.kind() == Argument::Kind::array && argument.buffer()->is_read_back()) argument.buffer()->copy_back();
}

// Whether the launch may be one of a repetition (replayer.hpp).
bool is_plain(const Core& core, const LaunchCall& call) {
  const LaunchOptions& options = call.options;
  // What changes a variable of its module ties a kernel to the first device (placer.hpp).
  if (call.anywhere && call.place != 0 && call.kernel.variables()) return false;
  return !options.blocks && !options.cooperative && !options.timed && options.processors.empty() &&
         core.pinned_none(call.place) && !core.verifies(call.place);
}

// The launch as the one of a repetition that is expected now; null where it is another. What was checked when it was
// recorded is not checked again.
std::shared_ptr<LaunchState> replayed(Core& core, const std::shared_ptr<KernelState>& kernel, const LaunchCall& call) {
  const std::lock_guard lock(core.mutex());
  auto held = core.replayer().take(call);
  if (!held) return nullptr;
  return std::make_shared<LaunchState>(kernel, held->place, std::move(*held));
}

// The first launches of a kernel, and some of the others, are timed for its history; fewer once there are many, as a
// time takes the host as long as a launch.
constexpr bool is_timed(std::uint64_t launch) {
  return launch < 4 || (launch < 1024 ? launch % 64 == 0 : launch % 256 == 0);
}

Engine::Wanted wanted_of(KernelState& kernel, const LaunchOptions& options, const device::Partition* partition,
                         bool barrier) {
  KernelHistory& history = *kernel.history();
  const std::uint64_t number = history.launches++;
  history.last_grid = options.grid;
  history.last_block = options.block;
  history.last_shared = options.shared;
  Engine::Wanted wanted{.start = options.timed || is_timed(number), .partition = partition, .barrier = barrier};
  if (wanted.start) wanted.history = kernel.history();
  return wanted;
}

// Throws invalid_argument where the launch's blocks are none of the grid's; which they are.
BlockRange range_of(const LaunchOptions& options) {
  const BlockRange range = options.blocks.value_or(BlockRange{0, options.grid.count()});
  if (range.begin > range.end || range.end > options.grid.count()) {
    base::fail(ErrorCode::invalid_argument, "blocks {} to {} are no part of a grid of {}", range.begin, range.end,
               base::counted(options.grid.count(), "block"));
  }
  return range;
}

}  // namespace

Core& LaunchState::core() const { return kernel_ ? *kernel_->module().core() : *core_; }

Engine::Submitted LaunchState::submitted() const {
  Core& core = this->core();
  const std::lock_guard lock(core.mutex());
  if (!held_) {
    core.replayer().settle();
    return submitted_;
  }
  const HeldLaunches& launches = *held_->launches;
  core.replayer().settle();
  if (launches.failure) std::rethrow_exception(launches.failure);
  return launches.of(held_->index);
}

bool LaunchState::done() const {
  if (!held_) return submitted_.end->done();
  try {
    return submitted().end->done();
  } catch (const Error&) {
    return true;  // wait() tells it
  }
}

void LaunchState::wait() const {
  const Engine::Submitted made = submitted();
  core().engine().wait({made.task, made.end});
}

double LaunchState::seconds() const {
  if (!submitted_.start)
    base::fail(ErrorCode::invalid_argument, "the {} was not timed: set {}::timed",
               kernel_ ? "launch of kernel " + kernel_->name() : "call", kernel_ ? "LaunchOptions" : "CallOptions");
  wait();
  return static_cast<double>(submitted_.end->completed_ns() - submitted_.start->completed_ns()) * 1e-9;
}

const std::string& LaunchState::device() const { return core().place(place_).device->info().id; }

std::shared_ptr<LaunchState> launch(const std::shared_ptr<Core>& core, const std::shared_ptr<KernelState>& kernel,
                                    const LaunchOptions& options, std::span<const Argument> arguments) {
  if (kernel->module().core() != core) {
    base::fail(ErrorCode::invalid_argument, "kernel {} belongs to another runtime", kernel->name());
  }
  Placer* const placer = options.device.empty() ? core->placer() : nullptr;
  if (placer) placer->prepare();
  LaunchCall call{*kernel, core->find(options.device), placer != nullptr, options, arguments};
  // Outlive the lock: this may be their last owner, and their end takes it.
  std::vector<std::shared_ptr<Buffer>> pinned;
  std::unique_lock lock(core->mutex(), std::defer_lock);
  if (core->replayer().follows())
    if (auto state = replayed(*core, kernel, call)) return state;
  const KernelInfo& info = kernel->info();
  const ArgumentsFound found = check_arguments(*kernel, info, arguments);
  const bool annotated = found.annotated || kernel->annotated();
  const BlockRange range = range_of(options);

  lock.lock();
  core->replayer().give_way();
  if (placer) call.place = placer->choose(*kernel, options, arguments);
  const std::size_t place = call.place;
  device::Function& function = kernel->on(place);
  function.prepare(options.block);  // first, so that making code is no part of the launch's time
  const graph::TaskId before = core->engine().dag().last();
  pinned = core->pinned(place);
  EarlyStart early;
  const Scheduling& policy = core->engine().policy();
  if (found.largest >= policy.early_start_bytes && !found.opaque) early.plan(*core, place, *kernel, options, arguments);
  const Accesses accesses = brought({*core, place, *kernel, info, annotated, arguments, pinned}, early, lock);
  const bool moved = core->engine().dag().last() != before;
  boost::container::small_vector<std::byte, 256> bytes(kernel->packed_bytes(), boost::container::default_init);
  const std::span<std::byte> packed(bytes.data(), bytes.size());
  pack_arguments(info, place, arguments, packed);
  const device::Partition* const partition =
      options.processors.empty() ? nullptr : &core->partition(place, options.processors);
  const device::LaunchConfig config{options.grid, options.block, options.shared, options.cooperative};
  Engine::Wanted wanted = wanted_of(*kernel, options, partition, found.opaque);
  early.complete(wanted);
  Engine::Submitted submitted = core->engine().submit(
      place, {accesses.data(), accesses.size()},
      [&](device::Queue& queue) {
        if (core->verifies(place)) set_footprint(queue, place, *kernel, found.opaque, arguments, pinned);
        device::Function* const awaiting = early.function();
        queue.launch(awaiting ? *awaiting : function, config, range, awaiting ? early.arguments(packed) : packed);
      },
      wanted);
  if (annotated) overwritten(place, *kernel, arguments);
  copy_back(policy, arguments);
  if (core->replayer().on())
    core->replayer().made(call, !moved && !found.opaque && is_plain(*core, call),
                          [&] { return step_of(call, function, config, packed, {accesses.data(), accesses.size()}); });
  if (!options.timed) submitted.start.reset();  // that some have a time is no promise
  auto state = std::make_shared<LaunchState>(kernel, place, std::move(submitted));
  if (policy.execution == Scheduling::Execution::sync) {
    lock.unlock();
    state->wait();
  }
  return state;
}

}  // namespace heddle::runtime
