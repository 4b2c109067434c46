// One instruction on its way to LLVM IR, and the families of instructions (arithmetic_*.cpp) that take it there.
#pragma once

#include <functional>
#include <string>

#include "device/cpu/codegen/arithmetic_kit.hpp"
#include "device/cpu/codegen/soft_code.hpp"
#include "device/cpu/codegen/soft_functions.hpp"
#include "ptx/instruction.hpp"

namespace heddle::device::cpu {

using Values = llvm::SmallVector<llvm::Value*, 2>;

class Lowering : public Kit {
 public:
  Lowering(llvm::IRBuilder<>& builder, const HostFeatures& features,
           const std::function<llvm::Value*(unsigned)>& soft_function, const ptx::Instruction& inst,
           llvm::ArrayRef<llvm::Value*> operands, llvm::Value* active, llvm::Value*& carry);

  const ptx::Instruction& inst;
  const ptx::Decoded& d;
  llvm::ArrayRef<llvm::Value*> operands;
  llvm::Value* active;
  llvm::Value*& carry;
  unsigned lanes;  // 0: scalar

  bool has(unsigned i) const { return i < operands.size() && operands[i]; }
  // Operand i as the carrier of `type`; what is wider is truncated (registers may be wider than the type of cvt's
  // operands).
  llvm::Value* use(unsigned i, ptx::Type type);
  llvm::Type* carrier_of(ptx::Type type) const { return carrier(b.getContext(), type, lanes); }
  // A known operand: immediates arrive as constants, the same in all lanes. Refuses the instruction when it is not
  // constant.
  std::uint64_t immediate(unsigned i);
  bool is_known(unsigned i, std::uint64_t& value) const;

  // Calls a soft function for all lanes; see soft_functions.hpp for `code`. Arguments and result as carriers.
  llvm::Value* soft(SoftFunction function, std::uint64_t code, llvm::Type* result,
                    llvm::ArrayRef<llvm::Value*> arguments);

  // The same instruction on other operands: for packed types, whose parts are treated as more lanes.
  Lowering with(llvm::ArrayRef<llvm::Value*> other_operands) const;

  [[noreturn]] void refuse(const std::string& why) const;

 private:
  const std::function<llvm::Value*(unsigned)>& soft_function_;
};

// Each returns one value for each def slot.
Values lower_integer(Lowering& l);     // add sub mul mad min max abs neg sad mul24 mad24 dp4a dp2a
Values lower_carry(Lowering& l);       // add.cc addc sub.cc subc mad.cc madc
Values lower_division(Lowering& l);    // div rem of integers
Values lower_bits(Lowering& l);        // and or xor not cnot shl shr shf lop3 brev clz popc bfind fns
Values lower_bit_fields(Lowering& l);  // bfe bfi bmsk szext prmt
Values lower_float(Lowering& l);       // add sub mul mad fma div rcp sqrt min max abs neg copysign testp of f32 and f64
Values lower_half(Lowering& l);        // the same of f16 and bf16, single and packed, and of mixed precision
Values lower_approximate(Lowering& l);  // .approx forms, div.full, sin cos ex2 lg2 tanh rsqrt
Values lower_compare(Lowering& l);      // setp set
Values lower_select(Lowering& l);       // selp slct
Values lower_convert(Lowering& l);      // cvt
Values lower_move(Lowering& l);         // mov
Values lower_video(Lowering& l);        // vadd vadd2 vadd4 ...

// f32 or f64 arithmetic rounded as said: in hardware where it can be, else by a soft function.
llvm::Value* rounded(Lowering& l, ptx::Opcode opcode, ptx::Rounding rounding, llvm::ArrayRef<llvm::Value*> arguments);
// f32 approximations (arithmetic_approximate.cpp) that the 16-bit formats use too; no flushing.
llvm::Value* approximate_ex2(Kit& kit, llvm::Value* x);
llvm::Value* approximate_tanh(Kit& kit, llvm::Value* x);
// One value of `from` as `to`, with the modes of the instruction. Carriers in, carriers out.
llvm::Value* convert_value(Lowering& l, ptx::Type to, ptx::Type from, llvm::Value* value);

}  // namespace heddle::device::cpu
