// A launch: from the program's call to the task that it becomes.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>

#include "heddle/launch.hpp"
#include "runtime/core.hpp"
#include "runtime/kernel_state.hpp"

namespace heddle::runtime {

// A launch in flight or done.
class LaunchState {
 public:
  // `events`: where the program has asked for times.
  LaunchState(std::shared_ptr<KernelState> kernel, std::size_t place, graph::TaskRef task, sched::TaskEvents events)
      : kernel_(std::move(kernel)), place_(place), task_(task), events_(std::move(events)) {}
  LaunchState(std::shared_ptr<KernelState> kernel, sched::Replayer::Held held)
      : kernel_(std::move(kernel)), place_(held.place), held_(std::move(held)) {}
  // Managed mode.
  LaunchState(std::shared_ptr<KernelState> kernel, std::size_t place, std::shared_ptr<sched::HeldTask> task)
      : kernel_(std::move(kernel)), place_(place), managed_(std::move(task)) {}
  // Of a task that is not a kernel.
  LaunchState(std::shared_ptr<Core> core, std::size_t place, graph::TaskRef task, sched::TaskEvents events)
      : core_(std::move(core)), place_(place), task_(task), events_(std::move(events)) {}
  bool done() const;
  void wait() const;
  double seconds() const;
  const std::string& device() const;

 private:
  // The task that it became when it was submitted, which it is now if it was held; `lock` is given back meanwhile.
  // Throws what failed then.
  graph::TaskRef task(base::Lock& lock) const;
  Core& core() const { return kernel_ ? kernel_->core() : *core_; }

  std::shared_ptr<KernelState> kernel_ = {};  // null: no kernel
  std::shared_ptr<Core> core_ = {};           // where there is no kernel
  std::size_t place_;
  graph::TaskRef task_ = {};
  sched::TaskEvents events_ = {};
  std::optional<sched::Replayer::Held> held_ = {};
  std::shared_ptr<sched::HeldTask> managed_ = {};
};

// Waits for copies that a task with these accesses needs and that are still under way, without the lock. Whether it had
// to.
bool wait_for_moves(Core& core, std::span<const graph::Access> accesses, base::Lock& lock);

// See heddle::Runtime::launch.
std::shared_ptr<LaunchState> launch(Core& core, const std::shared_ptr<KernelState>& kernel,
                                    const LaunchOptions& options, std::span<const Argument> arguments);

}  // namespace heddle::runtime
