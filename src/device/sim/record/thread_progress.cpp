#include "device/sim/record/thread_progress.hpp"

#include <algorithm>
#include <bit>

namespace heddle::device::sim {
namespace {

constexpr Cycle first_interval = 64;

}  // namespace

void ThreadProgress::begin(Cycle begin) {
  block_ = nullptr;
  done_ = false;
  begin_ = begin;
  interval_ = first_interval;
  instructions_.clear();
  samples_.clear();
}

void ThreadProgress::issued(Cycle now, const IssueGroup& group) {
  if (done_ || now < begin_) return;
  if (!block_) {
    block_ = group.block;
    instructions_.assign(block_->block.threads.size(), 0);
    next_ = now;
  }
  if (group.block != block_) return;
  if (now >= next_) sample(now);
  for (LaneMask lanes = group.mask; lanes != 0; lanes &= lanes - 1)
    ++instructions_[(*group.threads)[static_cast<unsigned>(std::countr_zero(lanes))]->linear];
}

void ThreadProgress::left(Cycle now, const BlockContext& block) {
  if (done_ || &block != block_) return;
  sample(now);
  done_ = true;
}

void ThreadProgress::sample(Cycle now) {
  ProgressSample& one = samples_.emplace_back();
  one.cycle = now - begin_;
  for (const machine::Thread& thread : block_->block.threads)
    one.unfinished += thread.state != machine::ThreadState::exited ? 1 : 0;
  std::vector<std::uint64_t> sorted = instructions_;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 0; i < one.instructions.size(); ++i)
    one.instructions[i] = sorted[(sorted.size() - 1) * i / (one.instructions.size() - 1)];
  if (samples_.size() >= most) {
    for (std::size_t i = 1; i < samples_.size(); i += 2) samples_[i / 2] = samples_[i];
    samples_.resize(samples_.size() / 2);
    interval_ *= 2;
  }
  next_ = now + interval_;
}

}  // namespace heddle::device::sim
