// One PTX instruction: mnemonic, suffixes in source order, guard and operands, plus the meaning of the suffixes in
// decoded form. `modifiers` and `operands` are the truth (they are printed and compared); `Decoded` is derived from
// them.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "ptx/keywords.hpp"
#include "ptx/special_register.hpp"
#include "ptx/type.hpp"

namespace heddle::ptx {

// A short list kept inside the instruction; no instruction of PTX 9.0 has more suffixes than it can hold.
class ModifierList {
 public:
  static constexpr unsigned capacity = 15;
  bool push_back(Modifier modifier) {
    if (size_ == capacity) return false;
    items_[size_++] = modifier;
    return true;
  }
  void clear() { size_ = 0; }
  unsigned size() const { return size_; }
  bool empty() const { return size_ == 0; }
  Modifier operator[](unsigned i) const { return items_[i]; }
  const Modifier* begin() const { return items_.data(); }
  const Modifier* end() const { return items_.data() + size_; }
  bool has(Modifier modifier) const {
    for (Modifier m : *this)
      if (m == modifier) return true;
    return false;
  }
  friend bool operator==(const ModifierList& a, const ModifierList& b) {
    if (a.size_ != b.size_) return false;
    for (unsigned i = 0; i < a.size_; ++i)
      if (a.items_[i] != b.items_[i]) return false;
    return true;
  }

 private:
  std::array<Modifier, capacity> items_{};
  std::uint16_t size_ = 0;
};

enum class Space : std::uint8_t { generic, global, shared, local, constant, param };
enum class Rounding : std::uint8_t { none, rn, rz, rm, rp, rna, rs, rni, rzi, rmi, rpi };
enum class Scope : std::uint8_t { none, cta, cluster, gpu, sys };
enum class Order : std::uint8_t { weak, volatile_, relaxed, acquire, release, acq_rel, sc, mmio };
enum class Compare : std::uint8_t {
  none,
  eq,
  ne,
  lt,
  le,
  gt,
  ge,
  lo,
  ls,
  hi,
  hs,
  equ,
  neu,
  ltu,
  leu,
  gtu,
  geu,
  num,
  nan
};
enum class BoolOp : std::uint8_t { none, and_, or_, xor_ };
// Operation of atom, red, redux, barrier.red and multimem.
enum class ReduceOp : std::uint8_t { none, and_, or_, xor_, exch, cas, add, inc, dec, min, max, popc };
enum class Half : std::uint8_t { none, lo, hi, wide };
enum class WarpMode : std::uint8_t { none, up, down, bfly, idx, all, any, uni, ballot };

// What the suffixes say. Fields that an instruction does not have keep their defaults.
// Of loads and stores that stand for a move of a matrix by a warp (ptx/rewrite/expand_matrices.hpp).
enum class MatrixAccess : std::uint8_t {
  none,
  row_words,   // 4 bytes in a row of 16, the lane's place in its group of 4 says which
  row_halves,  // 2 bytes in a row of 16, the lane's group of 4 says which
  together,    // the first of a wmma: all lanes of the warp execute it
};

struct Decoded {
  Type type = Type::none;   // first type suffix; for most instructions the type of all operands
  Type type2 = Type::none;  // second type suffix: source type of cvt, set, slct's selector, dp4a's b, mma's A
  Type type3 = Type::none;
  Type type4 = Type::none;
  Rounding rounding = Rounding::none;
  Space space = Space::generic;  // of ld, st, atom, red, cvta, isspacep, prefetch, mbarrier ...
  Scope scope = Scope::none;
  Order order = Order::weak;  // of ld, st, atom, red, fence (membar.cta/gl/sys: sc at cta/gpu/sys)
  Compare compare = Compare::none;
  BoolOp bool_op = BoolOp::none;
  ReduceOp reduce = ReduceOp::none;
  Half half = Half::none;          // mul, mad, dp2a
  WarpMode warp = WarpMode::none;  // shfl, vote, match
  std::uint8_t vector = 1;         // .v2 .v4 .v8
  MatrixAccess matrix = MatrixAccess::none;
  std::uint8_t first_row = 0;  // of a row's words and halves: the lane that has the address of the first row
  bool ftz = false;
  bool sat = false;  // .sat
  bool satfinite = false;
  bool relu = false;
  bool approx = false;
  bool full = false;  // div.full
  bool nan = false;   // .NaN of min and max
  bool xorsign_abs = false;
  bool carry_out = false;  // .cc
  bool uniform = false;    // .uni of bra and call
  bool to = false;         // cvta.to
  bool nc = false;         // ld.global.nc
  bool sync = false;       // shfl.sync, vote.sync, match.sync ... take a member mask
  friend bool operator==(const Decoded&, const Decoded&) = default;
};

struct SymbolRef {
  enum class Kind : std::uint8_t { module_variable, function, local_variable, parameter, return_parameter };
  Kind kind = Kind::module_variable;
  std::uint32_t index = 0;  // into Module::variables, Module::functions, Function::variables, ::parameters, ::returns
  friend bool operator==(const SymbolRef&, const SymbolRef&) = default;
};

enum class OperandKind : std::uint8_t {
  none,     // an optional operand that is not there
  sink,     // _
  reg,      // index: Function::registers
  special,  // special: a special register
  integer,  // value (sign- or zero-extended to 64 bits as written)
  real,     // value: bits of an f64; `real_type` f32 when written 0f... (value then holds the 32 bits)
  symbol,   // symbol + value: address of a variable or function
  address,  // [base + value] where base is a register (`base` reg), symbol or nothing; elements: texture coordinates
  vector,   // {elements}; also the parenthesised lists of call
  label,    // index: Function::labels
  table,    // index: Function::tables (.branchtargets, .calltargets, .callprototype)
};

struct Operand {
  OperandKind kind = OperandKind::none;
  OperandKind base = OperandKind::none;  // of an address: reg, symbol or none (absolute)
  bool negated = false;                  // !p
  Type real_type = Type::none;           // of a real: f32 or f64
  std::uint16_t selector = 0;  // of video instructions: 0 none, 1..4 .b0...b3, 5..6 .h0 .h1, more in selector.hpp
  SpecialRegister special = SpecialRegister::none;
  std::uint32_t index = 0;
  SymbolRef symbol;
  std::int64_t value = 0;
  std::vector<Operand> elements;

  static Operand make_reg(std::uint32_t reg);
  static Operand make_integer(std::int64_t value);
  static Operand make_f32(float value);
  static Operand make_f64(double value);
  static Operand make_address_reg(std::uint32_t reg, std::int64_t offset = 0);
  static Operand make_address_symbol(SymbolRef symbol, std::int64_t offset = 0);

  bool is_reg() const { return kind == OperandKind::reg; }
  bool present() const { return kind != OperandKind::none; }
  friend bool operator==(const Operand&, const Operand&) = default;
};

struct Guard {
  bool present = false;
  bool negated = false;
  std::uint32_t reg = 0;
  friend bool operator==(const Guard&, const Guard&) = default;
};

// Where an instruction stands: the PTX text, and the user's source through .loc when there is one.
struct SourceLocation {
  std::uint32_t line = 0;  // 1-based; 0 unknown
  std::uint32_t column = 0;
  std::uint32_t loc = 0;  // 1-based index into Function::locs; 0 none
};

// Index of an instruction's form in the form table (form_table.hpp).
using FormId = std::uint16_t;
inline constexpr FormId no_form = 0xFFFF;

struct Instruction {
  Opcode opcode = Opcode::count_;
  FormId form = no_form;  // derived by resolve(), like `d`
  Guard guard;
  ModifierList modifiers;
  // One entry for each slot of the instruction's form (forms.hpp), in source order; slots that are not written are
  // OperandKind::none. `d|p` pairs are two slots.
  std::vector<Operand> operands;
  Decoded d;
  SourceLocation where;

  bool is_terminator() const;  // unguarded bra, brx, ret, exit, trap
  bool has(Modifier m) const { return modifiers.has(m); }
  // Same instruction, wherever it stands.
  friend bool operator==(const Instruction& a, const Instruction& b) {
    return a.opcode == b.opcode && a.guard == b.guard && a.modifiers == b.modifiers && a.operands == b.operands;
  }
};

}  // namespace heddle::ptx
