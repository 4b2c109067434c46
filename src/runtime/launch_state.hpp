// A launch in flight or done.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "heddle/launch.hpp"
#include "runtime/engine.hpp"
#include "runtime/module_state.hpp"

namespace heddle::runtime {

class Core;

class LaunchState {
 public:
  LaunchState(std::shared_ptr<KernelState> kernel, std::size_t place, Engine::Submitted submitted)
      : kernel_(std::move(kernel)), place_(place), submitted_(std::move(submitted)) {}
  bool done() const { return submitted_.end->done(); }
  void wait() const;
  double seconds() const;
  const std::string& device() const;

 private:
  std::shared_ptr<KernelState> kernel_;
  std::size_t place_;
  Engine::Submitted submitted_;
};

// See heddle::Runtime::launch.
std::shared_ptr<LaunchState> launch(const std::shared_ptr<Core>& core, const std::shared_ptr<KernelState>& kernel,
                                    const LaunchOptions& options, std::span<const Argument> arguments);

}  // namespace heddle::runtime
