// A launch in flight or done.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <span>

#include "heddle/launch.hpp"
#include "runtime/engine.hpp"
#include "runtime/module_state.hpp"
#include "runtime/replayer.hpp"

namespace heddle::runtime {

class Core;

class LaunchState {
 public:
  LaunchState(std::shared_ptr<KernelState> kernel, std::size_t place, Engine::Submitted submitted)
      : kernel_(std::move(kernel)), place_(place), submitted_(std::move(submitted)) {}
  LaunchState(std::shared_ptr<KernelState> kernel, std::size_t place, Replayer::Held held)
      : kernel_(std::move(kernel)), place_(place), held_(std::move(held)) {}
  // Of a task that is no kernel.
  LaunchState(std::shared_ptr<Core> core, std::size_t place, Engine::Submitted submitted)
      : core_(std::move(core)), place_(place), submitted_(std::move(submitted)) {}
  bool done() const;
  void wait() const;
  double seconds() const;
  const std::string& device() const;

 private:
  // What it became when it was launched, which it is now if it was held. Throws what failed then.
  Engine::Submitted submitted() const;
  Core& core() const;

  std::shared_ptr<KernelState> kernel_;  // null: no kernel
  std::shared_ptr<Core> core_ = {};      // where there is no kernel
  std::size_t place_;
  Engine::Submitted submitted_;
  std::optional<Replayer::Held> held_;
};

// Waits for what a task with these accesses needs and is still on its way, without the lock. Whether it had to.
bool wait_for_moves(Core& core, std::span<const graph::Access> accesses, std::unique_lock<std::mutex>& lock);

// See heddle::Runtime::launch.
std::shared_ptr<LaunchState> launch(const std::shared_ptr<Core>& core, const std::shared_ptr<KernelState>& kernel,
                                    const LaunchOptions& options, std::span<const Argument> arguments);

}  // namespace heddle::runtime
