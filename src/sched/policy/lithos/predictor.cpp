#include "sched/policy/lithos/predictor.hpp"

#include <algorithm>
#include <cmath>

namespace heddle::sched::lithos {
namespace {

constexpr double weight_of_new = 0.25;   // of a mean
constexpr double weight_of_old = 0.96;   // of the sums of a line, for each sample
constexpr double spread_of_line = 1.15;  // a line needs x that differ by so much

double share(const Condition& condition, std::uint64_t of_blocks) {
  return static_cast<double>(condition.blocks) / (static_cast<double>(of_blocks) * condition.units);
}

}  // namespace

// Where a task's launch is among the ordinals. Each task is matched once, when it is first seen.
std::size_t Predictor::position(History& history, const LaunchKey& launch) {
  auto& positions = history.positions;
  for (auto at = positions.rbegin(); at != positions.rend() && at->first >= launch.task; ++at)
    if (at->first == launch.task) return at->second;
  if (launch.ordinal == 0) history.shift = 0;
  auto& records = history.by_ordinal;
  const auto matches = [&](std::int64_t at) {
    if (at < 0 || at >= static_cast<std::int64_t>(records.size())) return false;
    const Record& record = records[static_cast<std::size_t>(at)];
    return record.signature == launch.signature && record.of_blocks == launch.of_blocks;
  };
  const auto ordinal = static_cast<std::int64_t>(launch.ordinal);
  std::int64_t expected = std::max<std::int64_t>(ordinal + history.shift, 0);
  if (expected < static_cast<std::int64_t>(records.size()) && !matches(expected)) {
    // Launches were skipped, or those that were skipped last time are back.
    for (std::int64_t distance = 1; distance <= window; ++distance) {
      if (!matches(expected + distance)) continue;
      history.shift += distance;
      expected += distance;
      break;
    }
    ++resyncs_;
  }
  const auto found = std::min(static_cast<std::size_t>(expected), most_ordinals);
  if (records.size() <= found) records.resize(found + 1);
  if (!matches(static_cast<std::int64_t>(found))) {
    records[found] = {};
    records[found].signature = launch.signature;
    records[found].of_blocks = launch.of_blocks;
  }
  positions.emplace_back(launch.task, found);
  if (positions.size() > 4096) positions.pop_front();
  return found;
}

// The queue that was not used for longest makes room for a new one.
Predictor::History& Predictor::history_of(std::uint32_t queue) {
  auto found = queues_.find(queue);
  if (found == queues_.end()) {
    if (queues_.size() >= most_queues)
      queues_.erase(std::min_element(queues_.begin(), queues_.end(),
                                     [](const auto& a, const auto& b) { return a.second.used < b.second.used; }));
    found = queues_.emplace(queue, History()).first;
  }
  found->second.used = ++time_;
  return found->second;
}

// What is known of the ordinal, or else of the kernel.
Predictor::Record* Predictor::find(const LaunchKey& launch) {
  History& history = history_of(launch.queue);
  Record& record = history.by_ordinal[position(history, launch)];
  if (record.samples > 0) return &record;
  const auto kernel = kernels_.find({launch.signature, launch.of_blocks});
  return kernel == kernels_.end() ? nullptr : &kernel->second;
}

// The time at the highest frequency, if all of it scales with the frequency.
double Predictor::full_speed(double seconds, unsigned mhz) const {
  return mhz == 0 || highest_mhz_ == 0 ? seconds : seconds * mhz / highest_mhz_;
}

void Predictor::add(Record& record, const Condition& condition, double seconds) {
  ++record.samples;
  auto at = std::find_if(record.conditions.begin(), record.conditions.end(),
                         [&](const Measured& measured) { return measured.condition == condition; });
  if (at == record.conditions.end()) {
    if (record.conditions.size() == most_conditions)
      record.conditions.erase(std::min_element(record.conditions.begin(), record.conditions.end(),
                                               [](const auto& a, const auto& b) { return a.used < b.used; }));
    at = record.conditions.insert(record.conditions.end(), Measured{.condition = condition});
  }
  Measured& measured = *at;
  measured.used = ++time_;
  const double weight = std::max(1.0 / (measured.count + 1), weight_of_new);
  measured.mean += (seconds - measured.mean) * weight;
  measured.last[measured.count++ % measured.last.size()] = static_cast<float>(seconds);
  record.recent.add(share(condition, record.of_blocks), full_speed(seconds, condition.mhz), weight_of_old);
}

std::optional<Scaling> Predictor::Sums::line() const {
  if (n <= 1 || most_x < spread_of_line * least_x) return std::nullopt;
  const double spread = n * xx - x * x;
  if (spread <= 1e-9 * n * xx) return std::nullopt;
  const double m = (n * xy - x * y) / spread;
  const double b = (y - m * x) / n;
  if (m < 0) return Scaling{0, y / n};
  if (b < 0) return Scaling{xy / xx, 0};
  return Scaling{m, b};
}

void Predictor::Sums::add(double new_x, double new_y, double weight) {
  least_x = n == 0 ? new_x : std::min(least_x, new_x);
  most_x = std::max(most_x, new_x);
  for (double* sum : {&n, &x, &y, &xx, &xy}) *sum *= weight;
  n += 1;
  x += new_x;
  y += new_y;
  xx += new_x * new_x;
  xy += new_x * new_y;
}

Estimate Predictor::estimate(const Record& record, const Condition& condition) const {
  const double x = share(condition, record.of_blocks);
  const Measured* nearest = nullptr;
  double distance = 0;
  for (const Measured& measured : record.conditions) {
    if (measured.condition == condition) {
      const auto known = std::min<std::size_t>(measured.count, measured.last.size());
      const double longest = *std::max_element(measured.last.begin(), measured.last.begin() + known);
      return {measured.mean, std::max(longest, measured.mean), Estimate::Source::exact};
    }
    const double off = std::abs(std::log(share(measured.condition, record.of_blocks) / x));
    if (nearest == nullptr || off < distance) {
      nearest = &measured;
      distance = off;
    }
  }
  if (nearest == nullptr) return {};
  const double slower = condition.mhz == 0 || highest_mhz_ == 0 ? 1.0 : double(highest_mhz_) / condition.mhz;
  if (const auto model = record.recent.line()) {
    const double seconds = (model->m * x + model->b) * slower;
    return {seconds, seconds, Estimate::Source::model};
  }
  const double seconds =
      full_speed(nearest->mean, nearest->condition.mhz) * slower * x / share(nearest->condition, record.of_blocks);
  return {seconds, seconds, Estimate::Source::linear};
}

Estimate Predictor::predict(const LaunchKey& launch, const Condition& condition) {
  const Record* const record = find(launch);
  return record == nullptr ? Estimate() : estimate(*record, condition);
}

void Predictor::record(const LaunchKey& launch, const Condition& condition, double seconds) {
  History& history = history_of(launch.queue);
  add(history.by_ordinal[position(history, launch)], condition, seconds);
  if (kernels_.size() >= most_kernels) kernels_.clear();
  Record& kernel = kernels_[{launch.signature, launch.of_blocks}];
  kernel.signature = launch.signature;
  kernel.of_blocks = launch.of_blocks;
  add(kernel, condition, seconds);
  // Tasks of a queue end in their order.
  while (!history.positions.empty() && history.positions.front().first < launch.task) history.positions.pop_front();
}

// By all conditions alike. Once the units are chosen nearly all samples are of those. A line through these alone would
// be a line through what one differs from another by chance.
std::optional<Scaling> Predictor::scaling(const LaunchKey& launch) {
  const Record* const record = find(launch);
  if (record == nullptr) return std::nullopt;
  Sums all;
  for (const Measured& measured : record->conditions)
    all.add(share(measured.condition, record->of_blocks), full_speed(measured.mean, measured.condition.mhz), 1);
  return all.line();
}

std::uint64_t Predictor::samples(const LaunchKey& launch) {
  const Record* const record = find(launch);
  return record == nullptr ? 0 : record->samples;
}

}  // namespace heddle::sched::lithos
