#include "device/cpu/llvm_end.hpp"

#include <atomic>
#include <cstdlib>

namespace heddle::device::cpu {
namespace {

std::atomic<bool> ended{false};

}  // namespace

// What is registered last runs first: before the tables go that LLVM has made until now. Without memory for it the
// process ends as it would without this.
void llvm_was_used() noexcept {
  static_cast<void>(std::atexit([] { ended.store(true); }));
}

bool llvm_has_ended() noexcept { return ended.load(); }

}  // namespace heddle::device::cpu
