// Emits LLVM IR for one function of a kernel: all lanes of a warp at once, with masks where control flow diverges.
//
// Values. Each register (one def-use web, see ptx/rewrite/split_webs.hpp) has a form:
//   uniform  the same in every lane that runs: a scalar
//   affine   lane l holds base + stride*l: the scalar base (lane 0's value) and a constant stride
//   varying  a vector with one element a lane
// An instruction whose results are uniform or affine is emitted once, in scalar form, on lane 0's operands.
//
// Control flow follows Schedule. Masks are vectors of i1; a null mask means that all lanes take part. In the one-lane
// shape (lanes() == 1) every value is uniform and there are no masks.
//
// The emitter walks over the blocks and gives each instruction to the part that emits it. Parts lie in layers, and use
// the layers below them:
//   instructions  emitter_{data,memory,atomics,mbarrier,copies,textures,space_instructions,warp,barriers,calls,control}
//   accesses      emitter_{addresses,elements,slow,whole,lane_memory,rows,checks}, together in emitter_accesses.hpp
//   values        emitter_{runtime,spaces,special,registers,branches}, together in emitter_values.hpp
//   all           emitter_context.hpp (what they share), emitter_part.hpp (builders of IR that all use)
#pragma once

#include "device/cpu/codegen/emitter_accesses.hpp"
#include "device/cpu/codegen/emitter_atomics.hpp"
#include "device/cpu/codegen/emitter_barriers.hpp"
#include "device/cpu/codegen/emitter_calls.hpp"
#include "device/cpu/codegen/emitter_context.hpp"
#include "device/cpu/codegen/emitter_control.hpp"
#include "device/cpu/codegen/emitter_copies.hpp"
#include "device/cpu/codegen/emitter_data.hpp"
#include "device/cpu/codegen/emitter_mbarrier.hpp"
#include "device/cpu/codegen/emitter_memory.hpp"
#include "device/cpu/codegen/emitter_part.hpp"
#include "device/cpu/codegen/emitter_space_instructions.hpp"
#include "device/cpu/codegen/emitter_textures.hpp"
#include "device/cpu/codegen/emitter_values.hpp"
#include "device/cpu/codegen/emitter_warp.hpp"

namespace heddle::device::cpu {

class FunctionEmitter : private EmitterPart {
 public:
  explicit FunctionEmitter(FunctionContext& context);
  FunctionEmitter(const FunctionEmitter&) = delete;
  FunctionEmitter& operator=(const FunctionEmitter&) = delete;

  // Emits the whole body after the end of the builder's block, which must have no terminator. Every path leads to
  // inputs.end.
  void emit(llvm::IRBuilder<>& entry);

  // void f(LaunchContext*, WarpContext*, iW mask, ptr parameters, ptr returns): a compiled .func. The frames hold one
  // record a lane.
  static llvm::FunctionType* function_type(const KernelContext& kernel);

 private:
  void emit_block(std::uint32_t block);
  void emit_instruction(const ptx::Instruction& inst);
  void emit_behind_branch(const ptx::Instruction& inst);
  void dispatch(const ptx::Instruction& inst);
  bool may_be_waiting() const;

  Values values_;
  Registers& registers_;
  Accesses accesses_;
  DataInstructions data_;
  MemoryInstructions memory_;
  AtomicInstructions atomics_;
  MbarrierInstructions mbarriers_;
  CopyInstructions copies_;
  TextureInstructions textures_;
  SpaceInstructions spaces_;
  WarpInstructions warp_;
  BarrierInstructions barriers_;
  CallInstructions calls_;
  ControlFlow control_;
};

}  // namespace heddle::device::cpu
