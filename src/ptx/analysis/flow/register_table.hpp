// Every place of a function where a register is read or written, in one flat table that the other analyses index.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ptx/forms.hpp"
#include "ptx/ir.hpp"

namespace heddle::ptx::analysis {

// Operand numbers of registers that no entry of Instruction::operands names.
inline constexpr std::uint16_t guard_operand = 0xffff;
// The value that an old-style .func returns in a register; read by ret. The element is the index of the result.
inline constexpr std::uint16_t return_operand = 0xfffe;

struct RegisterOccurrence {
  std::uint32_t reg = 0;
  std::uint16_t operand = 0;  // into Instruction::operands, or guard_operand or return_operand
  std::uint16_t element = 0;  // of a vector or list; 0 for others and an address base, 1... for what follows the base
  bool is_def = false;        // an operand that is read and written has two entries, the use first
  bool guarded = false;       // a definition that may leave the old value, for the instruction is guarded
  bool tied = false;          // a definition of an operand that is read too
  Type type = Type::none;     // what the instruction takes the register for
};

class RegisterTable {
 public:
  explicit RegisterTable(const Function& function);

  // Uses first, then definitions.
  std::span<const RegisterOccurrence> of(std::uint32_t instruction) const {
    return std::span(items_).subspan(first_[instruction], first_[instruction + 1] - first_[instruction]);
  }
  // Index in all() of the first occurrence of an instruction.
  std::uint32_t first(std::uint32_t instruction) const { return first_[instruction]; }
  std::span<const RegisterOccurrence> all() const { return items_; }
  std::uint32_t instructions() const { return static_cast<std::uint32_t>(first_.size() - 1); }

 private:
  void add_instruction(const Function& function, const Instruction& inst);
  void add_operand(const Instruction& inst, std::uint16_t number, const Slot& slot, bool results);
  void add(const Instruction& inst, std::uint32_t reg, std::uint16_t operand, std::size_t element, const Slot& slot,
           bool results);

  std::vector<std::uint32_t> first_;
  std::vector<RegisterOccurrence> items_, definitions_;
};

}  // namespace heddle::ptx::analysis
