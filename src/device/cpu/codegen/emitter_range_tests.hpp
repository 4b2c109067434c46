// --check=memory without a call: whether the bytes that the lanes of an access touch lie in memory that the code at
// this place is known to be allowed to touch (KnownRange), or in the window of their space, and are aligned. One
// comparison for accesses with one address or with a constant step from lane to lane. The same comparison tells
// accesses that need no record for the checks of races and uninitialised memory (KnownRanges::exempt).
#pragma once

#include <cstdint>

#include "device/cpu/codegen/emitter_part.hpp"
#include "device/cpu/codegen/emitter_values.hpp"

namespace heddle::device::cpu {

class RangeTests : private EmitterPart {
 public:
  RangeTests(FunctionContext& context, Values& values)
      : EmitterPart(context), spaces_(values.spaces), registers_(values.registers) {}

  enum class Question : std::uint8_t { is_right, is_exempt };
  struct Test {
    Value* passes = nullptr;           // i1: the access is right; null: only the runtime can say
    std::uint32_t site = 0, span = 0;  // for RuntimeTable::check, check_marked and check_run
  };
  // `operand`: the address of an access of `bytes` bytes by each lane of `mask`.
  Test test(Question question, const ptx::Operand& operand, ptx::Space space, unsigned bytes, Value* mask);

 private:
  // Where the lanes access memory: all between `low` and `low` + span where ok (null: always), or the addresses.
  struct Lanes {
    Value *low = nullptr, *all = nullptr, *ok = nullptr;
    std::uint64_t span = 0;
  };
  Lanes lanes_of(const ptx::Operand& operand, bool windowed, unsigned bytes);
  // The number of aligned addresses in a window, or in the part of it that is exempt, at which `span` bytes are within.
  Value* starts_in_window(Question question, ptx::Space space, std::uint64_t span, unsigned bytes);
  Value* exempt_shared_bytes();
  Value* is_start(Value* offset, Value* starts, unsigned bytes);
  Value* known_ranges();

  StateSpaces& spaces_;
  Registers& registers_;
  Value *known_ranges_ = nullptr, *block_context_ = nullptr;
};

}  // namespace heddle::device::cpu
