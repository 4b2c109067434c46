#include "ptx/rewrite/expand_matrices.hpp"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "ptx/matrix.hpp"
#include "ptx/rewrite/body_editor.hpp"
#include "ptx/type.hpp"

namespace heddle::ptx {
namespace {

constexpr Modifier as_u16 = modifier_of(Type::u16), as_u32 = modifier_of(Type::u32), as_u64 = modifier_of(Type::u64),
                   as_s64 = modifier_of(Type::s64), as_b16 = modifier_of(Type::b16), as_b32 = modifier_of(Type::b32);

bool is_plain_8x8(const Instruction& inst) {
  return inst.has(Modifier::m8n8) && (inst.opcode == Opcode::movmatrix || inst.has(as_b16));
}

bool is_replaced(const Instruction& inst) {
  switch (inst.opcode) {
    case Opcode::ldmatrix:
    case Opcode::stmatrix:
    case Opcode::movmatrix: return is_plain_8x8(inst);
    case Opcode::wmma: return inst.has(Modifier::load) || inst.has(Modifier::store);
    default: return false;
  }
}

bool moves_matrices(const Function& function) {
  return std::any_of(function.body.begin(), function.body.end(), is_replaced);
}

Operand reg(std::uint32_t number) { return Operand::make_reg(number); }
Operand integer(std::int64_t value) { return Operand::make_integer(value); }

Operand list_of(const std::vector<std::uint32_t>& registers) {
  Operand list;
  list.kind = OperandKind::vector;
  for (const std::uint32_t each : registers) list.elements.push_back(reg(each));
  return list;
}

class Expander {
 public:
  Expander(Function& function, std::string_view stem, bool finds_bad_rows)
      : function_(function), editor_(function, stem), finds_bad_rows_(finds_bad_rows) {}

  void run() {
    for (std::size_t i = 0; i < editor_.size(); ++i) {
      editor_.begin(i);
      Instruction inst = editor_.take(i);
      if (is_replaced(inst))
        expand(inst);
      else
        editor_.emit(std::move(inst));
    }
    editor_.begin(editor_.size());
    editor_.finish();
  }

 private:
  void expand(const Instruction& inst) {
    guard_ = inst.guard;
    lane_ = editor_.read(SpecialRegister::laneid);
    group_ = compute(Type::b32, Opcode::shr, {as_u32}, {reg(lane_), integer(2)});
    in_group_ = compute(Type::b32, Opcode::and_, {as_b32}, {reg(lane_), integer(3)});
    switch (inst.opcode) {
      case Opcode::ldmatrix:
      case Opcode::stmatrix: return move_tiles(inst);
      case Opcode::movmatrix: return transpose(inst);
      default: return move_fragment(inst);
    }
  }

  std::uint32_t compute(Type type, Opcode opcode, std::initializer_list<Modifier> modifiers,
                        std::vector<Operand> sources) {
    return editor_.compute(type, opcode, modifiers, std::move(sources));
  }
  // What the instruction's guard says.
  void emit_guarded(Opcode opcode, std::initializer_list<Modifier> modifiers, std::vector<Operand> operands) {
    Instruction inst = make_instruction(opcode, modifiers, std::move(operands));
    if (guard_.present)
      editor_.emit_if(guard_.reg, !guard_.negated, std::move(inst));
    else
      editor_.emit(opcode, modifiers, inst.operands);
  }

  // -------------------------------------------------------------------------------------------------------------------
  // Addresses

  // The address in a new register of 64 bits: what the instruction loads may replace the old one.
  std::uint32_t address(const Operand& operand) {
    if (operand.base == OperandKind::symbol) {
      Operand symbol;
      symbol.kind = OperandKind::symbol;
      symbol.symbol = operand.symbol;
      symbol.value = operand.value;
      return compute(Type::b64, Opcode::mov, {as_u64}, {symbol});
    }
    if (operand.base != OperandKind::reg) return compute(Type::b64, Opcode::mov, {as_u64}, {integer(operand.value)});
    std::uint32_t base = operand.index;
    if (bit_width(function_.registers[base].type) == 32)
      base = compute(Type::b64, Opcode::cvt, {as_u64, as_u32}, {reg(base)});
    return compute(Type::b64, Opcode::add, {as_s64}, {reg(base), integer(operand.value)});
  }
  std::uint32_t plus(std::uint32_t address, std::uint32_t bytes) {
    const std::uint32_t wide = compute(Type::b64, Opcode::cvt, {as_u64, as_u32}, {reg(bytes)});
    return compute(Type::b64, Opcode::add, {as_s64}, {reg(address), reg(wide)});
  }

  // Those of an access in the space that the instruction names.
  static ModifierList access_modifiers(const Instruction& inst, std::initializer_list<Modifier> others) {
    ModifierList all;
    for (Modifier m : {Modifier::global, Modifier::shared, Modifier::shared_cta})
      if (inst.has(m)) all.push_back(m);
    for (Modifier m : others) all.push_back(m);
    return all;
  }
  void access(Opcode opcode, const Instruction& inst, Type type, std::uint32_t value, std::uint32_t address,
              MatrixAccess part, std::int64_t first_row = 0) {
    Instruction made;
    made.opcode = opcode;
    made.modifiers = access_modifiers(inst, {modifier_of(type)});
    const Operand place = Operand::make_address_reg(address);
    made.operands =
        opcode == Opcode::ld ? std::vector<Operand>{reg(value), place} : std::vector<Operand>{place, reg(value)};
    made.guard = guard_;
    decode(made);
    made.d.matrix = part;
    made.d.first_row = static_cast<std::uint8_t>(first_row);
    made.where = inst.where;
    editor_.emit(std::move(made));
  }

  // -------------------------------------------------------------------------------------------------------------------
  // Moves between lanes

  std::uint32_t shuffled(std::uint32_t word, std::uint32_t from) {
    const std::uint32_t result = editor_.add_register(Type::b32);
    editor_.emit(Opcode::shfl, {Modifier::sync, Modifier::idx, as_b32},
                 {reg(result), {}, reg(word), reg(from), integer(31), integer(0xffffffff)});
    return result;
  }
  std::uint32_t shuffled_address(std::uint32_t address, std::uint32_t from) {
    const std::uint32_t low = compute(Type::b32, Opcode::cvt, {as_u32, as_u64}, {reg(address)});
    const std::uint32_t shifted = compute(Type::b64, Opcode::shr, {as_u64}, {reg(address), integer(32)});
    const std::uint32_t high = compute(Type::b32, Opcode::cvt, {as_u32, as_u64}, {reg(shifted)});
    return joined(Type::b64, {shuffled(low, from), shuffled(high, from)});
  }
  // Registers side by side in one, the first in the low bits.
  std::uint32_t joined(Type type, const std::vector<std::uint32_t>& parts) {
    const std::uint32_t result = editor_.add_register(type);
    join(reg(result), type, parts);
    return result;
  }
  void join(const Operand& result, Type type, const std::vector<std::uint32_t>& parts) {
    emit_guarded(Opcode::mov, {modifier_of(type)}, {result, list_of(parts)});
  }

  // -------------------------------------------------------------------------------------------------------------------
  // ldmatrix and stmatrix (PTX ISA 9.7.15.5.15 and 16): rows of eight halves. Lanes 8 i to 8 i + 7 have the addresses
  // of the rows of matrix i. A lane holds the elements 2 (l mod 4) and the next of row l / 4; with .trans of column l
  // / 4.

  void move_tiles(const Instruction& inst) {
    const bool loads = inst.opcode == Opcode::ldmatrix;
    const std::uint32_t mine = address(inst.operands[loads ? 1 : 0]);
    const std::span<const Operand> words = registers_of(inst.operands[loads ? 0 : 1]);
    if (finds_bad_rows_) access_bad_rows(inst, loads, mine, words.size());
    for (std::uint32_t i = 0; i < words.size(); ++i) {
      if (inst.has(Modifier::trans))
        move_column(inst, loads, mine, 8 * i, words[i]);
      else
        move_row(inst, loads, mine, 8 * i, words[i]);
    }
  }

  // A row begins at a multiple of its 16 bytes. A lane that names another address accesses that as a whole.
  void access_bad_rows(const Instruction& inst, bool loads, std::uint32_t mine, std::size_t matrices) {
    const std::uint32_t low = compute(Type::b32, Opcode::cvt, {as_u32, as_u64}, {reg(mine)});
    const std::uint32_t rest = compute(Type::b32, Opcode::and_, {as_b32}, {reg(low), integer(15)});
    const auto named = integer(static_cast<std::int64_t>(8 * matrices));
    std::uint32_t bad = compute(Type::pred, Opcode::setp, {Modifier::lt, as_u32}, {{}, reg(lane_), named});
    if (guard_.present) {
      Operand guard = reg(guard_.reg);
      guard.negated = guard_.negated;
      bad = compute(Type::pred, Opcode::setp, {Modifier::lt, Modifier::and_, as_u32}, {{}, reg(lane_), named, guard});
    }
    bad = compute(Type::pred, Opcode::setp, {Modifier::ne, Modifier::and_, as_u32},
                  {{}, reg(rest), integer(0), reg(bad)});
    std::vector<std::uint32_t> words;
    for (int i = 0; i < 4; ++i) words.push_back(compute(Type::b32, Opcode::mov, {as_b32}, {integer(0)}));
    const Operand place = Operand::make_address_reg(mine);
    Instruction made;
    made.opcode = loads ? Opcode::ld : Opcode::st;
    made.modifiers = access_modifiers(inst, {Modifier::v4, as_b32});
    made.operands = loads ? std::vector<Operand>{list_of(words), place} : std::vector<Operand>{place, list_of(words)};
    decode(made);
    made.where = inst.where;
    editor_.emit_if(bad, true, std::move(made));
  }

  void move_row(const Instruction& inst, bool loads, std::uint32_t mine, std::int64_t first, const Operand& word) {
    const std::uint32_t from = compute(Type::b32, Opcode::add, {as_u32}, {reg(group_), integer(first)});
    const std::uint32_t bytes = compute(Type::b32, Opcode::shl, {as_b32}, {reg(in_group_), integer(2)});
    const std::uint32_t place = plus(shuffled_address(mine, from), bytes);
    if (!loads) return access(Opcode::st, inst, Type::b32, value_of(word), place, MatrixAccess::row_words, first);
    if (word.is_reg()) access(Opcode::ld, inst, Type::b32, word.index, place, MatrixAccess::row_words, first);
  }

  void move_column(const Instruction& inst, bool loads, std::uint32_t mine, std::int64_t first, const Operand& word) {
    const std::uint32_t twice = compute(Type::b32, Opcode::shl, {as_b32}, {reg(in_group_), integer(1)});
    const std::uint32_t bytes = compute(Type::b32, Opcode::shl, {as_b32}, {reg(group_), integer(1)});
    std::vector<std::uint32_t> halves{editor_.add_register(Type::b16), editor_.add_register(Type::b16)};
    if (!loads) split(word, halves);
    for (std::int64_t row = 0; row < 2; ++row) {
      const std::uint32_t from = compute(Type::b32, Opcode::add, {as_u32}, {reg(twice), integer(first + row)});
      const std::uint32_t place = plus(shuffled_address(mine, from), bytes);
      access(loads ? Opcode::ld : Opcode::st, inst, Type::b16, halves[static_cast<std::size_t>(row)], place,
             MatrixAccess::row_halves, first + row);
    }
    if (loads && word.is_reg()) join(word, Type::b32, halves);
  }

  std::uint32_t value_of(const Operand& word, Type type = Type::b32) {
    return word.is_reg() ? word.index : compute(type, Opcode::mov, {modifier_of(type)}, {word});
  }
  void split(const Operand& word, const std::vector<std::uint32_t>& parts) {
    editor_.emit(Opcode::mov, {as_b32}, {list_of(parts), reg(value_of(word))});
  }

  // movmatrix: row r of the result is column r of the source, whose element (r, c) is in lane 4 r + c / 2.
  void transpose(const Instruction& inst) {
    const std::uint32_t source = value_of(inst.operands[1]);
    const std::uint32_t pair = compute(Type::b32, Opcode::shr, {as_u32}, {reg(group_), integer(1)});
    const std::uint32_t odd = compute(Type::b32, Opcode::and_, {as_b32}, {reg(group_), integer(1)});
    const std::uint32_t shift = compute(Type::b32, Opcode::shl, {as_b32}, {reg(odd), integer(4)});
    const std::uint32_t first =
        compute(Type::b32, Opcode::mad, {Modifier::lo, as_u32}, {reg(in_group_), integer(8), reg(pair)});
    std::vector<std::uint32_t> halves;
    for (const std::int64_t row : {0, 4}) {
      const std::uint32_t from = compute(Type::b32, Opcode::add, {as_u32}, {reg(first), integer(row)});
      const std::uint32_t shifted =
          compute(Type::b32, Opcode::shr, {as_u32}, {reg(shuffled(source, from)), reg(shift)});
      halves.push_back(compute(Type::b16, Opcode::cvt, {as_u16, as_u32}, {reg(shifted)}));
    }
    join(inst.operands[0], Type::b32, halves);
  }

  // -------------------------------------------------------------------------------------------------------------------
  // wmma.load and wmma.store (PTX ISA 9.7.15.3 and 9.7.15.4)

  // Coordinates are affine in a lane's group and its place in that.
  struct Coordinate {
    std::int64_t constant = 0, of_group = 0, of_lane = 0;
  };
  struct Fragment {
    FragmentLayout layout;
    bool by_rows = true;
    unsigned bits = 0;  // of an element in memory
    Operand stride;     // in elements
    std::uint32_t base = 0;
  };

  static Coordinate coordinate(const FragmentLayout& layout, unsigned at, unsigned element, bool row) {
    const auto of = [&](unsigned lane) {
      const auto place = layout.place(lane, at, element);
      return static_cast<std::int64_t>(row ? place.row : place.column);
    };
    return {of(0), of(4) - of(0), of(1) - of(0)};
  }
  std::uint32_t value(const Coordinate& c) {
    const std::uint32_t groups =
        compute(Type::b32, Opcode::mul, {Modifier::lo, as_u32}, {reg(group_), integer(c.of_group)});
    const std::uint32_t lanes =
        compute(Type::b32, Opcode::mad, {Modifier::lo, as_u32}, {reg(in_group_), integer(c.of_lane), reg(groups)});
    return compute(Type::b32, Opcode::add, {as_u32}, {reg(lanes), integer(c.constant)});
  }

  // The address of an element: base + (major * stride + minor) * size.
  std::uint32_t element_address(const Fragment& fragment, unsigned at, unsigned element) {
    const std::uint32_t major = value(coordinate(fragment.layout, at, element, fragment.by_rows));
    const std::uint32_t minor = value(coordinate(fragment.layout, at, element, !fragment.by_rows));
    const std::uint32_t index =
        compute(Type::b32, Opcode::mad, {Modifier::lo, as_u32}, {reg(major), fragment.stride, reg(minor)});
    const std::uint32_t wide =
        compute(Type::b64, Opcode::mul, {Modifier::wide, as_u32}, {reg(index), integer(fragment.bits)});
    const std::uint32_t bytes = compute(Type::b64, Opcode::shr, {as_u64}, {reg(wide), integer(3)});
    return compute(Type::b64, Opcode::add, {as_s64}, {reg(fragment.base), reg(bytes)});
  }

  // Of the accesses of a fragment: the first stands for all lanes.
  MatrixAccess next_part() { return std::exchange(part_, MatrixAccess::none); }

  void move_fragment(const Instruction& inst) {
    part_ = MatrixAccess::together;
    const bool loads = inst.has(Modifier::load);
    const Matrix matrix = inst.has(Modifier::a) ? Matrix::a : inst.has(Modifier::b) ? Matrix::b : Matrix::c;
    const MatrixShape shape = matrix_shape(inst.modifiers).value_or(MatrixShape{});
    Fragment fragment{.layout = FragmentLayout(matrix, shape, inst.d.type),
                      .by_rows = inst.has(Modifier::row),
                      .bits = stored_bits(inst.d.type),
                      .stride = inst.operands[2],
                      .base = address(inst.operands[loads ? 1 : 0])};
    if (!fragment.stride.present())
      fragment.stride = integer(fragment.by_rows ? fragment.layout.columns : fragment.layout.rows);
    else if (fragment.stride.is_reg())  // which the instruction may load into
      fragment.stride = reg(compute(Type::b32, Opcode::mov, {as_b32}, {fragment.stride}));
    const std::span<const Operand> words = registers_of(inst.operands[loads ? 0 : 1]);
    // The elements of a register lie along k, those of c along a row.
    const bool along_columns = matrix != Matrix::b;
    const bool whole = fragment.layout.per_register == 1 || fragment.by_rows == along_columns;
    for (unsigned i = 0; i < words.size(); ++i) {
      if (!loads && i >= fragment.layout.distinct) break;
      if (whole)
        move_word(inst, loads, fragment, i, words[i]);
      else
        move_elements(inst, loads, fragment, i, words[i]);
    }
  }

  void move_word(const Instruction& inst, bool loads, const Fragment& fragment, unsigned at, const Operand& word) {
    const Type type = fragment.bits == 64 ? Type::b64 : Type::b32;
    const std::uint32_t place = element_address(fragment, at, 0);
    if (!loads) return access(Opcode::st, inst, type, value_of(word, type), place, next_part());
    if (word.is_reg()) access(Opcode::ld, inst, type, word.index, place, next_part());
  }

  // Only fragments of d are stored, which have no bytes.
  void move_elements(const Instruction& inst, bool loads, const Fragment& fragment, unsigned at, const Operand& word) {
    const Type type = fragment.bits == 8 ? Type::b8 : Type::b16;
    std::vector<std::uint32_t> parts;
    for (unsigned e = 0; e < fragment.layout.per_register; ++e) parts.push_back(editor_.add_register(Type::b16));
    if (!loads) split(word, parts);
    for (unsigned e = 0; e < parts.size(); ++e)
      access(loads ? Opcode::ld : Opcode::st, inst, type, parts[e], element_address(fragment, at, e), next_part());
    if (loads && word.is_reg()) join_elements(word, parts);
  }
  // Bytes travel in registers of 16 bits.
  void join_elements(const Operand& word, const std::vector<std::uint32_t>& parts) {
    if (parts.size() == 2) return join(word, Type::b32, parts);
    std::vector<std::uint32_t> halves;
    for (std::size_t i = 0; i < parts.size(); i += 2) {
      const std::uint32_t high = compute(Type::b16, Opcode::shl, {as_b16}, {reg(parts[i + 1]), integer(8)});
      halves.push_back(compute(Type::b16, Opcode::or_, {as_b16}, {reg(parts[i]), reg(high)}));
    }
    join(word, Type::b32, halves);
  }

  Function& function_;
  BodyEditor editor_;
  const bool finds_bad_rows_;
  Guard guard_;
  MatrixAccess part_ = MatrixAccess::none;
  std::uint32_t lane_ = 0, group_ = 0, in_group_ = 0;
};

}  // namespace

bool moves_matrices(const Module& module) {
  return std::any_of(module.functions.begin(), module.functions.end(),
                     [](const Function& function) { return moves_matrices(function); });
}

void expand_matrices(Module& module, bool finds_bad_rows) {
  if (!moves_matrices(module)) return;
  const std::string stem = unused_stem(module);
  for (Function& function : module.functions)
    if (moves_matrices(function)) Expander(function, stem, finds_bad_rows).run();
}

}  // namespace heddle::ptx
