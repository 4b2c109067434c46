#include "device/cpu/checker/finding.hpp"

#include <new>

namespace heddle::device::cpu {

void Findings::add(const Finding& finding) noexcept {
  // Numbers of instructions have 20 bits (access_mark.hpp).
  const std::uint64_t key = std::uint64_t{finding.place.line} << 32 | std::uint64_t{finding.before.line} << 8 |
                            static_cast<std::uint64_t>(finding.kind) << 4 | static_cast<std::uint64_t>(finding.hazard);
  const std::lock_guard guard(mutex_);
  if (const auto known = known_.find(key); known != known_.end()) {
    ++found_[known->second].count;
    return;
  }
  try {
    found_.push_back({finding});
    known_.emplace(key, found_.size() - 1);
  } catch (const std::bad_alloc&) {
    found_.resize(known_.size());
    lose();
  }
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
