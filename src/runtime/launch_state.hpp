// A launch in flight or done.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "heddle/launch.hpp"
#include "runtime/module_state.hpp"

namespace heddle::runtime {

class Core;

class LaunchState {
 public:
  LaunchState(std::shared_ptr<KernelState> kernel, std::size_t place, std::shared_ptr<device::Event> start,
              std::shared_ptr<device::Event> end)
      : kernel_(std::move(kernel)), place_(place), start_(std::move(start)), end_(std::move(end)) {}
  bool done() const { return end_->done(); }
  void wait() const;
  double seconds() const;
  const std::string& device() const;

 private:
  std::shared_ptr<KernelState> kernel_;
  std::size_t place_;
  std::shared_ptr<device::Event> start_, end_;
};

// See heddle::Runtime::launch.
std::shared_ptr<LaunchState> launch(const std::shared_ptr<Core>& core, const std::shared_ptr<KernelState>& kernel,
                                    const LaunchOptions& options, std::span<const Argument> arguments);

}  // namespace heddle::runtime
