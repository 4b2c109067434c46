// Video instructions: rare, so a soft function does them.
#include "device/cpu/codegen/arithmetic_lowering.hpp"
#include "device/cpu/codegen/soft_video.hpp"
#include "ptx/semantics/evaluate_video.hpp"

namespace heddle::device::cpu {

using ptx::Type;

Values lower_video(Lowering& l) {
  ptx::semantics::evaluate_video(l.inst, 0, 0, 0);  // refuses forms that have no meaning, before they are compiled
  llvm::SmallVector<llvm::Value*, 3> operands{l.use(0, Type::b32), l.use(1, Type::b32)};
  if (l.has(2)) operands.push_back(l.use(2, Type::b32));
  return {l.soft(SoftFunction::video, video_code(l.inst).packed(), l.carrier_of(Type::b32), operands)};
}

}  // namespace heddle::device::cpu
