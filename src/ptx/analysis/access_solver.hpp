// The pointers of one function: a flow-insensitive fix-point over its webs, its local memory and its calls.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "ptx/analysis/access.hpp"
#include "ptx/analysis/memory_effect.hpp"
#include "ptx/analysis/pointer_value.hpp"
#include "ptx/analysis/webs.hpp"
#include "ptx/ir.hpp"

namespace heddle::ptx::analysis {

// What a function does with the memory behind one source.
struct SourceUse {
  bool reads = false, writes = false, unknown = false, pointer = false;
  bool in_addresses = false;  // its value, or one computed from it, is added to addresses of something else
  bool alone = false;  // a pointer, and somewhere the only source of an address: no index that is added to another one
  AccessReason reason, added_at;
  bool reason_is_unknown = false;
  AccessWitness read_at, written_at;
};

// What callers need to know of a function: sources are its own parameters' fields, module variables, elsewhere.
struct AccessSummary {
  std::map<Source, SourceUse> uses;
  std::vector<std::map<std::int64_t, std::vector<Source>>> returns;  // by result and offset: what it may point to
  bool reads_elsewhere = false, writes_elsewhere = false;
  AccessReason elsewhere_reason;
};

class AccessSolver {
 public:
  AccessSolver(const Module& module, std::uint32_t function, const std::vector<AccessSummary>& summaries);
  AccessSummary solve();
  // Once solved: what the address at an operand of an instruction may point to.
  std::vector<Source> pointed_to(std::uint32_t instruction, std::uint16_t operand);

 private:
  using Key = std::pair<std::uint32_t, std::int64_t>;  // variable, offset
  // Names for cells that are no variable of the function.
  static constexpr std::uint32_t return_cells = 0x40000000u;  // + number of the result
  static constexpr std::uint32_t heap_cell = 0x50000000u;

  void step(std::uint32_t instruction);
  void follow(std::uint32_t instruction);
  PointerValue kept_by(std::uint32_t instruction, bool full);
  PointerValue sum(const PointerValue& a, const PointerValue& b);
  PointerValue sum_of(std::uint32_t instruction);
  void move(std::uint32_t instruction);
  void load(std::uint32_t instruction);
  void memory(std::uint32_t instruction);
  void store_value(const SourceSet& targets, Space space, const PointerValue& value, std::int64_t step);
  PointerValue loaded_from(const SourceSet& targets, Space space, std::int64_t step);
  void use(const SourceSet& sources, std::uint32_t instruction, bool reads, bool writes, bool is_pointer = true,
           bool alone = true);
  void use_of_address(const PointerValue& value, std::uint32_t instruction, const MemoryEffect& effect);
  void escape(const SourceSet& sources, std::uint32_t instruction, const char* why);
  void elsewhere(std::uint32_t instruction, bool reads, bool writes, const char* why);

  void call(std::uint32_t instruction);
  void call_known(std::uint32_t instruction, const AccessSummary& callee);
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
  PointerValue cell(std::uint32_t variable, std::int64_t offset) const;
  PointerValue parameter_field(std::uint32_t parameter, std::int64_t offset);
  void note(std::uint32_t source, std::uint32_t instruction, bool reads, bool writes, const char* unknown);
  void note_in_addresses(const SourceSet& sources);
  void note_pointers(const SourceSet& sources, bool alone);
  AccessReason reason(std::uint32_t instruction, std::string text) const;
  AccessSummary summary();

  const Module& module_;
  const Function& function_;
  std::uint32_t function_index_;
  const std::vector<AccessSummary>& summaries_;
  ControlFlowGraph cfg_;
  RegisterTable table_;
  DominatorTree tree_;
  Webs webs_;
  SourceTable sources_;
  std::vector<PointerValue> values_;   // by web
  std::map<Key, PointerValue> cells_;  // contents of local memory and of .param variables of calls
  PointerValue shared_contents_;
  std::vector<SourceUse> uses_;                     // by source
  std::map<std::uint32_t, unsigned> cell_offsets_;  // offsets seen of each cell variable
  bool reads_elsewhere_ = false, writes_elsewhere_ = false;
  AccessReason elsewhere_reason_;
  const SourceUse* through_ = nullptr;  // what a called function does, while its call is looked at
  std::uint32_t at_ = 0;                // the instruction that is looked at
  bool changed_ = false;
};

}  // namespace heddle::ptx::analysis
