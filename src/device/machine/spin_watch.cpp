#include "device/machine/spin_watch.hpp"

namespace heddle::device::machine {
namespace {

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15;
  return hash ^ (hash >> 29);
}

// All that decides what the thread does next, except memory.
std::uint64_t state_hash(const Thread& thread) {
  std::uint64_t hash = thread.frames.size();
  for (std::size_t depth = 0; depth < thread.frames.size(); ++depth) {
    const Frame& frame = thread.frames[depth];
    hash = mix(hash, reinterpret_cast<std::uint64_t>(frame.code));
    const std::uint32_t pc = &frame == &thread.frame() ? thread.pc() : frame.pc;
    hash = mix(hash, (std::uint64_t{pc} << 1) | (frame.carry ? 1 : 0));
    for (std::uint32_t i = 0; i < frame.registers.size(); ++i) {
      const ptx::semantics::Value value = frame.registers.get(i);
      hash = mix(mix(hash, value.lo), value.hi);
    }
  }
  return hash;
}

}  // namespace

void SpinWatch::see(const Thread& thread, std::uint64_t epoch) {
  constexpr std::uint32_t most_turns = std::uint32_t{1} << 31;
  const std::uint64_t hash = state_hash(thread);
  const auto local_epoch = static_cast<std::uint32_t>(thread.local_epoch());
  // What was remembered does not hold once memory has changed, its own included.
  if (epoch_ != epoch || local_epoch_ != local_epoch || turns_ == most_turns) {
    *this = {};
    hash_ = hash;
    epoch_ = epoch;
    local_epoch_ = local_epoch;
    return;
  }
  if (hash_ == hash) returned_ = repeated_ = true;
  if (++turns_ < next_) return;
  // Time to remember a later state; one that did not come back since the last time was no repetition after all (it may
  // hang on what other lanes passed in a warp operation).
  repeated_ = returned_;
  returned_ = false;
  hash_ = hash;
  next_ = 2 * turns_;
}

}  // namespace heddle::device::machine
