#include "ptx/analysis/waiting/barrier_intervals.hpp"

#include <algorithm>
#include <numeric>

#include "ptx/analysis/effects/calls.hpp"
#include "ptx/analysis/effects/memory_effect.hpp"

namespace heddle::ptx::analysis {
namespace {

// What is done with shared memory in an interval.
struct Uses {
  bool weak_reads = false, weak_writes = false, strong_writes = false;
};

// All threads of the block wait there, and none goes past it.
bool cuts(const Instruction& inst) {
  if (inst.opcode != Opcode::bar && inst.opcode != Opcode::barrier) return false;
  if (inst.guard.present || inst.has(Modifier::warp) || inst.has(Modifier::cluster) || inst.has(Modifier::arrive))
    return false;
  const std::size_t count = inst.has(Modifier::red) ? 2 : 1;  // the operand with the number of threads
  return inst.operands.size() <= count || !inst.operands[count].present();
}

// Two copies of an instruction, as of a function that was inlined twice, are one to who watches where threads wait.
bool has_copies(const Function& function) {
  std::vector<std::uint32_t> lines;
  for (const Instruction& inst : function.body)
    if (cuts(inst)) lines.push_back(inst.where.line);
  std::sort(lines.begin(), lines.end());
  return std::adjacent_find(lines.begin(), lines.end()) != lines.end();
}

// Fences make atomic accesses order others.
bool is_fence(const Instruction& inst) {
  return inst.opcode == Opcode::membar || inst.opcode == Opcode::fence || inst.d.order == Order::release ||
         inst.d.order == Order::acq_rel || inst.d.order == Order::sc;
}

// Accesses shared memory later, or that of other blocks.
bool is_not_followed(const Instruction& inst) {
  return inst.opcode == Opcode::cp || inst.opcode == Opcode::mbarrier || inst.opcode == Opcode::mapa ||
         inst.has(Modifier::mbarrier) || inst.has(Modifier::proxy_async) || inst.has(Modifier::shared_cluster);
}

class Intervals {
 public:
  Intervals(const Module& module, const Function& function, const ControlFlowGraph& cfg)
      : module_(module), function_(function), cfg_(cfg), of_(function.body.size()) {
    number();
    uses_.resize(parents_.size());
    for (std::uint32_t i = 0; i < function_.body.size(); ++i) note(i);
  }

  bool conflict_free(std::uint32_t i) {
    const Instruction& inst = function_.body[i];
    if (inst.opcode != Opcode::ld && inst.opcode != Opcode::atom && inst.opcode != Opcode::red) return false;
    const Uses& uses = uses_[root(of_[i])];
    bool is_shared = true;
    for_each_memory_effect(module_, function_, inst,
                           [&](const MemoryEffect& effect) { is_shared &= effect.space == Space::shared; });
    if (!is_shared || uses.weak_writes) return false;
    return is_strong(inst) ? !uses.weak_reads && !has_fences_ : !uses.strong_writes;
  }

 private:
  static bool is_strong(const Instruction& inst) { return is_atomic(inst) || inst.d.order != Order::weak; }

  std::uint32_t root(std::uint32_t interval) {
    while (parents_[interval] != interval) interval = parents_[interval] = parents_[parents_[interval]];
    return interval;
  }

  // A new interval starts with each basic block and after each barrier; those that an edge connects are one.
  void number() {
    std::vector<std::uint32_t> first(cfg_.size()), last(cfg_.size());
    std::uint32_t count = 0;
    for (std::uint32_t b = 0; b < cfg_.size(); ++b) {
      first[b] = count++;
      for (std::uint32_t i = cfg_.block(b).begin; i < cfg_.block(b).end; ++i) {
        of_[i] = count - 1;
        if (cuts(function_.body[i])) ++count;
      }
      last[b] = count - 1;
    }
    parents_.resize(count);
    std::iota(parents_.begin(), parents_.end(), 0);
    for (std::uint32_t b = 0; b < cfg_.size(); ++b)
      for (const std::uint32_t next : cfg_.successors(b)) parents_[root(first[next])] = root(last[b]);
  }

  void note(std::uint32_t i) {
    const Instruction& inst = function_.body[i];
    has_fences_ |= is_fence(inst);
    Uses& uses = uses_[root(of_[i])];
    for_each_memory_effect(module_, function_, inst, [&](const MemoryEffect& effect) {
      if (effect.handle || (effect.space != Space::shared && effect.space != Space::generic)) return;
      const bool strong = is_strong(inst);
      uses.weak_reads |= effect.reads && !strong;
      uses.weak_writes |= effect.writes && !strong;
      uses.strong_writes |= effect.writes && strong;
    });
  }

  const Module& module_;
  const Function& function_;
  const ControlFlowGraph& cfg_;
  std::vector<std::uint32_t> of_;  // by instruction
  std::vector<std::uint32_t> parents_;
  std::vector<Uses> uses_;  // by root
  bool has_fences_ = false;
};

}  // namespace

std::vector<bool> conflict_free_accesses(const Module& module, const Function& function, const ControlFlowGraph& cfg) {
  std::vector<bool> found(function.body.size());
  if (calls_others(module, function) || has_copies(function) ||
      std::any_of(function.body.begin(), function.body.end(), is_not_followed))
    return found;
  Intervals intervals(module, function, cfg);
  for (std::uint32_t i = 0; i < function.body.size(); ++i) found[i] = intervals.conflict_free(i);
  return found;
}

}  // namespace heddle::ptx::analysis
