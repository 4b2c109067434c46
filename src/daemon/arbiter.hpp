// Which units each tenant of a node may use: policies between processes. Within its grant each process has a policy of
// its own (sched/policy/granted.hpp).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/feedback.hpp"
#include "daemon/page.hpp"
#include "sched/tenant.hpp"

namespace heddle::daemon {

// One tenant, as the arbiter sees it.
struct TenantState {
  sched::TenantSettings settings;
  bool awake = false;
  std::uint64_t id = 0;  // the same for as long as the tenant is there
  bool whole = false;    // its launches go whole, to any units
  Progress progress;     // of one of those
};

// A function of what it is shown; it owns no thread and no clock.
class Arbiter {
 public:
  virtual ~Arbiter() = default;
  // A grant for each tenant, of so many units together. `tenants`: in the order in which they came.
  virtual std::vector<Grant> decide(const std::vector<TenantState>& tenants, unsigned units, std::uint64_t now_ns) = 0;
  // When it is to be asked again even if nothing changes; nothing: no such time.
  virtual std::optional<std::uint64_t> wake_ns() const { return std::nullopt; }
  // Its rule in some words, and what it has measured, for an answer why a tenant has what it has.
  virtual std::string rule() const = 0;
};

// "lithos", "static", "mps-like", "priority", "reef" or "timeslice[:MICROSECONDS]". Throws invalid_argument, with a
// sentence for those that only work within a process.
std::unique_ptr<Arbiter> make_arbiter(std::string_view name);

// The policy "lithos": one whose quota is more than those before it leave has what is left, so that no tenant can
// shrink another's. A tenant always has its own units, so that it can start at once when it wakes. Units of tenants
// that sleep, and of nobody, are lent to those that are awake: to batch tenants first, in equal parts. With one unit or
// more, nobody who is awake is left without, if any unit is lent. `lend`: false for "static", where only units that
// nobody owns are lent, to those who own none.
std::vector<Grant> arbitrate(const std::vector<TenantState>& tenants, unsigned units, bool lend = true);

// Why a tenant has what it has, and for whom it waits: a clause without a full stop.
std::string why(const Arbiter& arbiter, const std::vector<TenantState>& tenants, const std::vector<Grant>& grants,
                std::size_t tenant);

}  // namespace heddle::daemon
