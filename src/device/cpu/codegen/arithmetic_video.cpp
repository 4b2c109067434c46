// Video instructions: rare, so a soft function does them.
#include "device/cpu/codegen/arithmetic_lowering.hpp"
#include "device/cpu/codegen/soft_video.hpp"
#include "ptx/semantics/evaluate_video.hpp"

namespace heddle::device::cpu {

using llvm::Value;
using ptx::Type;

namespace {

// The parts that source operand i of a SIMD form picks from a and b, put where the operand has them without a selector.
Value* arranged(Lowering& l, unsigned i) {
  const unsigned lanes = ptx::semantics::video_lanes(l.inst.opcode), width = 32 / lanes;
  const auto parts = ptx::semantics::video_parts(l.inst, i);
  Value* result = nullptr;
  for (unsigned lane = 0; lane < lanes; ++lane) {
    Value* source = l.use(parts[lane] / lanes, Type::b32);
    Value* part = l.b.CreateAnd(l.b.CreateLShr(source, parts[lane] % lanes * width), (std::uint64_t{1} << width) - 1);
    part = l.b.CreateShl(part, lane * width);
    result = result ? l.b.CreateOr(result, part) : part;
  }
  return result;
}

}  // namespace

Values lower_video(Lowering& l) {
  ptx::semantics::evaluate_video(l.inst, 0, 0, 0);  // refuses forms that have no meaning, before they are compiled
  llvm::SmallVector<Value*, 3> operands{l.use(0, Type::b32), l.use(1, Type::b32)};
  for (unsigned i : {1u, 2u})
    if (ptx::semantics::video_lanes(l.inst.opcode) > 1 && l.inst.operands[i].selector) operands[i - 1] = arranged(l, i);
  if (l.has(2)) operands.push_back(l.use(2, Type::b32));
  return {l.soft(SoftFunction::video, video_code(l.inst).packed(), l.carrier_of(Type::b32), operands)};
}

}  // namespace heddle::device::cpu
