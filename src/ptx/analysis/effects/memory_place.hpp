// Which bytes an access may touch, as far as the address shows: those of a variable, or anything in some space.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ptx/analysis/effects/memory_effect.hpp"
#include "ptx/analysis/flow/register_table.hpp"
#include "ptx/ir.hpp"

namespace heddle::ptx::analysis {

struct MemoryPlace {
  Space space = Space::generic;   // generic: any but .param
  std::optional<SymbolRef> root;  // the variable that the address was made from, where it is known
  bool escapes = true;            // other addresses may lead to the variable too
  bool whole = true;              // the bytes are not known
  std::int64_t begin = 0, end = 0;
  friend bool operator==(const MemoryPlace&, const MemoryPlace&) = default;
};

bool may_meet(const MemoryPlace& a, const MemoryPlace& b);

// Places of the accesses of one function. Addresses are followed through registers that have one definition.
class PlaceFinder {
 public:
  // All must outlive the object.
  PlaceFinder(const Module& module, const Function& function, const RegisterTable& table);

  // What the instruction accesses at an operand that is an address.
  MemoryPlace place(const Instruction& inst, const MemoryEffect& effect) const;
  // Of a load or an atomic: its second operand.
  MemoryPlace loaded_place(const Instruction& inst) const;
  // A whole variable.
  MemoryPlace variable(const SymbolRef& symbol) const;

  // The only instruction that defines the register.
  std::optional<std::uint32_t> definition(std::uint32_t reg) const;
  bool is_read(std::uint32_t reg) const { return read_[reg]; }
  // The value may be this number: it is, or it comes from memory where it may have been stored. What was computed is
  // taken for another one.
  bool may_be(const Operand& value, std::int64_t number) const { return may_be(value, number, 8); }

 private:
  struct Address {
    SymbolRef root;
    bool whole = false;  // the offset is not known
    std::int64_t offset = 0;
  };
  void find_definitions(const RegisterTable& table);
  void find_addresses();
  void find_escapes();
  std::optional<Address> address_of(const Operand& value) const;
  std::optional<Address> computed_by(const Instruction& inst) const;
  bool may_be(const Operand& value, std::int64_t number, int depth) const;
  bool may_have_been_stored(const Instruction& load, std::int64_t number, int depth) const;
  Space space(const SymbolRef& symbol) const;

  const Module& module_;
  const Function& function_;
  std::vector<std::uint32_t> definitions_, definition_;  // by register: how many, the last
  std::vector<std::optional<Address>> addresses_;        // by register
  std::vector<bool> read_, escapes_;                     // by register; by variable of the function
};

}  // namespace heddle::ptx::analysis
