// The lowest frequency with which kernels stay within a slowdown (LithOS, section 4.5). It only says which: Heddle sets
// no clocks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <span>

namespace heddle::sched::lithos {

// s of latency(f) = latency(highest) * (1 + s * (highest / f - 1)): 1 for kernels that compute, 0 for those that wait
// for memory. From the times at the highest and one other frequency.
inline double sensitivity(double seconds, double seconds_highest, double mhz, double highest) {
  const double slower = highest / mhz - 1;
  if (slower <= 0 || seconds_highest <= 0) return 1;
  return std::clamp((seconds / seconds_highest - 1) / slower, 0.0, 1.0);
}

// f = highest / (1 + slowdown / S), for the sensitivity S of all kernels by their part of the time; at least `lowest`.
inline double frequency_for(double sensitivity, double slowdown, double highest, double lowest) {
  if (sensitivity <= 0) return lowest;
  return std::clamp(highest / (1 + slowdown / sensitivity), lowest, highest);
}

// Learns the sensitivities of a device's kernels, and proposes a frequency. A new kernel demands the highest until it
// is known there; then all of its time is taken to scale, until it was measured at another frequency.
class FrequencyGovernor {
 public:
  // `clocks`: the frequencies that there are, in MHz, ascending. `slowdown`: 0.1 is 10 %. `period_ns`: at least so long
  // between two changes, as a change takes some 50 ms.
  FrequencyGovernor(std::span<const unsigned> clocks, double slowdown, std::uint64_t period_ns)
      : clocks_(clocks.begin(), clocks.end()), slowdown_(slowdown), period_ns_(period_ns) {}

  // A kernel has run at a frequency, for so long for each unit of its work.
  void record(std::uint64_t kernel, unsigned mhz, double seconds) {
    Kernel& known = kernels_[kernel];
    known.total += seconds;
    const double highest = clocks_.back();
    if (mhz == clocks_.back())
      known.highest += (seconds - known.highest) * (known.samples++ == 0 ? 1.0 : weight);
    else if (known.samples > 0)
      known.sensitivity += (sensitivity(seconds, known.highest, mhz, highest) - known.sensitivity) * weight;
  }
  // Of all kernels, weighted by their time.
  double aggregate() const {
    double sum = 0, total = 0;
    for (const auto& [id, kernel] : kernels_) {
      sum += kernel.total * kernel.sensitivity;
      total += kernel.total;
    }
    return total > 0 ? sum / total : 1;
  }
  // The frequency from now on, in MHz.
  unsigned propose(std::uint64_t now_ns) {
    if (mhz_ != 0 && now_ns < changed_ns_ + period_ns_) return mhz_;
    const bool unknown = std::any_of(kernels_.begin(), kernels_.end(),
                                     [](const auto& entry) { return entry.second.samples < learning; });
    const double wanted = unknown || kernels_.empty()
                              ? clocks_.back()
                              : frequency_for(aggregate(), slowdown_, clocks_.back(), clocks_.front());
    // The next clock above it keeps to the slowdown.
    const auto at = std::lower_bound(clocks_.begin(), clocks_.end(), wanted - 1e-6);
    const unsigned next = at == clocks_.end() ? clocks_.back() : *at;
    if (next != mhz_) {
      changes_ += mhz_ != 0 ? 1 : 0;
      mhz_ = next;
      changed_ns_ = now_ns;
    }
    return mhz_;
  }
  std::uint64_t changes() const { return changes_; }

 private:
  static constexpr double weight = 0.25;
  static constexpr unsigned learning = 3;  // samples at the highest frequency
  struct Kernel {
    double total = 0, highest = 0, sensitivity = 1;
    unsigned samples = 0;  // at the highest frequency
  };
  const std::vector<unsigned> clocks_;
  const double slowdown_;
  const std::uint64_t period_ns_;
  std::map<std::uint64_t, Kernel> kernels_;
  unsigned mhz_ = 0;
  std::uint64_t changed_ns_ = 0, changes_ = 0;
};

}  // namespace heddle::sched::lithos
