#include "ptx/rewrite/nest_loops.hpp"

#include <algorithm>
#include <optional>

#include "ptx/analysis/flow/control_flow.hpp"
#include "ptx/analysis/flow/dominators.hpp"
#include "ptx/rewrite/branch.hpp"

namespace heddle::ptx {
namespace {

using analysis::ControlFlowGraph;
using analysis::Loop;
using analysis::no_node;
using analysis::PostDominators;

// Each turn makes one more loop of those there are.
constexpr unsigned most_turns = 64;

struct Nesting {
  std::uint32_t header = 0;
  std::vector<bool> inner;  // blocks of the inner loop
};

class Finder {
 public:
  Finder(const ControlFlowGraph& cfg, const PostDominators& post) : cfg_(cfg), post_(post) {}

  std::optional<Nesting> find() const {
    for (std::uint32_t l = 0; l < cfg_.loops().size(); ++l) {
      const Loop& loop = cfg_.loops()[l];
      if (loop.irreducible()) continue;
      const std::vector<std::uint32_t> latches = latches_of(l);
      if (latches.size() < 2) continue;
      std::optional<Nesting> smallest;
      std::size_t least = loop.blocks.size();
      for (std::uint32_t latch : latches) {
        std::vector<bool> body = natural_loop(loop.header, latch);
        const auto blocks = static_cast<std::size_t>(std::count(body.begin(), body.end(), true));
        const bool has_all =
            std::all_of(latches.begin(), latches.end(), [&](std::uint32_t other) { return body[other]; });
        if (has_all || blocks >= least || !is_over_before_the_turn(l, body)) continue;
        least = blocks;
        smallest = Nesting{loop.header, std::move(body)};
      }
      if (smallest) return smallest;
    }
    return std::nullopt;
  }

 private:
  std::vector<std::uint32_t> latches_of(std::uint32_t loop) const {
    std::vector<std::uint32_t> latches;
    for (std::uint32_t before : cfg_.predecessors(cfg_.loops()[loop].header))
      if (cfg_.block(before).reachable && cfg_.loop_contains(loop, before)) latches.push_back(before);
    return latches;
  }

  // The blocks from which the latch is reached without passing the header.
  std::vector<bool> natural_loop(std::uint32_t header, std::uint32_t latch) const {
    std::vector<bool> body(cfg_.size(), false);
    body[header] = true;
    std::vector<std::uint32_t> work{latch};
    while (!work.empty()) {
      const std::uint32_t block = work.back();
      work.pop_back();
      if (body[block]) continue;
      body[block] = true;
      for (std::uint32_t before : cfg_.predecessors(block))
        if (cfg_.block(before).reachable) work.push_back(before);
    }
    return body;
  }

  // Whoever leaves `body` for the rest of the loop meets those who stayed in it there, outside `body`.
  bool is_over_before_the_turn(std::uint32_t loop, const std::vector<bool>& body) const {
    bool leaves = false;
    for (std::uint32_t block : cfg_.loops()[loop].blocks) {
      if (!body[block]) continue;
      for (std::uint32_t next : cfg_.successors(block)) {
        if (body[next] || !cfg_.loop_contains(loop, next)) continue;
        const std::uint32_t meeting = post_.immediate(block);
        if (meeting == no_node || meeting == post_.virtual_exit() || body[meeting] ||
            !cfg_.loop_contains(loop, meeting))
          return false;
        leaves = true;
      }
    }
    return leaves;
  }

  const ControlFlowGraph& cfg_;
  const PostDominators& post_;
};

// Gives the inner loop a head of its own behind the old one, which becomes the outer loop's. False: an indirect branch
// leads to the old head, which cannot be told to go elsewhere for some of its turns.
bool separate(Function& function, const ControlFlowGraph& cfg, const Nesting& nesting) {
  const std::uint32_t head = cfg.block(nesting.header).begin;
  const auto inner_label = static_cast<std::uint32_t>(function.labels.size());
  std::vector<std::uint32_t> branches;
  bool falls_in = false;
  for (std::uint32_t latch : cfg.predecessors(nesting.header)) {
    if (!cfg.block(latch).reachable || !nesting.inner[latch]) continue;
    const std::uint32_t last = cfg.block(latch).end - 1;
    const Instruction& inst = function.body[last];
    if (inst.opcode == Opcode::brx) return false;
    const bool jumps = inst.opcode == Opcode::bra && function.labels[inst.operands[0].index].position == head;
    if (jumps) branches.push_back(last);
    falls_in |= cfg.block(latch).end == head && !(jumps && !inst.guard.present) &&
                !(inst.opcode == Opcode::bra && !inst.guard.present);
  }
  for (std::uint32_t branch : branches) function.body[branch].operands[0].index = inner_label;
  std::vector<Instruction> heads;
  const SourceLocation where = function.body[head].where;
  if (falls_in) heads.push_back(branch_to(inner_label, where));  // not by way of the outer loop's head
  const auto outer_head = head + static_cast<std::uint32_t>(heads.size());
  heads.push_back(branch_to(inner_label, where));
  const auto added = static_cast<std::uint32_t>(heads.size());
  function.body.insert(function.body.begin() + head, heads.begin(), heads.end());
  const auto moved = [&](std::uint32_t position, std::uint32_t at_head) {
    return position == head ? at_head : position > head ? position + added : position;
  };
  for (Label& label : function.labels) label.position = moved(label.position, outer_head);
  for (Table& table : function.tables) table.position = moved(table.position, head);
  for (Pragma& pragma : function.pragmas) pragma.position = moved(pragma.position, head + added);
  function.labels.push_back({"$inner" + std::to_string(inner_label), head + added});
  return true;
}

}  // namespace

Function nest_loops(const Function& function, const Module& module) {
  Function result = function;
  for (unsigned turn = 0; turn < most_turns; ++turn) {
    const ControlFlowGraph cfg(result, &module);
    const PostDominators post(cfg);
    const std::optional<Nesting> nesting = Finder(cfg, post).find();
    if (!nesting || !separate(result, cfg, *nesting)) break;
  }
  return result;
}

}  // namespace heddle::ptx
