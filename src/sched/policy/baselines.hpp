// The systems that LithOS is compared with (SOSP 2025, section 6), as policies of the same dispatcher.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "sched/policy.hpp"
#include "sched/policy/lithos/units.hpp"

namespace heddle::sched {

inline bool is_latency(const Tenant* tenant) { return tenant && tenant->settings.kind == TenantClass::latency; }
inline bool is_latency(const TaskView& task) { return is_latency(task.queue->tenant); }

// MPS without limits: all that is launched is submitted at once, and the device divides itself.
class MpsLikePolicy final : public Policy {
 public:
  void decide(const View& view, std::vector<Decision>& decisions) override {
    for (std::size_t i = 0; i < view.ready.size(); ++i) decisions.push_back({.task = i});
  }
};

// The same, with a priority of the device for latency tenants.
class StreamPriorityPolicy final : public Policy {
 public:
  void decide(const View& view, std::vector<Decision>& decisions) override {
    for (std::size_t i = 0; i < view.ready.size(); ++i)
      decisions.push_back({.task = i, .priority = is_latency(view.ready[i]) ? 1 : 0});
  }
};

// Each tenant on its own processors and nowhere else: the thread limits of MPS; with `step` units at a time, MIG. A
// tenant without a quota runs on the units that nobody owns; where there are none, it does not run.
class StaticPolicy final : public Policy {
 public:
  explicit StaticPolicy(unsigned step) : step_(step) {}
  void decide(const View& view, std::vector<Decision>& decisions) override;

 private:
  const unsigned step_;
};

// Tenants take turns; each has the device for itself for `seconds`, or until it has no work.
class TimeSlicePolicy final : public Policy {
 public:
  explicit TimeSlicePolicy(double seconds) : slice_ns_(static_cast<std::uint64_t>(seconds * 1e9)) {}
  void decide(const View& view, std::vector<Decision>& decisions) override;
  std::optional<std::uint64_t> wake_ns(const View& view) override;

 private:
  static constexpr std::uint32_t nobody = ~std::uint32_t{0};
  static std::uint32_t id_of(const Tenant* tenant) { return tenant ? tenant->id : nobody; }
  std::uint32_t next_after(const View& view) const;

  const std::uint64_t slice_ns_;
  std::optional<std::uint32_t> current_;
  std::uint64_t end_ns_ = 0;
};

// REEF (OSDI 2022), as evaluated there: batch work is not submitted while a latency tenant has work, and only a few
// launches of each queue at a time.
class ReefPolicy final : public Policy {
 public:
  explicit ReefPolicy(unsigned most) : most_(most) {}
  bool sees_ranges() const override { return true; }
  void decide(const View& view, std::vector<Decision>& decisions) override;

 private:
  const unsigned most_;
};

// Orion (EuroSys 2024): batch work is submitted beside a latency tenant only if they contend for different things,
// computation and memory, and so much batch work at a time that it takes no longer than a bound.
class OrionPolicy final : public Policy {
 public:
  explicit OrionPolicy(double seconds) : seconds_(seconds) {}
  bool sees_ranges() const override { return true; }
  void decide(const View& view, std::vector<Decision>& decisions) override;

 private:
  // From this part of the bandwidth on, a kernel is bound by memory.
  static constexpr double memory_bound = 0.6;
  enum class Bound : std::uint8_t { unknown, compute, memory };
  static Bound bound_of(const LaunchTraits& traits);

  const double seconds_;
};

// TGS (NSDI 2023): the rate of batch launches grows by a step as long as latency tenants launch at their full rate, and
// is halved when they do not.
class TgsPolicy final : public Policy {
 public:
  explicit TgsPolicy(double window_seconds) : window_ns_(static_cast<std::uint64_t>(window_seconds * 1e9)) {}
  bool sees_ranges() const override { return true; }
  void decide(const View& view, std::vector<Decision>& decisions) override;
  std::optional<std::uint64_t> wake_ns(const View& view) override;

 private:
  void next_window(const View& view);

  static constexpr double step = 2, least = 1, kept = 0.95, smooth = 0.3, fading = 0.999;
  const std::uint64_t window_ns_;
  std::uint64_t window_end_ns_ = 0;
  std::uint64_t ended_ = 0;  // launches of latency tenants in this window
  double rate_ = 0, most_rate_ = 0;
  double allowed_ = least;  // batch launches in a window
  double left_ = least;
};

}  // namespace heddle::sched
