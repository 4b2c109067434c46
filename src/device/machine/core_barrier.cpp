// Barriers of a block: what a thread asks for, who has arrived, and how those who waited go on.
#include <fmt/format.h>

#include <algorithm>

#include "device/machine/core.hpp"

namespace heddle::device::machine {

BarrierUse Core::barrier_use() {
  BarrierUse use;
  use.waits = !inst_->has(ptx::Modifier::arrive);
  const bool has_predicate = inst_->has(ptx::Modifier::red);
  const unsigned first = has_predicate ? 1 : 0;
  use.id = static_cast<std::uint32_t>(read_word(first));
  if (operand(first + 1).present()) {
    use.threads = static_cast<std::uint32_t>(read_word(first + 1));
    if (use.threads == 0 || use.threads % warp_size != 0)
      fault(fmt::format("a barrier for {} threads; the number must be a multiple of {}", use.threads, warp_size));
  }
  if (use.id >= Block::barrier_count) fault(fmt::format("barrier {} does not exist; there are 0 to 15", use.id));
  if (has_predicate) use.predicate = read_word(3) & 1;
  return use;
}

bool Core::arrive(Block& block, Thread& thread, const BarrierUse& use) {
  Barrier& barrier = block.barriers[use.id];
  const bool counted = use.threads != 0;
  const std::uint32_t expected = counted ? use.threads : block.whole();
  if (barrier.active && (barrier.expected != expected || barrier.counted != counted)) {
    const auto named = [](bool is_counted, std::uint32_t threads) {
      return is_counted ? fmt::format("{} threads", threads) : std::string("the whole block");
    };
    enter(block, thread);
    fault(fmt::format("barrier {} is used for {} here, while others wait there for {}", use.id,
                      named(counted, expected), named(barrier.counted, barrier.expected)));
  }
  if (!barrier.active) barrier.by_thread.assign(block.threads.size(), 0);
  barrier.active = true;
  barrier.counted = counted;
  barrier.expected = expected;
  ++barrier.by_thread[thread.linear];
  ++barrier.arrived;
  if (use.predicate) ++barrier.holding;
  if (use.waits) {
    thread.state = ThreadState::at_barrier;
    thread.barrier = static_cast<std::uint8_t>(use.id);
  } else {
    ++thread.pc();
  }
  return is_complete(block, barrier);
}

bool Core::is_complete(const Block& block, const Barrier& barrier) {
  if (barrier.arrived + (block.whole() - block.alive) < barrier.expected) return false;  // not even at best
  std::uint32_t there = 0;
  bool all = true;
  for (const Warp& warp : block.warps) {
    std::uint32_t arrived = 0;
    bool whole_warp = true;
    for (std::uint32_t i = warp.first; i < warp.first + warp.count; ++i) {
      arrived += barrier.by_thread[i];
      whole_warp &= barrier.by_thread[i] != 0 || block.threads[i].state == ThreadState::exited;
    }
    all &= whole_warp;
    if (arrived != 0) there += whole_warp ? std::max<std::uint32_t>(arrived, warp_size) : arrived;
  }
  return barrier.counted ? there >= barrier.expected : all;
}

void Core::release(Block& block, unsigned id) {
  const Barrier done = block.barriers[id];
  block.barriers[id] = {};
  for (Thread& thread : block.threads) {
    if (thread.state != ThreadState::at_barrier || thread.barrier != id) continue;
    enter(block, thread);
    if (inst_->has(ptx::Modifier::red)) {
      std::uint64_t result = done.holding;
      if (inst_->d.reduce == ptx::ReduceOp::and_) result = done.holding == done.arrived;
      if (inst_->d.reduce == ptx::ReduceOp::or_) result = done.holding != 0;
      write(0, {result});
    }
    if (machine_.options.step) report(thread.frames.size());
    ++thread.pc();
    thread.state = ThreadState::runnable;
  }
}

}  // namespace heddle::device::machine
