#include "runtime/launch_steps.hpp"

#include <algorithm>
#include <cstring>

#include "base/kernel_name.hpp"
#include "runtime/footprint.hpp"

namespace heddle::runtime {
namespace {

bool are_ready(const sched::BoundLaunch& launch) {
  const auto space = static_cast<memory::Space>(launch.place);
  return std::all_of(launch.arrays.begin(), launch.arrays.end(), [space](const sched::ArrayUse& use) {
    return use.array->allocated(space) && use.array->open_uses == 0;
  });
}

// The first launches of a kernel, and some of the others, are timed for its history; fewer once there are many, as a
// time takes the host as long as a launch.
constexpr bool is_timed(std::uint64_t launch) {
  return launch < 4 || (launch < 1024 ? launch % 64 == 0 : launch % 256 == 0);
}

void add_time(KernelHistory& history, std::uint64_t blocks, const sched::TaskEvents& events) {
  history.last_timed_blocks = blocks;
  history.last_seconds = static_cast<double>(events.end->completed_ns() - events.start->completed_ns()) * 1e-9;
  ++history.timed;
  history.mean_seconds += (history.last_seconds - history.mean_seconds) / static_cast<double>(history.timed);
}

}  // namespace

void make_arrays_ready(core::Core& core, const sched::BoundLaunch& launch, base::Lock& lock,
                       sched::MemoryManager::Pressure& pressure) {
  if (are_ready(launch) && core.calls().none()) [[likely]]
    return;
  std::vector<memory::Array*> arrays;
  for (const sched::ArrayUse& use : launch.arrays) arrays.push_back(use.array);
  std::vector<memory::Array*> all = arrays;
  do {
    const auto pinned = core.pinned().at(launch.place);
    all.resize(arrays.size());
    all.insert(all.end(), pinned.begin(), pinned.end());
    core.calls().wait(lock, all);
  } while (core.memory().allocate(arrays, static_cast<memory::Space>(launch.place), lock, pressure,
                                  "kernel " + base::demangled(launch.kernel->name())));
}

namespace {

void add_variables(Accesses& accesses, const sched::BoundLaunch& launch) {
  if (const auto variables = launch.kernel->variables())
    accesses.push_back(launch.kernel->variables_access(launch.place, *variables));
}

}  // namespace

bool use_resident(core::Core& core, sched::BoundLaunch& launch, Accesses& accesses) {
  if (!core.scheduler().policy().prefetch || !core.pinned().none(launch.place) || !core.calls().none()) return false;
  const auto space = static_cast<memory::Space>(launch.place);
  const graph::TaskId now = core.scheduler().dag().last();
  for (const sched::ArrayUse& use : launch.arrays) {
    const std::uint64_t end = use.used ? use.end : use.begin;
    const memory::Copy* const copy = use.array->use_if_there(space, use.begin, end, use.mode, now);
    if (copy == nullptr) return false;
    const std::uint64_t address = copy->address + use.given;
    std::memcpy(launch.packed.data() + use.packed_at, &address, sizeof address);
    accesses.push_back({copy->object, use.mode, use.begin, end});
  }
  add_variables(accesses, launch);
  return true;
}

Accesses acquire(core::Core& core, const sched::BoundLaunch& launch, const sched::EarlyStart& early) {
  Accesses accesses;
  for (std::size_t i = 0; i < launch.arrays.size(); ++i) {
    const sched::ArrayUse& use = launch.arrays[i];
    const std::uint64_t end = use.used ? use.end : use.begin;
    accesses.push_back(core.transfers().acquire(*use.array, launch.place, use.begin, end, use.mode, early.purpose(i)));
  }
  const auto pinned = core.pinned().at(launch.place);
  // Of an array whose address was taken later it can know nothing, and it is in no order with other launches there.
  const auto known = [&](memory::Array* array) {
    return !launch.pinned || std::find(launch.pinned->begin(), launch.pinned->end(), array) != launch.pinned->end();
  };
  for (memory::Array* const array : pinned)
    if (known(array))
      accesses.push_back(core.transfers().acquire(*array, launch.place, 0, array->bytes(), graph::Mode::read_write));
  add_variables(accesses, launch);
  return accesses;
}

bool count_launch(KernelHistory& history, const device::LaunchConfig& config) {
  history.last_grid = config.grid;
  history.last_block = config.block;
  history.last_shared = config.dynamic_shared_bytes;
  return is_timed(history.launches++);
}

sched::Submission timed_submission(const std::shared_ptr<KernelHistory>& history, std::uint64_t blocks) {
  sched::Submission submission;
  submission.timed = true;
  submission.on_finished = [history, blocks](const sched::TaskEvents& events) { add_time(*history, blocks, events); };
  return submission;
}

sched::Submission submission_of(const sched::BoundLaunch& launch, const device::Partition* partition) {
  const std::shared_ptr<KernelHistory>& history = launch.kernel->history();
  sched::Submission submission = count_launch(*history, launch.config) || launch.timed
                                     ? timed_submission(history, launch.blocks.size())
                                     : sched::Submission();
  submission.barrier = launch.opaque;
  submission.partition = partition;
  return submission;
}

void settle_arrays(core::Core& core, const sched::BoundLaunch& launch) {
  const Scheduling& policy = core.scheduler().policy();
  const bool copies_back = policy.execution == Scheduling::Execution::async && policy.prefetch;
  for (const sched::ArrayUse& use : launch.arrays) {
    if (!graph::modifies(use.mode)) continue;  // the host expects no other bytes than before
    if (use.mode == graph::Mode::write)
      use.array->modified(static_cast<memory::Space>(launch.place), use.begin, use.end);
    if (copies_back && use.array->read_back().due()) core.transfers().copy_back(*use.array);
  }
}

std::shared_ptr<const device::Footprint> footprint_of(core::Core& core, const sched::BoundLaunch& launch,
                                                      const KernelState& kernel) {
  return footprint_of(launch, kernel, core.pinned().at(launch.place));
}

}  // namespace heddle::runtime
