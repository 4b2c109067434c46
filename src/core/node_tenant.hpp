// A runtime whose process is a tenant of the node's daemon (docs/tenants.md): it obeys the daemon's grants, and tells
// it what it does. Without a daemon it does as if it were alone, and looks for one from time to time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>

#include "base/thread_safety.hpp"
#include "base/watcher.hpp"
#include "daemon/client.hpp"
#include "sched/policy/granted.hpp"

namespace heddle::core {

// Any thread.
class NodeTenant final : public sched::Grants, public std::enable_shared_from_this<NodeTenant> {
 public:
  // Connects, and waits shortly for the first grant if a daemon is there.
  static std::shared_ptr<NodeTenant> make(std::filesystem::path socket, sched::TenantSettings settings,
                                          std::shared_ptr<base::Watcher> watcher);
  // The tenant that HEDDLE_TENANT names; null: none. Throws invalid_argument.
  static std::shared_ptr<NodeTenant> of_environment(const std::shared_ptr<base::Watcher>& watcher);
  NodeTenant(std::filesystem::path socket, sched::TenantSettings settings, std::shared_ptr<base::Watcher> watcher);
  ~NodeTenant() override;

  const sched::TenantSettings& settings() const { return settings_; }
  // The units of its quota, of so many that the node's device has; nothing: no daemon answers, or it has no quota.
  struct Own {
    std::uint32_t units = 0, of_units = 0;
  };
  std::optional<Own> own();
  std::optional<sched::Allowance> allowance() override;
  void submitted(const sched::Submitted& range) override;
  void ended(const sched::Completion& completion) override;
  void load(std::size_t held, std::size_t in_flight) override;

 private:
  static constexpr std::uint64_t tick_ns = 20'000'000;
  // So long after its last work a tenant counts as awake: it is likely to launch again.
  static constexpr std::uint64_t linger_ns = 500'000;
  static constexpr std::uint64_t first_grant_ns = 500'000'000;

  void start();
  void tick();
  std::uint64_t timer(std::uint64_t time_ns, void (NodeTenant::*run)()) noexcept;
  void set_tick() noexcept HEDDLE_REQUIRES(mutex_);
  void look_whether_idle();
  void set_look(std::uint64_t time_ns) noexcept HEDDLE_REQUIRES(mutex_);
  void flush() HEDDLE_REQUIRES(mutex_);

  const sched::TenantSettings settings_;
  const std::shared_ptr<base::Watcher> watcher_;
  base::Mutex mutex_;  // taken under the core's lock
  daemon::Client client_ HEDDLE_GUARDED_BY(mutex_);
  daemon::Ended untold_ HEDDLE_GUARDED_BY(mutex_);
  std::uint64_t idle_since_ns_ HEDDLE_GUARDED_BY(mutex_) = 0;  // 0: it has work
  std::uint64_t tick_ HEDDLE_GUARDED_BY(mutex_) = 0, look_ HEDDLE_GUARDED_BY(mutex_) = 0;
};

}  // namespace heddle::core
