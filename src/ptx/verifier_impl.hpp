// What the parts of the verifier share.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "ptx/finding.hpp"
#include "ptx/ir.hpp"

namespace heddle::ptx::verify_detail {

// Collects findings; knows where in the text the check in progress stands.
class Report {
 public:
  void at(std::uint32_t line, std::uint32_t column = 0) { line_ = line, column_ = column; }
  void error(std::string message) { add(Finding::Severity::error, std::move(message)); }
  void warning(std::string message) { add(Finding::Severity::warning, std::move(message)); }
  std::vector<Finding> take() { return std::move(findings_); }

 private:
  void add(Finding::Severity severity, std::string message) {
    findings_.push_back({severity, line_, column_, std::move(message)});
  }
  std::vector<Finding> findings_;
  std::uint32_t line_ = 0, column_ = 0;
};

// The target of the module: sm_90a is {90, 'a'}.
struct Target {
  unsigned sm = 0;
  char feature = 0;
};
Target target_of(const Module& module);

// The variable or parameter that a symbol names; null when its index is out of range or it names a function.
const Variable* find_variable(const Module& module, const Function& function, const SymbolRef& symbol);
const Function* find_function(const Module& module, const SymbolRef& symbol);
std::string symbol_name(const Module& module, const Function& function, const SymbolRef& symbol);

// One function of a module while it is checked.
struct Context {
  const Module& module;
  const Function& function;
  Report& report;
  Target target;
  std::unordered_set<FormId>& warned;  // forms whose PTX version or target was complained about
};

void check_module(const Module& module, Report& report);
void check_function_header(const Module& module, const Function& function, Report& report);
// Whether the operands suit the instruction's slots; false when it has no form at all (that is reported).
bool check_operands(const Context& context, const Instruction& inst);
// Branches, branch tables, calls.
void check_control(const Context& context, const Instruction& inst);

// "add.u32"
std::string mnemonic(const Instruction& inst);

}  // namespace heddle::ptx::verify_detail
