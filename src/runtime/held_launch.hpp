// A launch that is held until the policy submits it, whole or in ranges of blocks.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/core.hpp"
#include "runtime/kernel_state.hpp"
#include "sched/held_task.hpp"

namespace heddle::runtime {

class HeldLaunch final : public sched::Work {
 public:
  // `partition`: the processors that the program has chosen; null: the policy may choose. Must be called without the
  // core's lock.
  HeldLaunch(core::Core& core, KernelState& kernel, sched::BoundLaunch launch, device::Function& function,
             const device::Partition* partition);
  ~HeldLaunch() override;

  sched::BoundLaunch& launch() { return launch_; }
  std::string_view name() const override { return kernel_.name(); }
  std::size_t place() const override { return launch_.place; }
  BlockRange blocks() const override { return launch_.blocks; }
  bool divisible() override { return divisible_; }
  sched::LaunchTraits traits() override { return traits_; }
  bool is_ready() override;
  void make_ready() override;
  void submit(BlockRange range, bool last, const device::Partition* partition, device::Event* end) override;
  void failed(const std::exception_ptr& failure) override;
  std::shared_ptr<device::Event> take_event() override;
  void give_event(std::shared_ptr<device::Event> event) override;
  double seconds_per_block() const override { return kernel_.seconds_per_block(launch_.place); }
  void measured(std::uint64_t blocks, double seconds) override {
    kernel_.add_time(launch_.place, seconds / static_cast<double>(blocks));
  }
  graph::TaskRef task() const override { return open_ ? open_->task : done_; }

 private:
  // `whole`: all blocks are submitted at once.
  void open(bool whole, const device::Partition* partition);
  void close();
  void release();

  core::Core& core_;
  KernelState& kernel_;  // its module's destructor waits for all tasks, held or in flight
  sched::BoundLaunch launch_;
  std::vector<unsigned> processors_;  // launch_ points to it
  device::Function& function_;
  const device::Partition* const partition_;
  bool divisible_ = false;
  std::vector<memory::Array*> arrays_;
  sched::MemoryManager::Pressure pressure_;
  std::optional<sched::Scheduler::OpenTask> open_;  // from its first range to its last
  std::optional<std::size_t> queue_;                // its dedicated queue during that time
  graph::TaskRef done_;
  const sched::LaunchTraits traits_;
};

// The launch's accesses to arrays and variables, as objects of the DAG of held tasks; BoundLaunch::pinned is set. The
// host must ask for the arrays from now on.
std::vector<graph::Access> logical_accesses(core::Core& core, sched::BoundLaunch& launch);

}  // namespace heddle::runtime
