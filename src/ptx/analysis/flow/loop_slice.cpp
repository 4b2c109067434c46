#include "ptx/analysis/flow/loop_slice.hpp"

#include <algorithm>
#include <set>
#include <unordered_set>

namespace heddle::ptx::analysis {

Slicer::Slicer(const ControlFlowGraph& cfg, const Webs& webs)
    : cfg_(cfg), webs_(webs), definitions_(webs.size()), joins_(webs.size()), read_(webs.size(), false) {
  for (std::uint32_t b : cfg.order()) {
    for (const WebJoin& join : webs.joins_at(b)) joins_[join.web].push_back(b);
    for (std::uint32_t i = cfg.block(b).begin; i < cfg.block(b).end; ++i) {
      std::uint32_t at = webs.table().first(i);
      for (const RegisterOccurrence& item : webs.table().of(i)) {
        const std::uint32_t web = webs.of_occurrences()[at++];
        if (!item.is_def) {
          read_[web] = true;
        } else if (definitions_[web].empty() || definitions_[web].back() != i) {
          definitions_[web].push_back(i);
        }
      }
    }
  }
  for (auto& list : definitions_) std::sort(list.begin(), list.end());
}

Slicer::Slice Slicer::exit_slice(std::uint32_t loop) const {
  const Loop& nest = cfg_.loops()[loop];
  std::unordered_set<std::uint32_t> instructions, webs;
  std::vector<std::uint32_t> work;
  const auto read_of = [&](std::uint32_t i) {
    std::uint32_t at = webs_.table().first(i);
    for (const RegisterOccurrence& item : webs_.table().of(i)) {
      const std::uint32_t web = webs_.of_occurrences()[at++];
      if (!item.is_def && webs.insert(web).second) work.push_back(web);
    }
  };
  const auto inside = [&](std::uint32_t i) { return cfg_.loop_contains(loop, cfg_.block_of(i)); };
  const auto leaves = [&](std::uint32_t b) {
    if (!cfg_.block(b).decides) return false;
    const auto next = cfg_.successors(b);
    return cfg_.block(b).exit != ExitKind::none ||
           std::any_of(next.begin(), next.end(), [&](std::uint32_t s) { return !cfg_.loop_contains(loop, s); });
  };
  for (std::uint32_t b : nest.blocks)
    if (leaves(b)) read_of(cfg_.block(b).end - 1);
  Slice slice;
  bool branches_count = false;
  while (!work.empty()) {
    const std::uint32_t web = work.back();
    work.pop_back();
    for (std::uint32_t i : definitions_[web])
      if (inside(i) && instructions.insert(i).second) read_of(i);
    // Where definitions meet within the loop, the branches before decide which one it is.
    for (std::uint32_t b : joins_[web]) {
      if (!cfg_.loop_contains(loop, b)) continue;
      if (b == nest.header) {
        slice.carried = true;
      } else if (!branches_count) {
        branches_count = true;
        for (std::uint32_t other : nest.blocks)
          if (cfg_.block(other).decides) read_of(cfg_.block(other).end - 1);
      }
    }
  }
  slice.instructions.assign(instructions.begin(), instructions.end());
  std::sort(slice.instructions.begin(), slice.instructions.end());
  return slice;
}

std::vector<std::uint32_t> Slicer::value_slice(std::uint32_t instruction, std::uint16_t operand) const {
  std::set<std::uint32_t> instructions, seen;
  std::vector<std::uint32_t> work;
  const auto add = [&](std::uint32_t i, bool all, std::uint16_t wanted) {
    std::uint32_t at = webs_.table().first(i);
    for (const RegisterOccurrence& item : webs_.table().of(i)) {
      const std::uint32_t web = webs_.of_occurrences()[at++];
      if (!item.is_def && (all || item.operand == wanted) && seen.insert(web).second) work.push_back(web);
    }
  };
  add(instruction, false, operand);
  while (!work.empty()) {
    const std::uint32_t web = work.back();
    work.pop_back();
    for (std::uint32_t i : definitions_[web])
      if (instructions.insert(i).second) add(i, true, 0);
  }
  return {instructions.begin(), instructions.end()};
}

}  // namespace heddle::ptx::analysis
