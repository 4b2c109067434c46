#include "ptx/vector_size.hpp"

#include <optional>

#include "ptx/matrix.hpp"

namespace heddle::ptx {
namespace {

// Bits that one matrix element takes in a fragment register. The formats of 4 and 6 bits travel in bytes, but for the
// kinds that are 4-bit throughout.
unsigned fragment_bits(Type type, const ModifierList& modifiers) {
  const bool packed_4bit = modifiers.has(Modifier::kind_mxf4) || modifiers.has(Modifier::kind_mxf4nvf4);
  switch (type) {
    case Type::e2m1: return packed_4bit ? 4 : 8;
    case Type::e3m2:
    case Type::e2m3: return 8;
    case Type::tf32: return 32;
    default: return bit_width(type);
  }
}

unsigned fragment_registers(unsigned elements_of_warp, Type type, const ModifierList& modifiers) {
  const unsigned bits = fragment_bits(type, modifiers);
  const unsigned of_lane = elements_of_warp * bits / 32;
  const unsigned registers = of_lane / (bits == 64 ? 64 : 32);
  return registers == 0 ? 1 : registers;
}

ElementRange exactly(unsigned n) { return {n, n}; }

bool is_sparse(const ModifierList& modifiers) {
  return modifiers.has(Modifier::sp) || modifiers.has(Modifier::sp_ordered_metadata);
}

// Volta's 8x8x4 in f16: four quad pairs compute one product each, so a fragment is twice the even share and more.
unsigned volta_registers(char operand, const Decoded& d) {
  if (operand == 'a' || operand == 'b') return 2;
  return (operand == 'd' ? d.type : d.type4) == Type::f16 ? 4 : 8;
}

ElementRange mma_registers(char operand, const ModifierList& modifiers, const Decoded& d) {
  const std::optional<MatrixShape> s = matrix_shape(modifiers);
  if (!s) return {};
  if (s->m == 8 && s->k == 4 && d.type2 == Type::f16) return exactly(volta_registers(operand, d));
  const unsigned density = is_sparse(modifiers) ? 2 : 1;
  switch (operand) {
    case 'a': return exactly(fragment_registers(s->m * s->k / density, d.type2, modifiers));
    case 'b': return exactly(fragment_registers(s->n * s->k, d.type3, modifiers));
    case 'c': return exactly(fragment_registers(s->m * s->n, d.type4, modifiers));
    default: return exactly(fragment_registers(s->m * s->n, d.type, modifiers));
  }
}

unsigned wmma_registers(char fragment, Type type, const MatrixShape& s, const ModifierList& modifiers) {
  // Each f16 element of a and b is held by two lanes.
  if (type == Type::f16 && (fragment == 'a' || fragment == 'b')) return 8;
  switch (fragment) {
    case 'a': return fragment_registers(s.m * s.k, type, modifiers);
    case 'b': return fragment_registers(s.n * s.k, type, modifiers);
    default: return fragment_registers(s.m * s.n, type, modifiers);
  }
}

ElementRange wmma_size(char operand, const ModifierList& modifiers, const Decoded& d) {
  const std::optional<MatrixShape> s = matrix_shape(modifiers);
  if (!s) return {};
  if (operand == 'r') {
    const char fragment = modifiers.has(Modifier::a) ? 'a' : modifiers.has(Modifier::b) ? 'b' : 'c';
    return exactly(wmma_registers(fragment, d.type, *s, modifiers));
  }
  const bool implicit_f16 = d.type3 == Type::none;  // .dtype.ctype only
  switch (operand) {
    case 'a': return exactly(wmma_registers('a', implicit_f16 ? Type::f16 : d.type2, *s, modifiers));
    case 'b': return exactly(wmma_registers('b', implicit_f16 ? Type::f16 : d.type3, *s, modifiers));
    case 'c': return exactly(wmma_registers('c', implicit_f16 ? d.type2 : d.type4, *s, modifiers));
    default: return exactly(wmma_registers('d', d.type, *s, modifiers));
  }
}

ElementRange wgmma_size(const ModifierList& modifiers, const Decoded& d) {
  const std::optional<MatrixShape> s = matrix_shape(modifiers);
  if (!s) return {};
  return exactly(d.type == Type::f16 ? s->n / 4 : s->n / 2);  // 64 rows over 128 threads
}

ElementRange matrix_move_size(const ModifierList& modifiers) {
  unsigned count = modifiers.has(Modifier::x4) ? 4 : modifiers.has(Modifier::x2) ? 2 : 1;
  if (modifiers.has(Modifier::m16n16)) count *= 2;
  return exactly(count);
}

unsigned tensor_rank(const ModifierList& modifiers) {
  for (Modifier m : modifiers) {
    switch (m) {
      case Modifier::dim_1d: return 1;
      case Modifier::dim_2d: return 2;
      case Modifier::dim_3d: return 3;
      case Modifier::dim_4d: return 4;
      case Modifier::dim_5d: return 5;
      default: break;
    }
  }
  return 0;
}

ElementRange tensor_size(const SlotPattern& slot, const ModifierList& modifiers) {
  const unsigned rank = tensor_rank(modifiers);
  if (rank == 0) return {};
  if (slot.shape == Shape::coordinates)
    return exactly(modifiers.has(Modifier::tile_gather4) || modifiers.has(Modifier::tile_scatter4) ? 5 : rank);
  if (modifiers.has(Modifier::im2col)) return exactly(rank > 2 ? rank - 2 : 1);
  return exactly(2);
}

// Coordinates of a texture or surface. Vectors have a power of two of elements; early compilers always wrote four.
ElementRange coordinate_range(const ModifierList& modifiers) {
  for (Modifier m : modifiers) {
    switch (m) {
      case Modifier::dim_1d: return {1, 4};
      case Modifier::dim_2d:
      case Modifier::a1d: return {2, 4};
      case Modifier::dim_3d:
      case Modifier::a2d:
      case Modifier::cube:
      case Modifier::acube:
      case Modifier::dim_2dms:
      case Modifier::a2dms: return exactly(4);
      default: break;
    }
  }
  return {};
}

// Gradients and offsets have one component for each axis that is not a layer.
ElementRange axis_range(const ModifierList& modifiers) {
  for (Modifier m : modifiers) {
    switch (m) {
      case Modifier::dim_1d:
      case Modifier::a1d: return exactly(1);
      case Modifier::dim_2d:
      case Modifier::a2d:
      case Modifier::dim_2dms:
      case Modifier::a2dms: return exactly(2);
      case Modifier::dim_3d:
      case Modifier::cube:
      case Modifier::acube: return exactly(4);
      default: break;
    }
  }
  return {};
}

}  // namespace

ElementRange element_range(const Form& form, const SlotPattern& slot, const ModifierList& modifiers, const Decoded& d) {
  if (slot.shape != Shape::list && slot.shape != Shape::scalar_or_list && slot.shape != Shape::coordinates) return {};
  const std::string_view slot_text = slot_name(form, slot);
  if (slot_text.starts_with("select_")) return exactly(2);
  switch (form.opcode) {
    case Opcode::mma: return mma_registers(slot_text[0], modifiers, d);
    case Opcode::wmma: return wmma_size(slot_text[0], modifiers, d);
    case Opcode::wgmma: return wgmma_size(modifiers, d);
    case Opcode::ldmatrix:
    case Opcode::stmatrix: return matrix_move_size(modifiers);
    case Opcode::cp: return tensor_size(slot, modifiers);
    case Opcode::tex:
    case Opcode::tld4:
    case Opcode::suld:
    case Opcode::sust:
    case Opcode::sured: return slot.shape == Shape::coordinates ? coordinate_range(modifiers) : axis_range(modifiers);
    default: return {};
  }
}

}  // namespace heddle::ptx
