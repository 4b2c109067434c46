// Predicts how long a range of a launch takes, from earlier launches (LithOS, section 4.7).
//
// A launch is known by its ordinal: it is the k-th of its queue since the host has last waited for the queue. So one
// kernel that several layers of a model launch, with arguments of their own, has a record for each layer.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "sched/policy/lithos/scaling.hpp"
#include "sched/range_view.hpp"

namespace heddle::sched::lithos {

// Under what a range runs.
struct Condition {
  unsigned units = 1;
  std::uint64_t blocks = 1;
  unsigned mhz = 0;  // 0: the highest frequency
  friend bool operator==(const Condition&, const Condition&) = default;
};

struct Estimate {
  enum class Source : std::uint8_t {
    unknown,  // seconds is 0
    exact,    // the same condition was measured
    model,    // from l(t) = m / t + b
    linear    // in proportion to blocks and units of the nearest condition
  };
  double seconds = 0;  // the mean
  double high = 0;     // of the last eight, the longest; otherwise the mean
  Source source = Source::unknown;
};

// Identifies a launch.
struct LaunchKey {
  std::uint32_t queue = 0;
  std::uint64_t task = 0;     // ids of one queue ascend
  std::uint64_t ordinal = 0;  // 0: a batch begins
  std::uint64_t signature = 0;
  std::uint64_t of_blocks = 1;
};

class Predictor {
 public:
  // `highest_mhz`: to which a Condition with mhz 0 belongs; 0: frequencies do not count.
  explicit Predictor(unsigned highest_mhz = 0) : highest_mhz_(highest_mhz) {}

  Estimate predict(const LaunchKey& launch, const Condition& condition);
  // The time of a range that has ended.
  void record(const LaunchKey& launch, const Condition& condition, double seconds);
  // Of the whole launch; nothing: too few conditions were measured.
  std::optional<Scaling> scaling(const LaunchKey& launch);
  // Measured ranges of the launch.
  std::uint64_t samples(const LaunchKey& launch);
  // No launch of the queue will come.
  void forget(std::uint32_t queue) { queues_.erase(queue); }
  // How often the ordinals had to be matched anew: the launches were not those of the batch before.
  std::uint64_t resyncs() const { return resyncs_; }

 private:
  struct Measured {
    Condition condition;
    double mean = 0;
    std::array<float, 8> last{};
    std::uint32_t count = 0;
    std::uint64_t used = 0;
  };
  // Of points (blocks / (of_blocks * units), seconds), for the line through them.
  struct Sums {
    double n = 0, x = 0, y = 0, xx = 0, xy = 0;
    double least_x = 0, most_x = 0;
    // `weight`: of those that are there already.
    void add(double new_x, double new_y, double weight);
    std::optional<Scaling> line() const;  // nothing: the points are too near to each other
  };
  // One ordinal, or one signature.
  struct Record {
    std::uint64_t signature = 0, of_blocks = 1, samples = 0;
    std::vector<Measured> conditions;
    Sums recent;  // old samples count less
  };
  struct History {
    std::deque<Record> by_ordinal;
    std::int64_t shift = 0;                                         // of this batch: position - ordinal
    std::deque<std::pair<std::uint64_t, std::uint64_t>> positions;  // task, position: of tasks that were seen
    std::uint64_t used = 0;
  };

  static constexpr std::size_t most_conditions = 24;
  static constexpr std::int64_t window = 64;  // how many ordinals may be skipped
  static constexpr std::size_t most_ordinals = 1 << 16;
  // Queues and kernels that are known; programs may make new ones for ever.
  static constexpr std::size_t most_queues = 1024, most_kernels = 1 << 14;

  History& history_of(std::uint32_t queue);
  std::size_t position(History& history, const LaunchKey& launch);
  Record* find(const LaunchKey& launch);
  double full_speed(double seconds, unsigned mhz) const;
  void add(Record& record, const Condition& condition, double seconds);
  Estimate estimate(const Record& record, const Condition& condition) const;

  const unsigned highest_mhz_;
  std::map<std::uint32_t, History> queues_;
  // Of all queues, for launches whose ordinal is new: signature and blocks.
  std::map<std::pair<std::uint64_t, std::uint64_t>, Record> kernels_;
  std::uint64_t resyncs_ = 0, time_ = 0;
};

}  // namespace heddle::sched::lithos
