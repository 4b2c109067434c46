// The pointers of one function: a flow-insensitive fix-point over its webs, its local memory and its calls.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ptx/analysis/access/access_summary.hpp"
#include "ptx/analysis/access/memory_contents.hpp"
#include "ptx/analysis/access/pointer_value.hpp"
#include "ptx/analysis/access/source_uses.hpp"
#include "ptx/analysis/effects/memory_effect.hpp"
#include "ptx/analysis/flow/webs.hpp"
#include "ptx/ir.hpp"

namespace heddle::ptx::analysis {

class AccessSolver {
 public:
  AccessSolver(const Module& module, std::uint32_t function, const std::vector<AccessSummary>& summaries);
  AccessSolver(const AccessSolver&) = delete;
  AccessSolver& operator=(const AccessSolver&) = delete;

  AccessSummary solve();
  // Once solved: what the address at an operand of an instruction may point to.
  std::vector<Source> pointed_to(std::uint32_t instruction, std::uint16_t operand);

 private:
  void step(std::uint32_t instruction);
  void follow(std::uint32_t instruction);
  PointerValue widened(const PointerValue& value, bool was_wide) const;
  PointerValue kept_by(std::uint32_t instruction, bool full);
  PointerValue sum(const PointerValue& a, const PointerValue& b);
  PointerValue sum_of(std::uint32_t instruction);
  void move(std::uint32_t instruction);
  PointerValue part_of(const PointerValue& value, Type type, Space space) const;
  void load(std::uint32_t instruction);
  void memory(std::uint32_t instruction);
  void use(const SourceSet& sources, std::uint32_t instruction, bool reads, bool writes, bool is_pointer = true,
           bool alone = true);
  void use_of_address(const PointerValue& value, std::uint32_t instruction, const MemoryEffect& effect);
  void escape(const SourceSet& sources, std::uint32_t instruction, const char* why);
  void add_elsewhere(std::uint32_t instruction, bool reads, bool writes, const char* why) {
    changed_ |= uses_.add_elsewhere(instruction, reads, writes, why);
  }

  void call(std::uint32_t instruction);
  void call_known(std::uint32_t instruction, const AccessSummary& callee);
  void copy_by(std::uint32_t instruction, const AccessSummary& callee);
  void call_unknown(std::uint32_t instruction, const char* why);
  void read_by_printf(std::uint32_t instruction);
  bool call_builtin(std::uint32_t instruction, const std::string& name);
  std::vector<std::uint32_t> callees(const Instruction& inst, bool& complete) const;
  PointerValue argument(std::uint32_t instruction, std::uint32_t number, std::int64_t offset);
  PointerValue whole_argument(std::uint32_t instruction, std::uint32_t number);
  void set_result(std::uint32_t instruction, std::uint32_t number, std::int64_t offset, const PointerValue& value);

  PointerValue value_of(std::uint32_t instruction, const Operand& operand, std::uint16_t number, std::uint16_t element);
  PointerValue address_of(std::uint32_t instruction, std::uint16_t number);
  SourceSet symbol(const SymbolRef& symbol, std::int64_t offset);
  PointerValue advance(const PointerValue& value, std::optional<std::int64_t> distance);
  void define(std::uint32_t instruction, std::uint16_t operand, std::uint16_t element, const PointerValue& value);
  PointerValue collapse(const PointerValue& value, Source::Kind kind, std::uint32_t index) const;
  unsigned width_of_def(std::uint32_t instruction, std::uint16_t operand, std::uint16_t element) const;
  AccessSummary summary();

  const Module& module_;
  const Function& function_;
  const std::vector<AccessSummary>& summaries_;
  ControlFlowGraph cfg_;
  RegisterTable table_;
  DominatorTree tree_;
  Webs webs_;
  SourceTable sources_;
  std::vector<PointerValue> values_;  // by web
  MemoryContents contents_;
  SourceUses uses_;
  std::map<std::uint32_t, unsigned> cell_offsets_;  // offsets seen of each cell variable
  std::uint32_t at_ = 0;                            // the current instruction
  bool changed_ = false;
};

}  // namespace heddle::ptx::analysis
