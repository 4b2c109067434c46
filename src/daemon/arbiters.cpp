// The policies between processes, by their names.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include "base/fail.hpp"
#include "daemon/arbiter.hpp"
#include "daemon/policies.hpp"
#include "sched/policy_parameter.hpp"

namespace heddle::daemon {
namespace {

using sched::TenantClass;

Units first_units(unsigned units) {
  Units all;
  for (unsigned i = 0; i < std::min<unsigned>(units, most_units); ++i) all.set(i);
  return all;
}

// Of launches that go out at once and whole, as without a scheduler.
std::vector<Grant> all_to_all(std::size_t tenants, unsigned units, bool priority) {
  return std::vector<Grant>(
      tenants, Grant{.units = first_units(units), .of_units = units, .throttle_ns = 0, .priority = priority});
}

// With what batch tenants get beside latency tenants whose launches cannot be placed: by feedback.hpp.
class Lithos final : public Arbiter {
 public:
  std::vector<Grant> decide(const std::vector<TenantState>& tenants, unsigned units, std::uint64_t now_ns) override {
    std::vector<Grant> grants = arbitrate(tenants, units);
    look(tenants, now_ns);
    const auto guests = std::count_if(tenants.begin(), tenants.end(), is_guest);
    const double part = slowest_ ? std::min(slowest_->part(), 1.0) / static_cast<double>(guests) : 0;
    const auto lent = static_cast<unsigned>(std::lround(part * units));
    for (std::size_t i = 0; i < tenants.size(); ++i) {
      if (!is_guest(tenants[i])) continue;
      if (lent > grants[i].units.count()) grants[i].units = first_units(lent);
      if (harmless_) grants[i].throttle_ns = 0;
    }
    return grants;
  }
  std::optional<std::uint64_t> wake_ns() const override { return wake_ns_; }
  std::string rule() const override {
    constexpr std::string_view lent = "units are lent while their owner has no work";
    if (!slowest_) return std::string(lent);
    return fmt::format("{}, and {:.0f} % of the time beside '{}', which was {:.2f} times as slow", lent,
                       100 * std::min(slowest_->part(), 1.0), slowest_name_, slowest_->slowdown());
  }

 private:
  static constexpr std::uint64_t look_ns = 5'000'000;

  static bool is_owner(const TenantState& tenant) {
    return tenant.whole && tenant.settings.kind == TenantClass::latency;
  }
  static bool is_guest(const TenantState& tenant) {
    return tenant.whole && tenant.awake && tenant.settings.kind == TenantClass::batch;
  }

  void look(const std::vector<TenantState>& tenants, std::uint64_t now_ns) {
    const bool guests = std::any_of(tenants.begin(), tenants.end(), is_guest);
    std::map<std::uint64_t, Feedback> known;
    for (const TenantState& tenant : tenants)
      if (is_owner(tenant)) known[tenant.id] = feedback_[tenant.id];
    feedback_.swap(known);
    slowest_ = nullptr;
    harmless_ = !feedback_.empty();
    wake_ns_.reset();
    for (const TenantState& tenant : tenants) {
      if (!is_owner(tenant)) continue;
      Feedback& feedback = feedback_[tenant.id];
      feedback.look(tenant.progress, guests);
      if (feedback.part() < Feedback::unthrottled) harmless_ = false;
      if (!tenant.awake || (slowest_ && feedback.part() >= slowest_->part())) continue;
      slowest_ = &feedback;
      slowest_name_ = tenant.settings.name;
      if (guests) wake_ns_ = now_ns + look_ns;
    }
  }

  std::map<std::uint64_t, Feedback> feedback_;  // by the tenant's id
  const Feedback* slowest_ = nullptr;           // of those with work, that with the least part
  std::string slowest_name_;
  bool harmless_ = false;  // no bound of what guests have in flight is needed
  std::optional<std::uint64_t> wake_ns_;
};

// The thread limits of MPS.
class Static final : public Arbiter {
 public:
  std::vector<Grant> decide(const std::vector<TenantState>& tenants, unsigned units, std::uint64_t) override {
    auto grants = arbitrate(tenants, units, false);
    for (Grant& grant : grants) grant.throttle_ns = 0;
    return grants;
  }
  std::string rule() const override { return "each tenant has its own units only"; }
};

class Shared final : public Arbiter {
 public:
  explicit Shared(bool priority) : priority_(priority) {}
  std::vector<Grant> decide(const std::vector<TenantState>& tenants, unsigned units, std::uint64_t) override {
    return all_to_all(tenants.size(), units, priority_);
  }
  std::string rule() const override {
    return priority_ ? "all have all units, and latency tenants go first" : "all have all units";
  }

 private:
  const bool priority_;
};

class Reef final : public Arbiter {
 public:
  std::vector<Grant> decide(const std::vector<TenantState>& tenants, unsigned units, std::uint64_t) override {
    const bool urgent = std::any_of(tenants.begin(), tenants.end(), [](const TenantState& tenant) {
      return tenant.awake && tenant.settings.kind == TenantClass::latency;
    });
    auto grants = all_to_all(tenants.size(), units, true);
    for (std::size_t i = 0; i < tenants.size(); ++i) {
      if (tenants[i].settings.kind == TenantClass::latency) continue;
      grants[i].throttle_ns = 100'000;
      if (urgent) grants[i].units.reset();
    }
    return grants;
  }
  std::string rule() const override { return "no batch work is submitted while a latency tenant has work"; }
};

// Tenants with work take turns; each has all units for so long.
class TimeSlice final : public Arbiter {
 public:
  explicit TimeSlice(std::uint64_t slice_ns) : slice_ns_(slice_ns) {}
  std::vector<Grant> decide(const std::vector<TenantState>& tenants, unsigned units, std::uint64_t now_ns) override {
    std::vector<Grant> grants(tenants.size(), Grant{.units = {}, .of_units = units});
    const auto current = std::find_if(tenants.begin(), tenants.end(),
                                      [&](const TenantState& tenant) { return tenant.id == current_ && tenant.awake; });
    std::size_t at = static_cast<std::size_t>(current - tenants.begin());
    if (at == tenants.size() || now_ns >= end_ns_) {
      at = next_after(tenants);
      if (at == tenants.size()) {  // nobody has work: who wakes first may begin
        for (Grant& grant : grants) grant.units = first_units(units);
        current_ = 0;
        end_ns_ = 0;
        return grants;
      }
      current_ = tenants[at].id;
      end_ns_ = now_ns + slice_ns_;
    }
    grants[at].units = first_units(units);
    return grants;
  }
  std::optional<std::uint64_t> wake_ns() const override { return end_ns_ == 0 ? std::nullopt : std::optional(end_ns_); }
  std::string rule() const override { return "tenants take turns"; }

 private:
  // The awake one with the next larger id, or else with the smallest.
  std::size_t next_after(const std::vector<TenantState>& tenants) const {
    std::size_t next = tenants.size(), first = tenants.size();
    for (std::size_t i = 0; i < tenants.size(); ++i) {
      if (!tenants[i].awake) continue;
      if (first == tenants.size() || tenants[i].id < tenants[first].id) first = i;
      if (tenants[i].id > current_ && (next == tenants.size() || tenants[i].id < tenants[next].id)) next = i;
    }
    return next == tenants.size() ? first : next;
  }

  const std::uint64_t slice_ns_;
  std::uint64_t current_ = 0, end_ns_ = 0;
};

// Shorter turns than within one process take longer to change than they last.
constexpr sched::NumberParameter turn{"timeslice", "the length of a turn between processes in microseconds", 1000,
                                      10'000'000, 2000};

constexpr KnownPolicy policies[] = {
    {"lithos", "", "each tenant has its own units; those of tenants without work, and of nobody, are lent"},
    {"static", "", "each tenant has its own units only"},
    {"mps-like", "", "all have all units"},
    {"priority", "", "all have all units; launches of latency tenants go first"},
    {"reef", "", "all have all units; batch tenants have none while a latency tenant has work"},
    {"timeslice", "MICROSECONDS", "tenants with work have all units, in turns of so long (2000)"},
};

std::string names_of_policies() {
  std::string names;
  for (const KnownPolicy& policy : policies)
    names += fmt::format("{}{}{}{}",
                         names.empty()                       ? ""
                         : &policy == std::end(policies) - 1 ? " and "
                                                             : ", ",
                         policy.name, policy.parameter.empty() ? "" : ":", policy.parameter);
  return names;
}

}  // namespace

std::span<const KnownPolicy> known_policies() { return policies; }

std::unique_ptr<Arbiter> make_arbiter(std::string_view text) {
  const auto [name, parameter] = sched::split_policy(text);
  if (name == "timeslice") return std::make_unique<TimeSlice>(sched::number_of(turn, parameter) * 1000);
  if (!parameter.empty() &&
      (name == "lithos" || name == "static" || name == "mps-like" || name == "priority" || name == "reef"))
    base::fail(ErrorCode::invalid_argument, "between processes the policy '{}' has no parameter; it was given '{}'",
               name, parameter);
  if (name == "lithos") return std::make_unique<Lithos>();
  if (name == "static") return std::make_unique<Static>();
  if (name == "mps-like" || name == "priority") return std::make_unique<Shared>(name == "priority");
  if (name == "reef") return std::make_unique<Reef>();
  if (name == "orion" || name == "tgs")
    base::fail(ErrorCode::unsupported,
               "the policy '{}' needs to see each launch of all tenants, so it works within one process only "
               "(heddle run --policy {})",
               name, name);
  base::fail(ErrorCode::invalid_argument, "there is no policy '{}' between processes; there are {}", name,
             names_of_policies());
}

}  // namespace heddle::daemon
