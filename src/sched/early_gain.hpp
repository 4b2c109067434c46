// Whether a kernel gains by starting before its arrays have arrived: measured, launch by launch.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "device/event.hpp"

namespace heddle::sched {

// Of one kernel on one device. Needs the core's lock.
class EarlyGain {
 public:
  // Launches of each sort (early and late) that are measured before a decision.
  static constexpr unsigned enough = 2;
  // So many launches of one sort are representative. After `most` early ones, one of `rare` is measured.
  static constexpr unsigned representative = 8, most = 32, rare = 8;
  // The least share of the kernel's time in that of its copies, and of the copies' in that of the kernel: below these,
  // an early start can hide little. A kernel below `long_kernel` gains only if copies of other launches do not hide its
  // time already: what is not hidden must be at least `least_bare` of its copies' time. Else its early start would only
  // hold up those launches. The time of longer kernels is not hidden, as the kernels after them have to run too.
  static constexpr double least_kernel = 0.1, least_copy = 0.2, least_bare = 0.05, long_kernel = 1.0 / 3;

  // Whether the next launch should start early.
  bool wanted() const {
    if (late_.count == 0 || share() < least_kernel || share() * least_copy > 1) return false;
    // Not all devices report times. The first launches are late ones. The host may have been busy then with allocating
    // memory and compiling, so that they did not overlap. So some early ones are measured too.
    if (early_.count >= representative && rate() > 0 && share() < long_kernel &&
        late_.least_tail * early_.bare() * rate() < least_bare * late_.bytes)
      return false;
    return early_.count < enough || early_.seconds() <= late_.seconds();
  }
  // Whether the next launch of this sort should be measured. Other launches need no timed events.
  bool measures(bool early) const {
    return early ? early_.count < most || ++unmeasured_ % rare == 0 : late_.count < representative;
  }
  // The measurements, for the log.
  std::string text() const {
    if (late_.count == 0) return "nothing is known of it yet";
    const Mean& known = early_.count >= representative ? early_ : late_;
    std::string beside = early_.count == 0 ? "not tried" : fmt::format("{:.3f} ms", early_.seconds() * 1e3);
    return fmt::format(
        "it takes {:.2f} of their time, and while nothing else is copied {:.2f} of its launches end; from the first "
        "byte "
        "to the end behind them: {:.3f} ms, beside them: {} ({} and {} launches)",
        share(), known.bare(), late_.seconds() * 1e3, beside, late_.count, early_.count);
  }
  // Whether the last launch was early, so that changes can be logged.
  std::optional<bool> was_early;

  // Times of a launch that is done.
  struct Times {
    double kernel = 0, copy = 0;  // seconds: of the kernel with its waits; from the first copy's begin to the last end
    double tail = 0;              // from the last copy's end to the kernel's end
    double bytes = 0;             // copied bytes
    bool hidden = false;          // at the kernel's end, copies of other launches were in flight
  };
  void add(bool early, const Times& times) {
    Mean& mean = early ? early_ : late_;
    mean.add(times);
    if (early) return;
    // A kernel may have waited for other kernels, and the first one for its code, so the least time is used.
    if (times.copy <= 0 || times.bytes <= 0) return;
    const double per_byte = times.kernel / times.bytes;
    kernel_per_byte_ = std::min(kernel_per_byte_.value_or(per_byte), per_byte);
  }

 private:
  struct Mean {
    unsigned count = 0;
    double tail = 0, bytes = 0;
    unsigned bare_count = 0;  // launches whose tail was not hidden
    double least_tail = 0;    // in other launches the kernel may have waited for something else
    double rate = 0;          // of the fastest copy, bytes per second; other copies may have waited for the link
    void add(const Times& times) {
      least_tail = count == 0 ? times.tail : std::min(least_tail, times.tail);
      ++count;
      bare_count += times.hidden ? 0 : 1;
      tail += (times.tail - tail) / count;
      bytes += (times.bytes - bytes) / count;
      if (times.copy > 0) rate = std::max(rate, times.bytes / times.copy);
    }
    // The share of launches whose tail was not hidden.
    double bare() const { return static_cast<double>(bare_count) / count; }
    // From the copy's begin to the kernel's end, if no other copy uses the link.
    double seconds() const { return (rate > 0 ? bytes / rate : 0) + tail; }
  };
  // The link's bandwidth, as far as it is known.
  double rate() const { return std::max(late_.rate, early_.rate); }
  // The kernel's time over the time of its copies alone; 1 if not known.
  double share() const { return kernel_per_byte_ ? *kernel_per_byte_ * rate() : 1; }

  Mean late_, early_;
  mutable unsigned unmeasured_ = 0;
  std::optional<double> kernel_per_byte_;  // seconds
};

// A launch that is measured, with the events of its copies.
struct EarlySample {
  struct Copy {
    std::shared_ptr<device::Event> start, end;
  };
  std::shared_ptr<EarlyGain> gain;
  std::uint64_t bytes = 0;
  std::vector<Copy> copies;  // empty: they are done, from first_ns to last_ns
  std::uint64_t first_ns = ~std::uint64_t{0}, last_ns = 0;
  bool early = false;

  // To be called when the launch is done. `start`, `end`: its events. `others`: launches that were submitted at about
  // the same time.
  void finish(const device::Event& start, const device::Event& end,
              std::span<const std::shared_ptr<const EarlySample>> others) {
    for (const Copy& copy : copies) {
      first_ns = std::min<std::uint64_t>(first_ns, copy.start->completed_ns());
      last_ns = std::max<std::uint64_t>(last_ns, copy.end->completed_ns());
    }
    copies.clear();
    const auto seconds = [](std::uint64_t from, std::uint64_t to) {
      return to > from ? static_cast<double>(to - from) * 1e-9 : 0;
    };
    gain->add(early, {.kernel = seconds(start.completed_ns(), end.completed_ns()),
                      .copy = seconds(first_ns, last_ns),
                      .tail = seconds(last_ns, end.completed_ns()),
                      .bytes = static_cast<double>(bytes),
                      .hidden = std::any_of(others.begin(), others.end(), [&](const auto& other) {
                        return other.get() != this && other->is_copying_at(end.completed_ns());
                      })});
  }

 private:
  // Uses stored times if the copies are done: a driver takes microseconds to return the time of an event.
  bool is_copying_at(std::uint64_t time) const {
    if (copies.empty()) return first_ns <= time && last_ns >= time;
    return std::any_of(copies.begin(), copies.end(), [time](const Copy& copy) {
      return copy.start->done() && copy.start->completed_ns() <= time &&
             (!copy.end->done() || copy.end->completed_ns() >= time);
    });
  }
};

}  // namespace heddle::sched
