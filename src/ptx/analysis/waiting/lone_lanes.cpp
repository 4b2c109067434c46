#include "ptx/analysis/waiting/lone_lanes.hpp"

#include <algorithm>

#include "ptx/barrier.hpp"

namespace heddle::ptx::analysis {
namespace {

constexpr unsigned deepest = 8;  // of conditions within conditions

// It writes registers alone, and is no operation of a warp.
bool only_computes(const Instruction& inst) {
  switch (inst.opcode) {
    case Opcode::bra:
    case Opcode::mov:
    case Opcode::add:
    case Opcode::sub:
    case Opcode::mul:
    case Opcode::mad:
    case Opcode::fma:
    case Opcode::and_:
    case Opcode::or_:
    case Opcode::xor_:
    case Opcode::not_:
    case Opcode::shl:
    case Opcode::shr:
    case Opcode::setp:
    case Opcode::selp:
    case Opcode::cvt:
    case Opcode::cvta:
    case Opcode::ld: return true;
    default: return false;
  }
}

// All threads of the block that have not exited wait there.
bool is_barrier_of_all(const Instruction& inst) {
  return is_block_barrier(inst) && !inst.guard.present && !inst.has(Modifier::arrive) && !inst.has(Modifier::red) &&
         inst.operands[0].kind == OperandKind::integer &&
         std::none_of(inst.operands.begin() + 1, inst.operands.end(),
                      [](const Operand& operand) { return operand.present(); });
}

}  // namespace

LoneLanes::LoneLanes(const Function& function, const ControlFlowGraph& cfg, const Webs& webs,
                     const Uniformity& uniformity)
    : function_(function),
      cfg_(cfg),
      webs_(webs),
      uniformity_(uniformity),
      dominators_(dominators(cfg)),
      definition_of_(webs.size(), no_node) {
  const RegisterTable& table = webs.table();
  for (std::uint32_t i = 0; i < table.instructions(); ++i) {
    std::uint32_t at = table.first(i);
    for (const RegisterOccurrence& item : table.of(i)) {
      const std::uint32_t web = webs.of_occurrences()[at++];
      if (item.is_def && !item.guarded && !item.tied && web != no_web) definition_of_[web] = i;
    }
  }
}

std::uint32_t LoneLanes::only_definition(std::uint32_t web) const {
  if (web == no_web) return no_node;
  const Web& of = webs_.web(web);
  return of.definitions == 1 && !of.parameter && !of.may_be_undefined ? definition_of_[web] : no_node;
}

// From the outermost branch at which lanes of the group part, inwards, until one lane is left.
bool LoneLanes::runs_alone(std::uint32_t loop) const {
  const std::uint32_t header = cfg_.loops()[loop].header;
  if (cfg_.loops()[loop].irreducible()) return false;
  std::vector<std::uint32_t> above;  // divergent blocks that all paths to the loop go through, the innermost first
  for (std::uint32_t b = dominators_.immediate(header); b != no_node; b = dominators_.immediate(b))
    if (uniformity_.divergent(b)) above.push_back(b);
  std::vector<LaneValue> values;
  bool begun = false;
  for (auto b = above.rbegin(); b != above.rend(); ++b) {
    const std::span<const std::uint32_t> next = cfg_.successors(*b);
    // Lanes of both sides come to the loop.
    if (std::none_of(next.begin(), next.end(), [&](std::uint32_t s) { return dominators_.dominates(s, header); }))
      continue;
    const std::optional<Guard> guard = guard_at(*b, header);
    if (!guard || (!begun && guard->apart)) return false;
    begun = true;
    values.insert(values.end(), guard->values.begin(), guard->values.end());
    if (differ_in_all_lanes(values)) return true;
  }
  return false;
}

std::optional<LoneLanes::Guard> LoneLanes::guard_at(std::uint32_t block, std::uint32_t header) const {
  const std::uint32_t last = cfg_.block(block).end - 1;
  const Instruction& branch = function_.body[last];
  const std::span<const std::uint32_t> next = cfg_.successors(block);
  if (branch.opcode != Opcode::bra || !branch.guard.present || next.size() != 2) return {};
  const bool taken = dominators_.dominates(next[0], header);  // the target of a bra comes first
  const std::uint32_t side = next[taken ? 0 : 1], other = next[taken ? 1 : 0];
  const std::span<const std::uint32_t> before = cfg_.predecessors(side);
  const bool is_only_way = std::all_of(before.begin(), before.end(),
                                       [&](std::uint32_t p) { return p == block || dominators_.dominates(side, p); });
  if (!is_only_way || !leads_to_barrier(other)) return {};
  Guard guard{uniformity_.partial(block), {}};
  add_predicate(webs_.guard(last), taken != branch.guard.negated, 0, guard.values);
  return guard;
}

// Whether lanes that are at the block's beginning write nothing before they come to a barrier or leave the function.
bool LoneLanes::leads_to_barrier(std::uint32_t block) const {
  std::vector<std::uint32_t> rest{block};
  std::vector<bool> seen(cfg_.size(), false);
  seen[block] = true;
  while (!rest.empty()) {
    const std::uint32_t at = rest.back();
    rest.pop_back();
    bool ended = false;
    for (std::uint32_t i = cfg_.block(at).begin; i < cfg_.block(at).end && !ended; ++i) {
      const Instruction& inst = function_.body[i];
      const bool leaves = inst.opcode == Opcode::exit || inst.opcode == Opcode::ret;
      ended = is_barrier_of_all(inst) || (leaves && !inst.guard.present);
      if (!ended && !leaves && !only_computes(inst)) return false;
    }
    if (ended) continue;
    for (const std::uint32_t next : cfg_.successors(at)) {
      if (!seen[next]) rest.push_back(next);
      seen[next] = true;
    }
  }
  return true;
}

// What lanes have in common for which the predicate is `truth`.
void LoneLanes::add_predicate(std::uint32_t web, bool truth, unsigned depth, std::vector<LaneValue>& values) const {
  const std::uint32_t i = only_definition(web);
  if (i == no_node || depth == deepest) return;
  const Instruction& inst = function_.body[i];
  const auto add_operand = [&](std::uint16_t operand, bool wanted) {
    if (inst.operands[operand].kind == OperandKind::reg)
      add_predicate(webs_.use(i, operand), wanted != inst.operands[operand].negated, depth + 1, values);
  };
  switch (inst.opcode) {
    case Opcode::setp: {
      if (webs_.def(i, 0) != web || !is_integer(inst.d.type)) return;
      const bool joined = inst.d.bool_op == BoolOp::none || inst.d.bool_op == (truth ? BoolOp::and_ : BoolOp::or_);
      if (!joined) return;
      if (inst.d.bool_op != BoolOp::none) add_operand(4, truth);
      if (inst.d.compare == (truth ? Compare::eq : Compare::ne)) add_equal(i, 2, 3, values);
      return;
    }
    case Opcode::and_:
    case Opcode::or_:
      if (truth != (inst.opcode == Opcode::and_)) return;
      add_operand(1, truth);
      add_operand(2, truth);
      return;
    case Opcode::not_: return add_operand(1, !truth);
    case Opcode::mov: return add_operand(1, truth);
    default: return;
  }
}

void LoneLanes::add_equal(std::uint32_t instruction, std::uint16_t a, std::uint16_t b,
                          std::vector<LaneValue>& values) const {
  if (uniformity_.operand(instruction, a).uniform()) std::swap(a, b);
  const LaneValue number = uniformity_.operand(instruction, b);
  if (!number.uniform()) return;
  if (number.is_constant() && number.range.low == 0) return add_zero(instruction, a, 0, values);
  values.push_back(uniformity_.operand(instruction, a));
}

// Of lanes in which the operand is 0. So are both sides of an or.
void LoneLanes::add_zero(std::uint32_t instruction, std::uint16_t operand, unsigned depth,
                         std::vector<LaneValue>& values) const {
  values.push_back(uniformity_.operand(instruction, operand));
  if (function_.body[instruction].operands[operand].kind != OperandKind::reg) return;
  const std::uint32_t i = only_definition(webs_.use(instruction, operand));
  if (i == no_node || depth == deepest || function_.body[i].opcode != Opcode::or_) return;
  add_zero(i, 1, depth + 1, values);
  add_zero(i, 2, depth + 1, values);
}

bool LoneLanes::differ_in_all_lanes(const std::vector<LaneValue>& values) const {
  const unsigned lanes = uniformity_.lanes().lanes;
  std::vector<std::vector<std::int64_t>> rows(lanes);
  for (const LaneValue& value : values) {
    if (!value.strided() || value.uniform() || !value.assumptions.empty()) continue;
    for (unsigned lane = 0; lane < lanes; ++lane) rows[lane].push_back(uniformity_.offset(value, lane));
  }
  std::sort(rows.begin(), rows.end());
  return std::adjacent_find(rows.begin(), rows.end()) == rows.end();
}

}  // namespace heddle::ptx::analysis
