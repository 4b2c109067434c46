#include "device/sim/policies/audit.hpp"

#include <bit>

#include "base/fail.hpp"

namespace heddle::device::sim {

using machine::Thread;
using machine::ThreadState;

void PolicyAudit::require(bool is_so, std::string_view rule) {
  if (!is_so) base::fail(ErrorCode::internal, "an invariant of the SM's policies is broken: {}", rule);
}

void PolicyAudit::holds(const Thread& thread) {
  if (thread.state == ThreadState::exited) return;
  require(held_[thread.linear] == 0, "a thread is in one place only");
  held_[thread.linear] = 1;
}

void PolicyAudit::holds(const machine::LaneThreads& threads, LaneMask lanes) {
  for (; lanes != 0; lanes &= lanes - 1) {
    const Thread* const thread = threads[static_cast<unsigned>(std::countr_zero(lanes))];
    require(thread != nullptr, "a lane that is in a mask has a thread");
    holds(*thread);
  }
}

void PolicyAudit::groups(std::span<IssueGroup* const> groups) {
  std::vector<char> seen(block_.threads.size());
  for (const IssueGroup* group : groups) {
    for (LaneMask lanes = group->mask; lanes != 0; lanes &= lanes - 1) {
      const Thread* const thread = (*group->threads)[static_cast<unsigned>(std::countr_zero(lanes))];
      require(thread != nullptr, "a lane that can issue has a thread");
      require(thread->state == ThreadState::runnable, "a thread that can issue waits for nobody and has not exited");
      require(place_of(*thread) == group->at, "threads of a group are at its place");
      require(seen[thread->linear] == 0, "groups have no thread in common");
      seen[thread->linear] = 1;
    }
  }
}

void PolicyAudit::finish() const {
  for (const Thread& thread : block_.threads)
    require(thread.state == ThreadState::exited || held_[thread.linear] != 0, "no thread is lost");
}

}  // namespace heddle::device::sim
