// Everything the emitter wants to know of a function before it writes the first instruction: values, control flow,
// layout.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "device/cpu/codegen/nan_bits.hpp"
#include "device/cpu/codegen/schedule.hpp"
#include "device/cpu/codegen/streaming.hpp"
#include "heddle/dim3.hpp"
#include "ptx/analysis/flow/bit_matrix.hpp"
#include "ptx/analysis/flow/control_flow.hpp"
#include "ptx/analysis/flow/dominators.hpp"
#include "ptx/analysis/flow/liveness.hpp"
#include "ptx/analysis/flow/register_table.hpp"
#include "ptx/analysis/flow/webs.hpp"
#include "ptx/analysis/lanes/uniformity.hpp"
#include "ptx/ir.hpp"

namespace heddle::device::cpu {

// How the value of a register is spread over the lanes.
struct ValueForm {
  enum class Kind : std::uint8_t {
    uniform,  // the same in every lane that runs
    affine,   // lane l holds base + offset(l), with offsets known when code is generated
    varying,
  } kind = Kind::varying;
  ptx::analysis::LaneSteps steps{};  // of the bits of the lane number
};

struct FactsOptions {
  unsigned lanes = 32;
  Dim3 block;
  bool global_id_fits = true;
  bool finds_conflict_free = false;  // accesses, for the check of races
  // By loop: turns of the loop may be a wait. Empty: every loop that reads memory others may write is taken for one.
  std::vector<bool> spin_loops, counted_loops;  // counted: see ptx::analysis::SpinLoop
};

// Memory of one lane: its .local variables, and the .param variables that pass arguments of calls.
struct LaneMemory {
  std::map<std::uint32_t, std::uint64_t> offsets;  // variable index -> offset in the lane's record
  std::uint64_t bytes = 0;                         // of a record; a multiple of its alignment
  std::uint64_t used_bytes = 0;                    // of these, up to the end of the last variable
  std::uint64_t alignment = 16;                    // of a record: the largest of its variables'
  // Variables whose every access is direct, at constant offsets and of one width for each offset: they become
  // registers.
  std::vector<bool> in_slots;  // by variable
};
LaneMemory lane_memory(const ptx::Module& module, const ptx::Function& function);

// `function` must have its webs split (ptx/rewrite/split_webs.hpp). Address-stable: never copied or moved.
class FunctionFacts {
 public:
  FunctionFacts(const ptx::Module& module, ptx::Function split, const FactsOptions& options);
  FunctionFacts(const FunctionFacts&) = delete;
  FunctionFacts& operator=(const FunctionFacts&) = delete;

  // The distance of each lane's value from lane 0's.
  std::vector<std::int64_t> lane_offsets(const ValueForm& form) const;
  ValueForm special_form(ptx::SpecialRegister special) const;
  // Registers that `reg`'s affine form was derived from by widening conversions that were not proved not to wrap.
  const std::vector<std::uint32_t>& assumptions(std::uint32_t reg) const { return assumptions_[reg]; }
  bool live_out(std::uint32_t block, std::uint32_t reg) const {
    return liveness.live_out(block, reg) || kept_out_.test(block, reg);
  }
  // The only instruction that defines the register; ~0 when there are several or none.
  std::uint32_t definition(std::uint32_t reg) const { return definition_[reg]; }

  const ptx::Module& module;
  const ptx::Function function;
  const FactsOptions options;
  ptx::analysis::LaneModel model;
  ptx::analysis::ControlFlowGraph cfg;
  ptx::analysis::RegisterTable table;
  ptx::analysis::DominatorTree dominators;
  ptx::analysis::PostDominators post_dominators;
  ptx::analysis::Liveness liveness;
  std::vector<ValueForm> forms;                                    // by register
  std::vector<ptx::analysis::NoWrapAssumption> no_wrap;            // that some register's form relies on
  std::map<std::uint32_t, std::vector<std::uint32_t>> no_wrap_at;  // instruction -> numbers in no_wrap
  std::unique_ptr<Schedule> schedule;
  ptx::analysis::BitMatrix live_while_waiting;  // row: block; registers that lanes waiting elsewhere still need
  std::vector<bool> spin_loops;                 // by loop: its turns may be a wait for others
  std::vector<bool> counted_loops;              // of these, which end after a number of turns, too
  std::vector<bool> is_read;                    // by register: some instruction reads it
  std::vector<bool> conflict_free;              // by instruction; of an entry, where asked for; else empty
  LaneMemory memory;
  NanBits nan_bits;
  StreamingStores streaming;
  std::vector<bool> far_loads;  // by instruction: see find_far_loads()

 private:
  void find_definitions();
  void find_forms();
  void use_forms(const ptx::analysis::Uniformity& uniformity, const ptx::analysis::Webs& webs);
  bool relies_on_forms_in_branches() const;
  void drop_unusable_assumptions();
  std::set<std::uint32_t> unusable_assumptions();
  bool goes_on_affine(std::uint32_t instruction, std::uint32_t reg) const;
  bool can_rebuild(std::uint32_t reg, std::uint32_t at, std::set<std::uint32_t>& chain,
                   std::vector<std::uint32_t>& leaves) const;
  void keep_until(std::uint32_t reg, std::uint32_t at);
  bool leaf_is_stable(std::uint32_t leaf, std::uint32_t chain, std::uint32_t at) const;
  bool reaches_avoiding(std::uint32_t from, std::uint32_t to, std::uint32_t avoid) const;
  void find_schedule();
  void find_spin_loops();

  std::vector<std::vector<std::uint32_t>> assumptions_;  // by register
  std::vector<std::uint32_t> definition_;
  std::vector<std::vector<std::uint32_t>> definitions_;
  std::vector<bool> divergent_;
  ptx::analysis::BitMatrix kept_in_, kept_out_;  // row: block; registers that rebuilding an address reads later on
};

}  // namespace heddle::device::cpu
