// When each unit of a device, and each launch queue, is predicted to have nothing more to do (LithOS, section 4.2).
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "sched/policy/lithos/units.hpp"
#include "sched/policy/lithos/unordered.hpp"
#include "sched/range_view.hpp"

namespace heddle::sched::lithos {

// What a queue has in flight.
struct QueueBacklog {
  std::uint64_t end_ns = 0;  // predicted
  unsigned ranges = 0;
  unsigned stolen = 0;    // with a priority below that of its tenant's own units
  unsigned unknown = 0;   // without a prediction
  unsigned untimed = 0;   // whose end is not reported
  unsigned in_a_row = 0;  // of these, the last ones
};

// A function of the ranges in flight alone, so it is right again after each submission and each completion.
class Timers {
 public:
  // `guess`: nanoseconds of a range without a prediction.
  Timers(std::span<const RangeView> in_flight, std::size_t place, unsigned units, unsigned grain, std::uint64_t now_ns,
         std::uint64_t guess)
      : busy_until_(units, now_ns), latency_until_(units, now_ns) {
    for (const RangeView& range : in_flight)
      if (range.place == place) add(range, grain, now_ns, guess);
  }
  std::uint64_t busy_until(unsigned unit) const { return busy_until_[unit]; }
  // The same of ranges that blocks of a latency tenant on lent units do not pass: those of a priority below give way
  // when their blocks end.
  std::uint64_t latency_until(unsigned unit) const { return latency_until_[unit]; }
  const QueueBacklog& backlog(std::uint32_t queue) const {
    static const QueueBacklog none;
    const QueueBacklog* found = queues_.find(queue);
    return found == nullptr ? none : *found;
  }

 private:
  static constexpr std::uint64_t soon_ns = 1000;

  void add(const RangeView& range, unsigned grain, std::uint64_t now_ns, std::uint64_t guess) {
    QueueBacklog& queue = queues_[range.queue];
    const bool known = range.predicted_seconds >= 0;
    const std::uint64_t time = known ? static_cast<std::uint64_t>(range.predicted_seconds * 1e9) : guess;
    const std::uint64_t start = std::max(range.submitted_ns, queue.end_ns);
    // What is overdue ends soon, unless its end is not reported.
    queue.end_ns = range.timed ? std::max(start + time, now_ns + soon_ns) : start + time;
    ++queue.ranges;
    queue.untimed += range.timed ? 0 : 1;
    queue.in_a_row = range.timed ? 0 : queue.in_a_row + 1;
    const int own = range.tenant && range.tenant->settings.kind == TenantClass::latency ? 1 : 0;
    // Nobody is told of an untimed one's end: it counts as over when its time is.
    const bool over = !range.timed && queue.end_ns <= now_ns;
    queue.stolen += range.priority < own && !over ? 1 : 0;
    queue.unknown += known ? 0 : 1;
    const std::uint64_t from = std::max(start, now_ns), left = queue.end_ns > from ? queue.end_ns - from : 0;
    const auto occupy = [&](std::size_t unit) {
      if (unit >= busy_until_.size()) return;
      busy_until_[unit] = std::max(busy_until_[unit], start) + left;
      if (range.priority >= 0) latency_until_[unit] = std::max(latency_until_[unit], start) + left;
    };
    if (range.processors == nullptr || range.processors->empty()) {
      for (std::size_t unit = 0; unit < busy_until_.size(); ++unit) occupy(unit);
      return;
    }
    std::size_t last = most_units;
    for (const unsigned processor : *range.processors) {
      if (processor / grain != last) occupy(processor / grain);
      last = processor / grain;
    }
  }

  std::vector<std::uint64_t> busy_until_, latency_until_;
  Unordered<std::uint32_t, QueueBacklog> queues_;
};

}  // namespace heddle::sched::lithos
