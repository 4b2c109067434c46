// Tenants: parts of a program that share its devices without hurting each other. The policy of the runtime decides
// (RuntimeOptions::policy; docs/tenants.md): "lithos" is made for them.
//
//   heddle::Runtime runtime({.policy = "lithos"});
//   heddle::Tenant search = runtime.tenant({.name = "search", .kind = heddle::TenantKind::latency, .quota = 0.75});
//   heddle::Tenant train = runtime.tenant({.name = "train"});
//   search.launch(kernel, {.grid = {64}, .block = {256}}, n, x, y);
//   heddle::Queue queue = train.queue(runtime.device("cpu"));
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "heddle/device.hpp"
#include "heddle/launch.hpp"
#include "heddle/queue.hpp"

namespace heddle {

namespace core {
class TenantState;
}

enum class TenantKind : std::uint8_t {
  latency,  // somebody waits for each of its requests
  batch     // only the rate counts
};

struct TenantOptions {
  std::string name = {};
  TenantKind kind = TenantKind::batch;
  // The part of each device's processors that is its own while it has work, 0 to 1. The quotas of all tenants that
  // exceed 1 together shrink in proportion. A tenant without a quota runs on processors that nobody uses.
  double quota = 0;
  // How many times slower than with all of its processors a kernel may be, so that it takes fewer: 1.1 is 10 %. 0: not
  // at all.
  double slip = 0;
  std::uint64_t memory_bytes = 0;  // of each device, that allocate() may give it together; 0: not limited
};

// A light handle; copies refer to the same tenant, which ends with the last copy and the last of its queues. That waits
// for its launches. Any thread. A handle that was moved from throws invalid_argument.
class Tenant {
 public:
  explicit Tenant(std::shared_ptr<core::TenantState> state) : state_(std::move(state)) {}
  TenantOptions options() const;
  // Takes effect with the next decision of the policy: ranges of blocks that were submitted run to their end. The name
  // may change too. Throws invalid_argument as Runtime::tenant does.
  void set(const TenantOptions& options) const;

  // As Runtime::launch. Launches of all tenants keep the order that their arrays demand.
  template <typename... Arguments>
  Launch launch(const Kernel& kernel, const LaunchOptions& options, const Arguments&... arguments) const {
    const std::array<Argument, sizeof...(Arguments)> list = {Argument(arguments)...};
    return launch_list(kernel, options, list);
  }
  Launch launch_list(const Kernel& kernel, const LaunchOptions& options, std::span<const Argument> arguments) const;
  // As Device::queue and Device::allocate. Queues of latency tenants have at least priority 1. allocate() throws
  // out_of_memory beyond TenantOptions::memory_bytes, and for this tenant only.
  Queue queue(const Device& device, const QueueOptions& options = {}) const;
  Memory allocate(const Device& device, std::size_t bytes) const;

 private:
  std::shared_ptr<core::TenantState> state_;
};

}  // namespace heddle
