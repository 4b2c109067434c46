// Matrix products of a warp (mma.sync, wmma.mma): their shapes and types, and which lane holds which element.
//
// The fragments of mma.sync are those of PTX ISA 9.7.15.5. PTX leaves open where the fragments of wmma have their
// elements. Here they follow the same rule, for as many rows and columns as the shape has.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "ptx/instruction.hpp"

namespace heddle::ptx {

struct MatrixShape {
  std::uint16_t m = 0, n = 0, k = 0;  // a: m x k, b: k x n, c and d: m x n
  friend bool operator==(const MatrixShape&, const MatrixShape&) = default;
};
inline constexpr unsigned matrix_lanes = 32;  // of a warp

// Of ldmatrix and stmatrix: a row of eight halves, which begins at a multiple of its size, and where a lane's access
// lies in it. Nothing for other accesses.
inline constexpr unsigned matrix_row_bytes = 16;
constexpr std::optional<unsigned> offset_in_row(MatrixAccess access, unsigned lane) {
  if (access == MatrixAccess::row_words) return 4 * (lane % 4);
  if (access == MatrixAccess::row_halves) return 2 * (lane / 4);
  return std::nullopt;
}
// The lane that has given the address of the row that a lane accesses, where `first` has that of the first one.
constexpr unsigned lane_of_row(MatrixAccess access, unsigned first, unsigned lane) {
  return first + (access == MatrixAccess::row_words ? lane / 4 : 2 * (lane % 4));
}

// That of a suffix like .m16n8k16; empty where the instruction has none.
std::optional<MatrixShape> matrix_shape(const ModifierList& modifiers);

// d = a * b + c
struct MatrixProduct {
  MatrixShape shape;
  Type a = Type::none, b = Type::none, c = Type::none, d = Type::none;
  Rounding rounding = Rounding::rn;  // of f64
  bool satfinite = false;
  bool exclusive_or = false;  // of b1: bits are combined by xor, else by and

  // In one number, and back.
  std::uint64_t code() const;
  static MatrixProduct from_code(std::uint64_t code);
  friend bool operator==(const MatrixProduct&, const MatrixProduct&) = default;
};
// What an mma or a wmma.mma computes. Empty for forms that no emulated device has: sparse matrices, block scales, types
// of 4 and 6 bits in floating point, and Volta's .m8n8k4 of halves.
std::optional<MatrixProduct> matrix_product(const Instruction& inst);

enum class Matrix : std::uint8_t { a, b, c };  // d is as c

// The elements of one matrix in the registers of a warp. Registers are of 32 bits, for f64 of 64.
struct FragmentLayout {
  struct Place {
    std::uint16_t row = 0, column = 0;
  };

  FragmentLayout(Matrix matrix, MatrixShape shape, Type type);

  // The element in a register of a lane. Registers from `distinct` on repeat those before them, as the fragments of
  // wmma have more registers for halves than they need.
  Place place(unsigned lane, unsigned reg, unsigned element) const;

  Matrix matrix;
  std::uint16_t rows, columns;
  std::uint16_t per_register;  // elements
  std::uint16_t distinct;      // registers of a lane

 private:
  std::uint16_t tiles_bits_;  // 2^this: tiles beside each other before the next along k, or along n in c
};

// Of an element in registers and in memory: tf32 takes 32 bits.
unsigned stored_bits(Type type);

// The registers of a fragment's operand: a list, or a single one.
std::span<const Operand> registers_of(const Operand& fragment);

}  // namespace heddle::ptx
