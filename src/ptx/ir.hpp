// The one representation of a kernel: a PTX module as typed tables. Names are resolved: operands hold indices into the
// tables below, never text. Nested register scopes of the source are flattened (clashing names get a suffix), so
// printing and parsing again gives an equal module.
//
// Thread safety: a Module is a plain value; concurrent reads are safe.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/instruction.hpp"

namespace heddle::ptx {

enum class Linkage : std::uint8_t { internal, visible, weak, external, common };

struct Register {
  std::string name;  // with its leading %, when it has one
  Type type = Type::none;
  friend bool operator==(const Register&, const Register&) = default;
};

// One element of an initialiser: a number, or the address of a symbol (plus offset), possibly generic(symbol) or
// masked.
struct InitValue {
  enum class Kind : std::uint8_t { integer, real, symbol, generic_symbol };
  Kind kind = Kind::integer;
  std::uint64_t bits = 0;  // integer: two's complement; real: bits in the variable's element type
  SymbolRef symbol;
  std::int64_t offset = 0;
  std::uint64_t mask = 0;  // 0xFF(symbol) style byte selections; 0 none
  // What stands there for a symbol with this address.
  std::uint64_t selected(std::uint64_t address) const {
    return mask == 0 ? address : (address & mask) >> std::countr_zero(mask);
  }
  friend bool operator==(const InitValue&, const InitValue&) = default;
};

// One field of an initialised texture, sampler or surface reference: addr_mode_0 = wrap.
struct OpaqueField {
  std::string name, value;
  friend bool operator==(const OpaqueField&, const OpaqueField&) = default;
};

// A variable or parameter. Size in bytes is element size * vector * product of dimensions.
struct Variable {
  std::string name;
  Space space = Space::global;
  Type type = Type::b8;     // element type
  std::uint8_t vector = 1;  // .v2, .v4
  std::vector<std::uint64_t>
      dims;                 // array dimensions; a first dimension of 0 means [] (size from initialiser, or extern)
  std::uint32_t align = 0;  // as written; 0: natural
  Linkage linkage = Linkage::internal;
  // Kernel parameters: .ptr [space] [align]
  bool is_pointer = false;
  Space pointer_space = Space::generic;
  std::uint32_t pointer_align = 0;
  bool managed = false;                                 // .attribute(.managed)
  std::optional<std::array<std::uint64_t, 2>> unified;  // .attribute(.unified(uuid1, uuid2))
  // Flattened, row-major; may end early, the rest is zeros. Dimension [] gets its size from a written initialiser.
  std::vector<InitValue> init;
  std::vector<OpaqueField> opaque_init;  // of .texref, .samplerref, .surfref
  std::uint32_t line = 0;                // where it stands in the PTX text
  bool unsized() const { return !dims.empty() && dims[0] == 0; }
  // Bytes; 0 for unsized arrays.
  std::uint64_t size() const;
  // The alignment that holds: `align` or the natural one.
  std::uint32_t alignment() const;
  friend bool operator==(const Variable& a, const Variable& b);  // ignores `line`
};

struct Label {
  std::string name;
  std::uint32_t position = 0;  // index of the instruction it stands before; body.size() for the end
  friend bool operator==(const Label&, const Label&) = default;
};

// A performance or linking directive with up to three numbers: .maxntid, .reqntid, .minnctapersm, .maxnreg, ...
struct FunctionDirective {
  std::string name;  // without the dot
  std::vector<std::uint32_t> values;
  friend bool operator==(const FunctionDirective&, const FunctionDirective&) = default;
};

// .branchtargets, .calltargets and .callprototype statements.
struct Table {
  enum class Kind : std::uint8_t { branch_targets, call_targets, call_prototype };
  std::string name;
  Kind kind = Kind::branch_targets;
  std::vector<std::uint32_t> targets;         // labels or functions
  std::vector<Variable> returns, parameters;  // of a prototype
  bool noreturn = false;
  std::vector<FunctionDirective> directives;  // .abi_preserve and the like, of a prototype
  std::uint32_t position = 0;                 // before which instruction it stands
  friend bool operator==(const Table&, const Table&) = default;
};

// .loc file line column [, function_name label+offset, inlined_at file line column]
struct Loc {
  std::uint32_t file = 0, line = 0, column = 0;
  std::string function_name;  // with its offset as written, empty when absent
  std::uint32_t inlined_file = 0, inlined_line = 0, inlined_column = 0;
  friend bool operator==(const Loc&, const Loc&) = default;
};

struct Pragma {
  std::string text;
  std::uint32_t position = 0;  // before which instruction
  friend bool operator==(const Pragma&, const Pragma&) = default;
};

struct Function {
  std::string name;
  bool is_entry = false;
  bool is_declaration = false;  // prototype only
  bool noreturn = false;
  Linkage linkage = Linkage::internal;
  std::vector<Variable> returns;     // .func results
  std::vector<Variable> parameters;  // .param, or .reg for old-style .func (Variable::space is param either way;
                                     // the registers below differ)
  // Empty, or as many as returns (parameters): the registers of .reg ones, no_register for .param ones.
  static constexpr std::uint32_t no_register = 0xFFFFFFFF;
  std::vector<std::uint32_t> return_registers, parameter_registers;
  std::optional<std::array<std::uint64_t, 2>> unified;  // .attribute(.unified(uuid1, uuid2))
  std::vector<FunctionDirective> directives;
  std::vector<std::string> entry_pragmas;  // .pragma between the parameters and the body
  std::vector<Register> registers;         // only those that are used, in order of first appearance
  std::vector<Variable> variables;         // .local, .shared, .param, .const, .global declared in the body
  std::vector<Label> labels;
  std::vector<Table> tables;
  std::vector<Loc> locs;
  std::vector<Pragma> pragmas;
  std::vector<Instruction> body;
  std::uint32_t line = 0;

  const FunctionDirective* directive(std::string_view directive_name) const;
};

struct SourceFile {
  std::uint32_t index = 0;
  std::string name;
  std::optional<std::uint64_t> timestamp, size;
  friend bool operator==(const SourceFile&, const SourceFile&) = default;
};

struct Alias {
  std::string name, target;
  friend bool operator==(const Alias&, const Alias&) = default;
};

struct Module {
  unsigned version_major = 0, version_minor = 0;
  std::vector<std::string> targets;  // sm_80, debug, texmode_independent, ...
  unsigned address_size = 64;
  std::vector<SourceFile> files;
  std::vector<Variable> variables;
  std::vector<Function> functions;
  std::vector<Alias> aliases;
  std::vector<std::string> module_pragmas;
  std::string sections;  // .section blocks (DWARF), kept as text

  const Function* find(std::string_view function_name) const;
};

// Equality of meaning: everything but positions in the text (SourceLocation::line/column, Variable::line,
// Function::line).
bool equal(const Function& a, const Function& b);
bool equal(const Module& a, const Module& b);

// Whether the module's version of PTX has `.address_size`: 2.3 and newer.
bool has_address_size_directive(const Module& module);
// The size of addresses, 32 or 64, that a module without the directive has. Before there was one, modules for 64-bit
// machines differed from others by their registers alone.
unsigned used_address_size(const Module& module);

}  // namespace heddle::ptx
