#include "device/machine/waiting_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/format.hpp"
#include "base/kernel_name.hpp"

namespace heddle::device::machine {
namespace {

const char* describe(ThreadState state) {
  switch (state) {
    case ThreadState::runnable: return "running";
    case ThreadState::gathering:
    case ThreadState::meeting: return "waiting for other lanes of the warp";
    case ThreadState::at_barrier: return "waiting at barrier";
    case ThreadState::exited: break;
  }
  return "gone";
}

}  // namespace

// "threads 0-31 waiting at barrier 0, line 12; thread 32 ...": neighbours at the same place are put together.
std::string waiting_threads(const Core& core, const Block& block) {
  std::string text;
  constexpr int most = 6;
  int groups = 0;
  for (std::size_t i = 0; i < block.threads.size();) {
    const Thread& first = block.threads[i];
    std::size_t end = i + 1;
    const auto alike = [&](const Thread& other) {
      if (other.state != first.state) return false;
      return other.state == ThreadState::exited || same_place(other, first);
    };
    while (end < block.threads.size() && alike(block.threads[end])) ++end;
    if (first.state != ThreadState::exited) {
      if (++groups > most) return text + "; and others";
      const ptx::Instruction* inst = first.instruction();
      text += text.empty() ? "" : "; ";
      text += end - i == 1 ? fmt::format("thread {}", i) : fmt::format("threads {} to {}", i, end - 1);
      text += fmt::format(" {}", describe(first.state));
      if (first.state == ThreadState::at_barrier) text += fmt::format(" {}", first.barrier);
      if (first.state == ThreadState::meeting) text += fmt::format(" named in the mask {:#010x}", first.meeting_mask);
      if (inst) text += " at " + core.line_of(first);
    }
    i = end;
  }
  if (block.alive < block.threads.size())
    text += fmt::format("; {} of {} threads have exited", block.threads.size() - block.alive, block.threads.size());
  return text;
}

std::string blocked_text(const Core& core, const Block& block) {
  const auto first = std::find_if(block.threads.begin(), block.threads.end(),
                                  [](const Thread& thread) { return thread.state != ThreadState::exited; });
  return core.place(block, *first) +
         ": deadlock, no thread of the block can ever go on: " + waiting_threads(core, block);
}

std::string spinning_text(const Core& core, const Block& block, const std::string& why) {
  const Thread* first = nullptr;
  for (const Thread& thread : block.threads)
    if (thread.state == ThreadState::runnable && (!first || first->state == ThreadState::exited)) first = &thread;
  if (!first) first = &block.threads.front();
  return fmt::format("{}: deadlock, {}: {}", core.place(block, *first), why, waiting_threads(core, block));
}

std::string time_limit_text(const std::string& kernel, double seconds, std::span<const StandingBlock> blocks,
                            std::uint64_t under_way) {
  std::string text = fmt::format("kernel '{}' has run for {}, its time limit, and was ended", base::demangled(kernel),
                                 base::format_duration(seconds));
  if (blocks.empty()) return text + " between two of its blocks.";
  text += ". Its threads stood at:";
  const std::span<const StandingBlock> shown = blocks.first(std::min(blocks.size(), most_standing_blocks));
  for (const StandingBlock& one : shown) {
    const Dim3& index = one.block->index;
    text +=
        fmt::format("\n  block ({}, {}, {}): {}", index.x, index.y, index.z, waiting_threads(*one.core, *one.block));
  }
  if (under_way > shown.size())
    text += fmt::format("\n  and {} more", base::counted(under_way - shown.size(), "block"));
  return text;
}

}  // namespace heddle::device::machine
