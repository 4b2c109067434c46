// The printer's rules, one source file for each subject. Private to src/ptx/printer*.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ptx/ir.hpp"

namespace heddle::ptx {

class Printer {
 public:
  explicit Printer(const Module& module) : module_(module) {}
  void module();
  void instruction(const Function& function, const Instruction& inst);
  std::string take() { return std::move(out_); }

 private:
  // printer.cpp
  void header();
  void declarations();
  void text(std::string_view s) { out_ += s; }
  void number(std::uint64_t value);
  void signed_number(std::int64_t value);
  void hex(std::uint64_t value, unsigned digits);
  void unified(const std::optional<std::array<std::uint64_t, 2>>& id, bool managed);

  // printer_variable.cpp
  void module_variable(const Variable& variable);
  void local_variable(const Function& function, const Variable& variable);
  void attributes(const Variable& variable);  // alignment and type, with a space at the end
  void variable(const Function* function, const Variable& variable);
  void dimensions(const Variable& variable);
  void initialiser(const Function* function, const Variable& variable);
  void init_value(const Function* function, const Variable& variable, const InitValue& value);
  void symbol(const Function* function, SymbolRef ref);
  void offset(std::int64_t value);

  // printer_function.cpp
  void define(std::size_t index);
  void introduce_up_to(std::size_t index);
  std::size_t last_reference(const Function& function) const;
  void function_header(const Function& function);
  void parameter_list(const Function& function, const std::vector<Variable>& list,
                      const std::vector<std::uint32_t>& registers);
  void parameter(const Variable& variable);
  void performance_directives(const std::vector<FunctionDirective>& directives);
  void body(const Function& function);
  void registers(const Function& function);
  void table(const Function& function, const Table& table);
  void locs_up_to(const Function& function, std::uint32_t wanted, std::uint32_t& last, std::uint32_t& printed);
  void loc(const Loc& loc);

  // printer_instruction.cpp
  void modifiers(const Instruction& inst);
  void operands(const Function& function, const Instruction& inst);
  void operand(const Function& function, const Operand& operand);
  void list(const Function& function, const Operand& operand, char open, char close);
  void address(const Function& function, const Operand& operand);
  void real(const Operand& operand);

  const Module& module_;
  std::string out_;
  std::size_t introduced_ = 0;  // functions [0, introduced_) are declared or defined already
};

}  // namespace heddle::ptx
