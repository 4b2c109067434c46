#include "runtime/held_launch.hpp"

#include <utility>

#include "runtime/launch_steps.hpp"
#include "runtime/launch_traits.hpp"

namespace heddle::runtime {

HeldLaunch::HeldLaunch(core::Core& core, KernelState& kernel, sched::BoundLaunch launch, device::Function& function,
                       const device::Partition* partition)
    : core_(core),
      kernel_(kernel),
      launch_(std::move(launch)),
      function_(function),
      partition_(partition),
      traits_(traits_of(kernel.id(), function, launch_.config)) {
  if (launch_.processors != nullptr) processors_ = *launch_.processors;
  if (launch_.processors != nullptr) launch_.processors = &processors_;
  arrays_.reserve(launch_.arrays.size());
  for (const sched::ArrayUse& use : launch_.arrays) arrays_.push_back(use.array);
  divisible_ =
      !launch_.config.cooperative && core.ranges() && kernel_.blocks_independent() && function_.prepare_ranges();
}

HeldLaunch::~HeldLaunch() = default;

bool HeldLaunch::is_ready() {
  const auto space = static_cast<memory::Space>(launch_.place);
  for (const memory::Array* const array : arrays_)
    if (!array->allocated(space) || array->open_uses > 0) return false;
  return true;
}

void HeldLaunch::make_ready() {
  base::Lock lock(core_.mutex());
  try {
    make_arrays_ready(core_, launch_, lock, pressure_);
  } catch (...) {
    pressure_.release();  // the launch fails, and others may take what memory there is
    throw;
  }
}

void HeldLaunch::open(bool whole, const device::Partition* partition) {
  const sched::EarlyStart none;
  const Accesses accesses = acquire(core_, launch_, none);
  launch_.put_addresses();
  sched::Submission submission = submission_of(launch_, partition);
  if (!whole) submission.dedicated = queue_ = core_.dedicated_queues().take(launch_.place);
  for (memory::Array* const array : arrays_) ++array->partial_uses;
  try {
    open_ = core_.scheduler().open(launch_.place, {accesses.data(), accesses.size()}, submission);
  } catch (...) {
    release();
    throw;
  }
}

void HeldLaunch::release() {
  for (memory::Array* const array : arrays_) --array->partial_uses;
  if (queue_) core_.dedicated_queues().release(launch_.place, *std::exchange(queue_, std::nullopt));
  pressure_.release();
}

void HeldLaunch::close() {
  done_ = open_->task;
  release();
  core_.scheduler().close(*std::exchange(open_, std::nullopt));
  settle_arrays(core_, launch_);
}

void HeldLaunch::submit(BlockRange range, bool last, const device::Partition* chosen, device::Event* end) {
  const device::Partition* const partition = partition_ != nullptr ? partition_ : chosen;
  if (!open_) open(last, partition);
  try {
    core_.scheduler().put(*open_, partition, [&](device::Queue& queue) {
      if (launch_.verified) queue.set_footprint(footprint_of(core_, launch_, kernel_));
      queue.launch(function_, launch_.config, range, launch_.arguments());
      if (end != nullptr) queue.record(*end);
    });
  } catch (...) {
    close();
    throw;
  }
  if (last) close();
}

void HeldLaunch::failed(const std::exception_ptr& failure) {
  for (const sched::ArrayUse& use : launch_.arrays)
    if (graph::modifies(use.mode)) use.array->failure = failure;
}

std::shared_ptr<device::Event> HeldLaunch::take_event() { return core_.scheduler().take_event(launch_.place, true); }

void HeldLaunch::give_event(std::shared_ptr<device::Event> event) {
  core_.scheduler().give_event(launch_.place, std::move(event), true);
}

std::vector<graph::Access> logical_accesses(core::Core& core, sched::BoundLaunch& launch) {
  const auto pinned = core.pinned().at(launch.place);
  launch.pinned.emplace(pinned.begin(), pinned.end());
  std::vector<graph::Access> accesses;
  accesses.reserve(launch.arrays.size() + pinned.size() + 1);
  for (const sched::ArrayUse& use : launch.arrays) {
    if (!use.used) continue;
    use.array->restrict_host(use.mode);
    accesses.push_back({core.logical_object(*use.array), use.mode, use.begin, use.end});
  }
  for (memory::Array* const array : pinned)
    accesses.push_back({core.logical_object(*array), graph::Mode::read_write, 0, array->bytes()});
  if (const auto variables = launch.kernel->variables())
    accesses.push_back({launch.kernel->logical_variables(), *variables, 0, 1});
  return accesses;
}

}  // namespace heddle::runtime
