#include "device/sim/register_banks.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace heddle::device::sim {
namespace {

using ptx::analysis::ControlFlowGraph;
using ptx::analysis::RegisterOccurrence;
using ptx::analysis::RegisterTable;

constexpr double turns_of_a_loop = 8;
constexpr unsigned deepest_loop = 8;  // deeper ones count like it

bool reads_registers(const RegisterOccurrence& occurrence) {
  return !occurrence.is_def && occurrence.operand != ptx::analysis::return_operand;
}

// How often each instruction runs, as far as its loops tell.
std::vector<double> weights_of(const ControlFlowGraph& cfg, std::uint32_t instructions) {
  std::vector<double> weights(instructions, 1);
  for (std::uint32_t i = 0; i < instructions; ++i) {
    const std::uint32_t loop = cfg.loop_of(cfg.block_of(i));
    if (loop != ptx::analysis::no_node)
      weights[i] = std::pow(turns_of_a_loop, std::min(cfg.loops()[loop].depth, deepest_loop));
  }
  return weights;
}

}  // namespace

RegisterBanks::RegisterBanks(const ptx::Function& function, const ControlFlowGraph& cfg, const RegisterTable& table,
                             unsigned banks, bool by_number)
    : function_(function),
      table_(table),
      banks_(banks),
      words_(function.registers.size()),
      first_(words_.size()),
      assigned_(words_.size()),
      load_(banks) {
  for (std::size_t reg = 0; reg < words_.size(); ++reg) {
    words_[reg] = static_cast<std::uint8_t>((ptx::byte_size(function.registers[reg].type) + 3) / 4);
    first_[reg] = static_cast<std::uint8_t>(reg % banks);
  }
  if (!by_number && banks > 1) assign(cfg);
}

void RegisterBanks::append_reads(std::vector<OperandRead>& reads, std::uint32_t instruction, std::uint32_t base) const {
  const std::size_t begin = reads.size();
  // Calls name registers of arguments, which they move; machine code has them where they are.
  if (function_.body[instruction].opcode == ptx::Opcode::call) return;
  std::uint8_t slot = 0;
  for (const RegisterOccurrence& occurrence : table_.of(instruction)) {
    if (!reads_registers(occurrence) || words_[occurrence.reg] == 0) continue;
    const std::uint32_t reg = base + occurrence.reg;
    const bool twice = std::any_of(reads.begin() + static_cast<std::ptrdiff_t>(begin), reads.end(),
                                   [&](const OperandRead& read) { return read.reg == reg; });
    for (std::uint8_t word = 0; !twice && word < words_[occurrence.reg]; ++word)
      reads.push_back({reg, static_cast<std::uint8_t>((first_[occurrence.reg] + word) % banks_), slot, word});
    ++slot;
  }
}

void RegisterBanks::assign(const ControlFlowGraph& cfg) {
  const std::uint32_t instructions = table_.instructions();
  const std::vector<double> weights = weights_of(cfg, instructions);
  std::vector<std::vector<std::uint32_t>> readers(words_.size());  // by register: instructions
  std::vector<double> uses(words_.size());
  for (std::uint32_t i = 0; i < instructions; ++i) {
    for (const RegisterOccurrence& occurrence : table_.of(i)) {
      if (!reads_registers(occurrence)) continue;
      auto& list = readers[occurrence.reg];
      if (!list.empty() && list.back() == i) continue;
      list.push_back(i);
      uses[occurrence.reg] += weights[i];
    }
  }
  std::vector<std::uint32_t> order(words_.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return uses[a] > uses[b]; });
  for (const std::uint32_t reg : order)
    if (words_[reg] != 0) choose(reg, readers[reg], weights);
}

// The bank in which the register meets the fewest others that are read with it; of equal ones that which is read least.
void RegisterBanks::choose(std::uint32_t reg, const std::vector<std::uint32_t>& readers,
                           const std::vector<double>& weights) {
  std::vector<double> others(banks_);  // reads of others with it, by bank
  double uses = 0;
  for (const std::uint32_t i : readers) {
    uses += weights[i];
    std::uint32_t last = reg;  // a register that an instruction names twice in a row is read once
    for (const RegisterOccurrence& occurrence : table_.of(i)) {
      const std::uint32_t other = occurrence.reg;
      if (!reads_registers(occurrence) || other == reg || other == last || !assigned_[other]) continue;
      last = other;
      for (unsigned word = 0; word < words_[other]; ++word) others[(first_[other] + word) % banks_] += weights[i];
    }
  }
  // A register of several words begins at a multiple of their number, as machine code requires.
  const unsigned words = words_[reg], step = std::min(words, banks_);
  unsigned best = 0;
  std::pair<double, double> least{INFINITY, INFINITY};
  for (unsigned first = 0; first < banks_; first += step) {
    std::pair<double, double> cost{0, 0};
    for (unsigned word = 0; word < words; ++word) {
      cost.first += others[(first + word) % banks_];
      cost.second += load_[(first + word) % banks_];
    }
    if (cost < least) {
      least = cost;
      best = first;
    }
  }
  first_[reg] = static_cast<std::uint8_t>(best);
  assigned_[reg] = 1;
  for (unsigned word = 0; word < words; ++word) load_[(best + word) % banks_] += uses;
}

}  // namespace heddle::device::sim
