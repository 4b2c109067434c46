// A launch: from the program's call to the task that it becomes.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>

#include "core/core.hpp"
#include "heddle/launch.hpp"
#include "runtime/kernel_state.hpp"

namespace heddle::runtime {

// A launch in flight or done.
class LaunchState {
 public:
  // `events`: empty unless the launch is timed.
  LaunchState(std::shared_ptr<KernelState> kernel, std::size_t place, graph::TaskRef task, sched::TaskEvents events)
      : kernel_(std::move(kernel)), place_(place), task_(task) {
    if (events.end) [[unlikely]]
      extras_ = std::make_unique<Extras>(Extras{.events = std::move(events)});
  }
  LaunchState(std::shared_ptr<KernelState> kernel, std::size_t place, graph::TaskRef task)
      : kernel_(std::move(kernel)), place_(place), task_(task) {}
  LaunchState(std::shared_ptr<KernelState> kernel, const sched::Replayer::Held& held)
      : kernel_(std::move(kernel)), place_(held.place), held_(held.launch) {}
  // Managed mode.
  LaunchState(std::shared_ptr<KernelState> kernel, std::size_t place, std::shared_ptr<sched::HeldTask> task)
      : kernel_(std::move(kernel)),
        place_(place),
        extras_(std::make_unique<Extras>(Extras{.managed = std::move(task)})) {}
  // Of a task that is not a kernel.
  LaunchState(std::shared_ptr<core::Core> core, std::size_t place, graph::TaskRef task, sched::TaskEvents events)
      : place_(place),
        task_(task),
        extras_(std::make_unique<Extras>(Extras{.core = std::move(core), .events = std::move(events)})) {}
  bool done() const;
  void wait() const;
  double seconds() const;
  const std::string& device() const;

 private:
  // Members that few launches need.
  struct Extras {
    std::shared_ptr<core::Core> core = {};  // if there is no kernel
    sched::TaskEvents events = {};
    std::shared_ptr<sched::HeldTask> managed = {};
  };

  // The task of the launch. If the launch is held, it is submitted now. Releases `lock` meanwhile. Throws the failure
  // of the submission.
  graph::TaskRef task(base::Lock& lock) const;
  core::Core& core() const { return kernel_ ? kernel_->core() : *extras_->core; }
  sched::HeldTask* managed() const { return extras_ ? extras_->managed.get() : nullptr; }

  std::shared_ptr<KernelState> kernel_ = {};  // null: no kernel
  std::size_t place_;
  graph::TaskRef task_ = {};
  sched::HeldBatches::Launch held_ = {};  // by the replayer
  std::unique_ptr<Extras> extras_ = {};
};

// Waits for the copies in flight that a task with these accesses needs. Releases the lock meanwhile. Returns whether
// there were any.
bool wait_for_moves(core::Core& core, std::span<const graph::Access> accesses, base::Lock& lock) HEDDLE_RELEASES_LOCK;

// See heddle::Runtime::launch. `queue`: the launch queue in which a policy holds it; null: the runtime's own.
std::shared_ptr<LaunchState> launch(core::Core& core, const std::shared_ptr<KernelState>& kernel,
                                    const LaunchOptions& options, std::span<const Argument> arguments,
                                    sched::LaunchQueue* queue = nullptr);

}  // namespace heddle::runtime
