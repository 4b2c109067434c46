// A tenant of a runtime: its launch queue, and the memory that it has.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/thread_safety.hpp"
#include "core/core.hpp"
#include "heddle/tenant.hpp"

namespace heddle::core {

// Any thread.
class TenantState {
 public:
  // Throws invalid_argument for options that make no sense.
  TenantState(std::shared_ptr<Core> core, const TenantOptions& options);
  ~TenantState();  // waits for its launches
  TenantState(const TenantState&) = delete;
  TenantState& operator=(const TenantState&) = delete;

  const std::shared_ptr<Core>& core() const { return core_; }
  TenantOptions options() const;
  void set(const TenantOptions& options);
  // Null without a policy: launches are submitted when they are made.
  sched::Tenant* tenant() const { return tenant_; }
  sched::LaunchQueue* queue() const { return queue_; }
  // Counts memory of a place. Throws out_of_memory where it would exceed the tenant's.
  void take_memory(std::size_t place, std::uint64_t bytes);
  void give_memory(std::size_t place, std::uint64_t bytes);

 private:
  const std::shared_ptr<Core> core_;
  sched::Tenant* tenant_ = nullptr;
  sched::LaunchQueue* queue_ = nullptr;
  mutable base::Mutex mutex_;
  TenantOptions options_ HEDDLE_GUARDED_BY(mutex_);
  std::vector<std::uint64_t> memory_ HEDDLE_GUARDED_BY(mutex_);  // by place
};

}  // namespace heddle::core
