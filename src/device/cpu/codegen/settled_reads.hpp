// Plain reads of memory to which other threads do atomic operations, where an atomic operation settles what was read:
// correct programs have them, though each is a race by the letter.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "ptx/ir.hpp"

namespace heddle::device::cpu {

class SettledReads {
 public:
  // `function` outlives it.
  explicit SettledReads(const ptx::Function& function);

  // - There is a compare-and-swap of the place that the instruction loads from, which expects what was read: it notices
  //   if that is not there any more.
  // - Or there is a maximum, a minimum or another operation that is right whatever is there by then, of that place; and
  //   the thread does nothing with the value but to compare what it computes of it with something. If all atomic
  //   operations of an array are so, any of them will do, as in a search of a graph that marks neighbours.
  // Where the operation is in the function does not matter.
  bool contains(const ptx::Instruction& load) const;

 private:
  // A register or a variable, and a number of bytes from there.
  struct Place {
    ptx::OperandKind base;
    std::uint32_t index = 0;
    ptx::SymbolRef symbol;
    std::int64_t offset = 0;
  };
  Place place_of(const ptx::Operand& address) const;
  struct Root {
    ptx::OperandKind kind = ptx::OperandKind::none;  // symbol: a variable, or a pointer that is a parameter
    ptx::SymbolRef symbol;
    std::int64_t offset = 0;  // of the parameter
  };
  Root root_of(const ptx::Operand& address) const;
  bool has_root(std::uint32_t reg, Root& root, int steps) const;
  bool is_in_array_of(const ptx::Instruction& load, const ptx::Instruction& atomic) const;
  bool is_within(const ptx::Instruction& load, const ptx::Instruction& atomic) const;
  template <class Follows>
  std::set<std::uint32_t> reached(const ptx::Instruction& load, const Follows& follows) const;
  bool is_only_compared(const ptx::Instruction& load) const;

  const ptx::Function& function_;
  std::vector<std::vector<std::uint32_t>> uses_, definitions_;  // by register: instructions
  std::vector<std::uint32_t> atomics_;                          // instructions
};

}  // namespace heddle::device::cpu
