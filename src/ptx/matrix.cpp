#include "ptx/matrix.hpp"

#include <algorithm>
#include <bit>
#include <string_view>
#include <utility>

#include "heddle/error.hpp"
#include "ptx/type.hpp"

namespace heddle::ptx {
namespace {

// Each tile is eight rows or columns wide, one for each group of four lanes.
constexpr unsigned tile = 8, lanes_of_group = 4;
constexpr unsigned register_bits = 32;  // f64 takes a register of 64

bool reads_number(std::string_view text, std::size_t& at, char letter, std::uint16_t& value) {
  if (at == text.size() || text[at] != letter) return false;
  const std::size_t first = ++at;
  while (at < text.size() && text[at] >= '0' && text[at] <= '9')
    value = static_cast<std::uint16_t>(value * 10 + (text[at++] - '0'));
  return at > first;
}

// "m16n8k16"
std::optional<MatrixShape> parse_shape(std::string_view text) {
  MatrixShape shape;
  std::size_t at = 0;
  if (!reads_number(text, at, 'm', shape.m) || !reads_number(text, at, 'n', shape.n) ||
      !reads_number(text, at, 'k', shape.k) || at != text.size())
    return std::nullopt;
  return shape;
}

bool has_refused_modifier(const Instruction& inst) {
  for (Modifier m : {Modifier::sp, Modifier::sp_ordered_metadata, Modifier::block_scale, Modifier::kind_f8f6f4})
    if (inst.has(m)) return true;
  return false;
}

}  // namespace

std::optional<MatrixShape> matrix_shape(const ModifierList& modifiers) {
  for (Modifier m : modifiers)
    if (std::optional<MatrixShape> shape = parse_shape(name(m))) return shape;
  return std::nullopt;
}

std::optional<MatrixProduct> matrix_product(const Instruction& inst) {
  const bool multiplies = inst.opcode == Opcode::mma || (inst.opcode == Opcode::wmma && inst.has(Modifier::mma));
  const std::optional<MatrixShape> shape = matrix_shape(inst.modifiers);
  if (!multiplies || !shape || has_refused_modifier(inst)) return std::nullopt;
  MatrixProduct product{.shape = *shape, .satfinite = inst.d.satfinite};
  if (inst.opcode == Opcode::wmma && inst.d.type3 == Type::none) {  // .dtype.ctype only: halves
    product.a = product.b = Type::f16;
    product.c = inst.d.type2;
  } else {
    product.a = inst.d.type2;
    product.b = inst.d.type3;
    product.c = inst.d.type4;
  }
  product.d = inst.d.type;
  if (inst.d.rounding != Rounding::none) product.rounding = inst.d.rounding;
  product.exclusive_or = inst.has(Modifier::xor_);
  // Four products at once, each of two groups of lanes.
  if (inst.opcode == Opcode::mma && product.a == Type::f16 && shape->k == 4) return std::nullopt;
  return product;
}

std::uint64_t MatrixProduct::code() const {
  std::uint64_t code = 0;
  const auto add = [&](std::uint64_t value, unsigned bits) { code = code << bits | value; };
  add(shape.m, 6);
  add(shape.n, 6);
  add(shape.k, 9);
  for (Type type : {a, b, c, d}) add(static_cast<std::uint64_t>(type), 8);
  add(static_cast<std::uint64_t>(rounding), 4);
  add(satfinite, 1);
  add(exclusive_or, 1);
  return code;
}

MatrixProduct MatrixProduct::from_code(std::uint64_t code) {
  const auto take = [&](unsigned bits) {
    const std::uint64_t value = code & ((std::uint64_t{1} << bits) - 1);
    code >>= bits;
    return value;
  };
  MatrixProduct product;
  product.exclusive_or = take(1) != 0;
  product.satfinite = take(1) != 0;
  product.rounding = static_cast<Rounding>(take(4));
  for (Type* type : {&product.d, &product.c, &product.b, &product.a}) *type = static_cast<Type>(take(8));
  product.shape.k = static_cast<std::uint16_t>(take(9));
  product.shape.n = static_cast<std::uint16_t>(take(6));
  product.shape.m = static_cast<std::uint16_t>(take(6));
  return product;
}

unsigned stored_bits(Type type) { return type == Type::tf32 ? 32 : bit_width(type); }

std::span<const Operand> registers_of(const Operand& fragment) {
  if (fragment.kind == OperandKind::vector) return fragment.elements;
  return {&fragment, 1};
}

FragmentLayout::FragmentLayout(Matrix of, MatrixShape shape, Type type)
    : matrix(of),
      rows(of == Matrix::b ? shape.k : shape.m),
      columns(of == Matrix::a ? shape.k : shape.n),
      per_register(static_cast<std::uint16_t>(std::max(1u, register_bits / stored_bits(type)))),
      distinct(static_cast<std::uint16_t>(rows * columns / (tile * lanes_of_group * per_register))),
      tiles_bits_(static_cast<std::uint16_t>(std::bit_width((of == Matrix::b ? columns : rows) / tile) - 1)) {
  if (distinct == 0) throw Error(ErrorCode::internal, "a matrix is smaller than a register of a warp");
}

FragmentLayout::Place FragmentLayout::place(unsigned lane, unsigned reg, unsigned element) const {
  const unsigned group = lane / lanes_of_group, in_group = lane % lanes_of_group;
  const auto split = [this](unsigned index) { return std::pair(index % (1U << tiles_bits_), index >> tiles_bits_); };
  reg %= distinct;
  if (matrix == Matrix::c) {
    const unsigned index = reg * per_register + element;
    const auto [tile_row, tile_column] = split(index / 2);
    return {static_cast<std::uint16_t>(group + tile * tile_row),
            static_cast<std::uint16_t>(tile * tile_column + 2 * in_group + index % 2)};
  }
  // Along k each lane of a group has the elements of a register, one after the other.
  const auto [outer_tile, k_tile] = split(reg);
  const auto outer = static_cast<std::uint16_t>(group + tile * outer_tile);
  const auto k = static_cast<std::uint16_t>((k_tile * lanes_of_group + in_group) * per_register + element);
  return matrix == Matrix::a ? Place{outer, k} : Place{k, outer};
}

}  // namespace heddle::ptx
