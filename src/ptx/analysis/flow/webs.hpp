// Def-use webs: the values of a register that flow together. PTX reuses registers; two uses of one register that no
// common definition reaches are different values, and a code generator may treat them so.
//
// Webs are found as the phi-connected names of pruned static single assignment form (Cytron et al. 1991). An operand
// that is both read and written is one web, and so is each result of an old-style function over all its rets, so that
// every occurrence can be renamed by itself.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ptx/analysis/flow/control_flow.hpp"
#include "ptx/analysis/flow/dominators.hpp"
#include "ptx/analysis/flow/register_table.hpp"

namespace heddle::ptx::analysis {

inline constexpr std::uint32_t no_web = 0xffffffffu;

struct Web {
  std::uint32_t reg = 0;
  Type type = Type::none;         // of the register
  std::uint32_t definitions = 0;  // instructions that write it, each guarded one too
  bool parameter = false;         // the caller defines it: a .reg parameter
  bool may_be_undefined = false;  // some path from the entry leads to a use without a definition
};

// A block at whose entry several definitions of a web meet while it is live (a phi).
struct WebJoin {
  std::uint32_t web = 0;
  // What arrives from each of cfg.predecessors(block): equal numbers are equal values. no_web: undefined.
  std::vector<std::uint32_t> values;
};

class Webs {
 public:
  Webs(const ControlFlowGraph& cfg, const DominatorTree& tree, const Function& function, const RegisterTable& table);

  std::uint32_t size() const { return static_cast<std::uint32_t>(webs_.size()); }
  const Web& web(std::uint32_t index) const { return webs_[index]; }
  // The web of each occurrence of a register in table.all(). Occurrences in unreachable blocks have webs of their own.
  std::span<const std::uint32_t> of_occurrences() const { return of_; }
  // The web read or written at an operand; no_web when there is no such register. For operands and elements see
  // RegisterOccurrence.
  std::uint32_t use(std::uint32_t instruction, std::uint16_t operand, std::uint16_t element = 0) const {
    return find(instruction, operand, element, false);
  }
  std::uint32_t def(std::uint32_t instruction, std::uint16_t operand, std::uint16_t element = 0) const {
    return find(instruction, operand, element, true);
  }
  std::uint32_t guard(std::uint32_t instruction) const { return use(instruction, guard_operand); }
  // True for a guarded definition (by its index in table.all()) where the register may hold an earlier value.
  bool merges(std::uint32_t occurrence) const { return merges_[occurrence]; }
  std::span<const WebJoin> joins_at(std::uint32_t block) const { return joins_[block]; }
  // The web that a .reg parameter of an old-style function arrives in; no_web when nothing reads it.
  std::uint32_t of_parameter(std::uint32_t parameter) const { return of_parameter_[parameter]; }
  const RegisterTable& table() const { return *table_; }

 private:
  std::uint32_t find(std::uint32_t instruction, std::uint16_t operand, std::uint16_t element, bool def) const;

  const RegisterTable* table_;
  std::vector<Web> webs_;
  std::vector<std::uint32_t> of_, of_parameter_;
  std::vector<bool> merges_;
  std::vector<std::vector<WebJoin>> joins_;
};

}  // namespace heddle::ptx::analysis
