// --check: accesses and member masks of warp operations are looked up by the runtime before they are used.
#pragma once

#include "device/cpu/codegen/emitter_part.hpp"
#include "device/cpu/codegen/emitter_values.hpp"

namespace heddle::device::cpu {

class Checks : private EmitterPart {
 public:
  Checks(FunctionContext& context, Values& values)
      : EmitterPart(context), runtime_(values.runtime), spaces_(values.spaces), registers_(values.registers) {}

  // Every address of every lane of `mask`. `sizes`: where fewer bytes than that may be accessed, the numbers, in
  // memory, by lane.
  void check_access(const ptx::Instruction& inst, const ptx::Operand& operand, ptx::Space space, unsigned bytes,
                    std::uint32_t access, Value* mask, Value* sizes = nullptr);
  // A lane must not take part in what its member mask does not name it for.
  void check_members(const ptx::Instruction& inst);

 private:
  RuntimeAccess& runtime_;
  StateSpaces& spaces_;
  Registers& registers_;
};

}  // namespace heddle::device::cpu
