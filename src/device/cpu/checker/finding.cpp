#include "device/cpu/checker/finding.hpp"

namespace heddle::device::cpu {

void Findings::add(const Finding& finding) {
  // Numbers of instructions have 20 bits (access_mark.hpp).
  const std::uint64_t key = std::uint64_t{finding.place.line} << 32 | std::uint64_t{finding.before.line} << 8 |
                            static_cast<std::uint64_t>(finding.kind) << 4 | static_cast<std::uint64_t>(finding.hazard);
  const std::lock_guard guard(mutex_);
  const auto [known, is_new] = known_.try_emplace(key, found_.size());
  if (is_new)
    found_.push_back({finding});
  else
    ++found_[known->second].count;
}

bool Findings::empty() const {
  const std::lock_guard guard(mutex_);
  return found_.empty();
}

std::vector<Findings::Counted> Findings::all() const {
  const std::lock_guard guard(mutex_);
  return found_;
}

}  // namespace heddle::device::cpu
