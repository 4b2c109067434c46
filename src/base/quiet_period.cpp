#include "base/quiet_period.hpp"

#include <condition_variable>

#include "base/thread_safety.hpp"

namespace heddle::base {
namespace {

constexpr std::uint64_t pause_ns = 1'000'000;
constexpr std::uint64_t least_pauses = 50;

}  // namespace

bool QuietPeriod::over() {
  if (ns_ == 0) return true;
  const std::uint64_t now = clock_.now_ns();
  if (since_ns_ == 0) since_ns_ = now;
  if (now - since_ns_ >= ns_ && pauses_ >= least_pauses) return true;
  ++pauses_;
  Mutex mutex;
  std::condition_variable nobody;
  Lock lock(mutex);
  clock_.wait_until(lock, nobody, now + pause_ns);
  return false;
}

}  // namespace heddle::base
