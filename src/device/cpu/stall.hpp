// Whether warps that all wait in loops are deadlocked.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::device::cpu {

// A worker whose warps all spin checks from time to time. Barriers reached and blocks ended are counted as progress,
// but warps may also communicate by plain stores. So memory itself is compared several times before the verdict is
// stalled.
class StallWatch {
 public:
  enum class Verdict : std::uint8_t { too_early, memory_changed, stalled };

  void restart(std::uint64_t progress, std::uint64_t now_ns) {
    progress_ = progress;
    since_ns_ = looked_ns_ = now_ns;
    has_print_ = false;
  }
  // `progress` is the device's; memory_print() gives a number that changes with memory.
  template <class Print>
  Verdict look(std::uint64_t progress, std::uint64_t now_ns, std::uint64_t timeout_ns, Print&& memory_print) {
    if (progress != progress_) restart(progress, now_ns);
    if (now_ns - looked_ns_ < timeout_ns / looks) return Verdict::too_early;
    looked_ns_ = now_ns;
    const std::uint64_t print = memory_print();
    const bool changed = has_print_ && print != print_;
    has_print_ = true;
    print_ = print;
    if (changed) {
      since_ns_ = now_ns;
      return Verdict::memory_changed;
    }
    return now_ns - since_ns_ < timeout_ns ? Verdict::too_early : Verdict::stalled;
  }

 private:
  static constexpr std::uint64_t looks = 4;  // within the time limit
  std::uint64_t progress_ = 0, since_ns_ = 0, looked_ns_ = 0, print_ = 0;
  bool has_print_ = false;
};

// Folds the bytes into a hash. Others may be writing them.
std::uint64_t fold_memory(std::uint64_t hash, const void* data, std::size_t bytes);

}  // namespace heddle::device::cpu
