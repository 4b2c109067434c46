#include "interpose/admission.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace heddle::interpose {

std::size_t WorkKeyHash::operator()(const WorkKey& key) const {
  constexpr std::size_t prime = 0x9E3779B97F4A7C15;
  std::size_t hash = std::hash<const void*>()(key.what);
  for (const std::uint64_t part : {key.blocks, std::uint64_t{key.threads} << 32 | key.shared})
    hash = (hash ^ part) * prime;
  return hash ^ hash >> 32;
}

std::optional<std::uint64_t> Durations::predict(const WorkKey& key) const {
  const auto found = known_.find(key);
  if (found == known_.end() || found->second.measurements == 0) return std::nullopt;
  return found->second.ns;
}

bool Durations::to_measure(const WorkKey& key) {
  constexpr std::uint32_t first = 2, period = 64;
  if (known_.size() >= most_known) known_.clear();
  Known& known = known_[key];
  return known.measurements < first || ++known.executions % period == 0;
}

void Durations::measured(const WorkKey& key, std::uint64_t ns) {
  Known& known = known_[key];
  if (known.measurements++ == 0 || ns < known.ns)
    known.ns = ns;
  else
    known.ns += (ns - known.ns) / 8;
}

void Admission::earn(double part, std::uint64_t now_ns) {
  if (earned_until_ns_ != 0 && now_ns > earned_until_ns_)
    saved_ns_ = std::min(saved_ns_ + part * static_cast<double>(now_ns - earned_until_ns_), most_saved_ns);
  earned_until_ns_ = std::max(earned_until_ns_, now_ns);
}

Admission::Answer Admission::may_go(const std::optional<Share>& share, std::optional<std::uint64_t> predicted_ns,
                                    std::uint64_t now_ns) {
  earn(share ? share->part : 1, now_ns);
  if (!share) return {};
  if (!(share->part > 0)) return {Verdict::nothing_granted, now_ns + look_again_ns};
  if (share->part >= 1) {
    // The device was its own: nothing is owed. Nothing is saved either, or it would be used beside those that now come.
    saved_ns_ = 0;
  } else if (saved_ns_ < 0) {
    const double wait_ns = std::min(-saved_ns_ / share->part, static_cast<double>(look_again_ns));
    return {Verdict::over_share, now_ns + static_cast<std::uint64_t>(std::ceil(wait_ns))};
  }
  if (share->most_in_flight_ns == 0 || in_flight_ == 0) return {};
  if (predicted_ns && in_flight_ns_ + *predicted_ns <= share->most_in_flight_ns) return {};
  return {Verdict::enough_in_flight, now_ns + look_again_ns};
}

void Admission::submitted(std::optional<std::uint64_t> predicted_ns) {
  ++in_flight_;
  in_flight_ns_ += predicted_ns.value_or(0);
  saved_ns_ -= static_cast<double>(predicted_ns.value_or(0));
}

void Admission::ended(std::optional<std::uint64_t> predicted_ns, std::optional<std::uint64_t> took_ns) {
  if (in_flight_ > 0) --in_flight_;
  in_flight_ns_ -= std::min(in_flight_ns_, predicted_ns.value_or(0));
  if (took_ns) saved_ns_ -= static_cast<double>(*took_ns) - static_cast<double>(predicted_ns.value_or(0));
}

}  // namespace heddle::interpose
