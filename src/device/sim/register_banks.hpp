// In which bank of the register file each register of a function is, and from which banks an instruction reads.
#pragma once

#include <cstdint>
#include <vector>

#include "ptx/analysis/flow/control_flow.hpp"
#include "ptx/analysis/flow/register_table.hpp"
#include "ptx/ir.hpp"

namespace heddle::device::sim {

// A word of 32 bits of each thread that an instruction reads. The bank is that of warp 0.
struct OperandRead {
  std::uint32_t reg = 0;  // as the scoreboard counts them
  std::uint8_t bank = 0;  // of its scheduler's part of the register file
  std::uint8_t slot = 0;  // which source of the instruction it is
  std::uint8_t word = 0;  // of the register
};

// How a function's registers lie in banks. A register of 64 bits is in two banks that follow one another, as its words
// are two registers of the machine.
class RegisterBanks {
 public:
  // `banks`: at least 1. `by_number`: register r begins in bank r mod `banks`, in the order in which the function names
  // registers first. Else they are assigned as a compiler of machine code does it: so that registers which one
  // instruction reads are in different banks, those that are read most often first. Loops count as eight times.
  RegisterBanks(const ptx::Function& function, const ptx::analysis::ControlFlowGraph& cfg,
                const ptx::analysis::RegisterTable& table, unsigned banks, bool by_number);

  // The words that an instruction reads, each register once. `base`: of the function's registers in the scoreboard.
  void append_reads(std::vector<OperandRead>& reads, std::uint32_t instruction, std::uint32_t base) const;

 private:
  void assign(const ptx::analysis::ControlFlowGraph& cfg);
  void choose(std::uint32_t reg, const std::vector<std::uint32_t>& readers, const std::vector<double>& weights);

  const ptx::Function& function_;
  const ptx::analysis::RegisterTable& table_;
  const unsigned banks_;
  std::vector<std::uint8_t> words_;     // of each register; predicates have none here
  std::vector<std::uint8_t> first_;     // bank of its first word
  std::vector<std::uint8_t> assigned_;  // whether it has one
  std::vector<double> load_;            // reads of each bank so far
};

}  // namespace heddle::device::sim
