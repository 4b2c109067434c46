// Small builders of LLVM IR that the arithmetic families share. Everything works on scalars and on vectors of any
// length; constants take their shape from the value they meet.
#pragma once

#include <cstdint>

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Intrinsics.h>

#include "device/cpu/codegen/arithmetic_types.hpp"
#include "ptx/instruction.hpp"
#include "ptx/type.hpp"

namespace heddle::device::cpu {

// The number of lanes of a value; 0 for a scalar.
unsigned lanes_of(const llvm::Value* value);

class Kit {
 public:
  Kit(llvm::IRBuilder<>& builder, const HostFeatures& features) : b(builder), features(features) {}

  llvm::IRBuilder<>& b;
  const HostFeatures& features;

  // Types. `like` gives the shape: a scalar, or a vector of as many lanes.
  llvm::Type* shaped(llvm::Type* scalar, const llvm::Value* like) const;
  llvm::Type* int_type(unsigned bits, const llvm::Value* like) const { return shaped(b.getIntNTy(bits), like); }
  llvm::Type* f32_type(const llvm::Value* like) const { return shaped(b.getFloatTy(), like); }
  llvm::Type* f64_type(const llvm::Value* like) const { return shaped(b.getDoubleTy(), like); }

  // Constants of the type of `like`.
  static llvm::Constant* number(const llvm::Value* like, std::uint64_t value);
  static llvm::Constant* real(const llvm::Value* like, double value);

  // A value as another type of the same lanes: floating point is bitcast, integers are truncated or zero-extended.
  llvm::Value* cast(llvm::Value* value, llvm::Type* to);
  llvm::Value* bits(llvm::Value* value);      // floating point as the integer of its width
  llvm::Value* as_float(llvm::Value* value);  // i32 as float, i64 as double
  llvm::Value* resize(llvm::Value* value, unsigned width, bool is_signed);  // integers: extend or truncate
  // Packed values as vectors of their parts, in lane order, and back.
  llvm::Value* unpack(llvm::Value* value, llvm::Type* part);
  llvm::Value* pack(llvm::Value* parts, llvm::Type* packed);
  // The parts number `index` of each lane of `unpack`ed values with `count` parts a lane.
  llvm::Value* part(llvm::Value* parts, unsigned index, unsigned count);

  llvm::Value* call(llvm::Intrinsic::ID id, llvm::ArrayRef<llvm::Type*> types, llvm::ArrayRef<llvm::Value*> arguments);
  llvm::Value* unary(llvm::Intrinsic::ID id, llvm::Value* value) { return b.CreateUnaryIntrinsic(id, value); }
  llvm::Value* binary(llvm::Intrinsic::ID id, llvm::Value* x, llvm::Value* y) {
    return b.CreateBinaryIntrinsic(id, x, y);
  }
  // Runs `f` on pieces of `piece` lanes, as intrinsics of one register width need them; `f` gets a piece of each
  // argument.
  llvm::Value* in_pieces(llvm::ArrayRef<llvm::Value*> arguments, unsigned piece,
                         llvm::function_ref<llvm::Value*(llvm::ArrayRef<llvm::Value*>)> f);

  // Integers
  llvm::Value* select_if(llvm::Value* condition, llvm::Value* yes, llvm::Value* no) {
    return b.CreateSelect(condition, yes, no);
  }
  llvm::Value* clamp_signed(llvm::Value* value, std::int64_t low, std::int64_t high);
  // Shifts by any amount (of the type of `value`): all bits leave when it is not below the width.
  llvm::Value* shift_left(llvm::Value* value, llvm::Value* amount);
  llvm::Value* shift_right(llvm::Value* value, llvm::Value* amount, bool is_signed);
  // `count` ones from bit 0 (count of the type of the result, any value).
  llvm::Value* low_ones(llvm::Value* count);

  // Floating point
  llvm::Value* is_nan(llvm::Value* value) { return b.CreateFCmpUNO(value, value); }
  llvm::Value* flush(llvm::Value* value, bool ftz);  // subnormal f32 becomes a zero of its sign
  // The same by `magnitude`, which is the result as it would be with an unbounded exponent, times 2^flush_scale: GPUs
  // (and x86 when it flushes) judge the result rounded to full precision, so that not all that rounds up to a normal
  // number stays.
  static constexpr int flush_scale = 64;
  llvm::Value* flush_by(llvm::Value* value, llvm::Value* scaled);
  llvm::Value* flush16(ptx::Type type, llvm::Value* value, bool ftz);  // the same for f16 and bf16 in i16
  llvm::Value* saturate(llvm::Value* value);                           // to [0, 1], NaN to +0
  llvm::Value* to_whole(llvm::Value* value, ptx::Rounding mode);       // rni, rzi, rmi, rpi (and rn, rz, rm, rp)
  // min and max by PTX's rules: -0 < +0; a NaN loses, two give the canonical one; with `nan` any NaN wins.
  llvm::Value* minimum(llvm::Value* x, llvm::Value* y, bool want_max, bool nan);

  // 16-bit formats carried in i16
  llvm::Value* f32_from_f16(llvm::Value* half);
  llvm::Value* f16_from_f32(llvm::Value* value);  // to nearest even
  llvm::Value* f16_from_f64(llvm::Value* value);  // to nearest even, rounded once
  llvm::Value* f32_from_bf16(llvm::Value* half);
  llvm::Value* bf16_from_f32(llvm::Value* value);  // to nearest even; NaN canonical
  llvm::Value* bf16_from_f64(llvm::Value* value);  // likewise, rounded once
  llvm::Value* widen16(ptx::Type type, llvm::Value* half) {
    return type == ptx::Type::f16 ? f32_from_f16(half) : f32_from_bf16(half);
  }
  llvm::Value* narrow16(ptx::Type type, llvm::Value* value);  // f32 or f64 to f16 or bf16, to nearest even
};

}  // namespace heddle::device::cpu
