// Loops over the lanes of rows, for the files that define row operations. `Op::of` computes a lane.
#pragma once

#include <bit>
#include <cstdint>

#include "device/machine/row_op.hpp"
#include "ptx/type.hpp"

namespace heddle::device::machine {

template <class Op>
void row1(const std::uint64_t* a, const std::uint64_t*, const std::uint64_t*, std::uint64_t* __restrict result) {
  for (unsigned i = 0; i < row_lanes; ++i) result[i] = Op::of(a[i]);
}
template <class Op>
void row2(const std::uint64_t* a, const std::uint64_t* b, const std::uint64_t*, std::uint64_t* __restrict result) {
  for (unsigned i = 0; i < row_lanes; ++i) result[i] = Op::of(a[i], b[i]);
}
template <class Op>
void row3(const std::uint64_t* a, const std::uint64_t* b, const std::uint64_t* c, std::uint64_t* __restrict result) {
  for (unsigned i = 0; i < row_lanes; ++i) result[i] = Op::of(a[i], b[i], c[i]);
}

// make(T{}) with the unsigned type of so many bits; null for widths without one.
template <class Make>
RowFunction for_width(unsigned bits, Make&& make) {
  switch (bits) {
    case 16: return make(std::uint16_t{});
    case 32: return make(std::uint32_t{});
    case 64: return make(std::uint64_t{});
    default: return nullptr;
  }
}
// make(T{}) with the integer type that the type is; types of bits count as unsigned.
template <class Make>
RowFunction for_integer(ptx::Type type, Make&& make) {
  if (!ptx::is_signed(type)) return for_width(ptx::bit_width(type), make);
  switch (ptx::bit_width(type)) {
    case 16: return make(std::int16_t{});
    case 32: return make(std::int32_t{});
    case 64: return make(std::int64_t{});
    default: return nullptr;
  }
}

// What computes the instruction's result from its sources in the order of their slots; null: none does. The result's
// bits above its type's width are zero, except those of conversions between integers.
RowFunction integer_row(const ptx::Instruction& inst);
RowFunction compare_row(const ptx::Instruction& inst);
RowFunction convert_row(const ptx::Instruction& inst);
RowFunction float_row(const ptx::Instruction& inst);
// Of setp with two sources and a predicate: what joins the comparison with the predicate.
RowFunction combine_row(ptx::BoolOp op);
RowFunction copy_row();

}  // namespace heddle::device::machine
