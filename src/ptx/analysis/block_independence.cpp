#include "ptx/analysis/block_independence.hpp"

#include <algorithm>

#include "ptx/analysis/effects/call_effect.hpp"
#include "ptx/analysis/effects/memory_effect.hpp"
#include "ptx/analysis/flow/loop_slice.hpp"
#include "ptx/analysis/instruction_text.hpp"

namespace heddle::ptx::analysis {
namespace {

using S = SpecialRegister;

// What an address is computed from.
struct AddressSteps {
  bool block_number = false, less = false, parameter = false, variable = false;

  // That of a block before this one: its number, or a ticket drawn by an atomic, less something.
  bool to_earlier_block() const { return block_number && less; }

  void add(const Function& function, const Slicer& slicer, std::uint32_t instruction, std::uint16_t operand) {
    for (std::uint32_t d : slicer.value_slice(instruction, operand)) add(function.body[d]);
    const Operand& address = function.body[instruction].operands[operand];
    less |= address.kind == OperandKind::address && address.value < 0;
    variable |= address.base == OperandKind::symbol;
  }

 private:
  void add(const Instruction& inst) {
    block_number |= inst.opcode == Opcode::atom;
    less |= inst.opcode == Opcode::sub || inst.opcode == Opcode::not_ || inst.opcode == Opcode::neg;
    for (const Operand& operand : inst.operands) {
      block_number |=
          operand.kind == OperandKind::special && operand.special >= S::ctaid_x && operand.special <= S::ctaid_z;
      less |= inst.opcode == Opcode::add && operand.kind == OperandKind::integer && operand.value < 0;
      less |= operand.kind == OperandKind::address && operand.value < 0;
      const bool symbol = operand.kind == OperandKind::symbol || operand.base == OperandKind::symbol;
      const bool own = symbol && operand.symbol.kind == SymbolRef::Kind::parameter;
      parameter |= own;
      variable |= symbol && !own;
    }
  }
};

// One function by itself.
class Classifier {
 public:
  Classifier(const Module& module, std::uint32_t index, const FunctionWaiting& waiting)
      : module_(module),
        function_(module.functions[index]),
        index_(index),
        waiting_(waiting),
        cfg_(function_, &module),
        table_(function_),
        webs_(cfg_, dominators(cfg_), function_, table_),
        slicer_(cfg_, webs_) {}

  BlockIndependence run() {
    for (const FunctionDirective& directive : function_.directives)
      if (directive.name == "explicitcluster" || directive.name == "reqnctapercluster") result_.whole_clusters = true;
    for (const SpinLoop& spin : waiting_.spin_loops) classify_spin(spin);
    for (std::uint32_t b : cfg_.order())
      for (std::uint32_t i = cfg_.block(b).begin; i < cfg_.block(b).end; ++i) classify(i);
    return result_;
  }

 private:
  void raise(BlockOrder order, std::uint32_t i, std::string reason) {
    const bool earlier = order == result_.order && result_.function != no_node && i < result_.instruction;
    if (order <= result_.order && !earlier) return;
    result_.order = order;
    result_.function = index_;
    result_.instruction = i;
    result_.reason = std::move(reason);
  }

  // Shared memory is the block's own.
  bool may_be_global(std::uint32_t i) const {
    const Instruction& inst = function_.body[i];
    const std::uint16_t operand = inst.opcode == Opcode::ld || inst.opcode == Opcode::atom ? 1 : 0;
    const Space space = space_of(module_, function_, inst, inst.operands[operand]);
    if (space != Space::generic) return space == Space::global;
    // A generic address that was made from one of shared memory.
    for (std::uint32_t d : slicer_.value_slice(i, operand)) {
      const Instruction& from = function_.body[d];
      if (from.opcode == Opcode::cvta && !from.d.to && from.d.space == Space::shared) return false;
    }
    return true;
  }

  void classify_spin(const SpinLoop& spin) {
    for (const Awaited& item : spin.awaited) {
      const std::uint32_t i = item.instruction;
      const bool call = function_.body[i].opcode == Opcode::call;
      if (item.space == Space::shared || (!call && !may_be_global(i))) continue;
      if (!item.takes && (call ? called_look_back(i) : looks_back(i)))
        raise(BlockOrder::ordered, i, "waits in a loop for what an earlier block writes");
      else
        raise(
            BlockOrder::cooperative, i,
            item.takes ? "takes a lock that another block may hold" : "waits in a loop for what another block writes");
    }
  }

  bool looks_back(std::uint32_t i) const {
    AddressSteps steps;
    steps.add(function_, slicer_, i, 1);
    return steps.to_earlier_block();
  }

  // The functions that are called wait at an address that they are given, all of them.
  bool called_look_back(std::uint32_t call) const {
    const Instruction& inst = function_.body[call];
    const auto callees = possible_callees(module_, function_, inst);
    const CallEffect effect = effect_of_call(module_, function_, inst);
    AddressSteps given;
    given.add(function_, slicer_, call, 2);
    for (const Operand& argument : inst.operands[2].elements)
      for (std::uint32_t i = 0; argument.kind == OperandKind::symbol && i < function_.body.size(); ++i) {
        const Instruction& store = function_.body[i];
        const bool passes = store.opcode == Opcode::st && store.operands[0].base == OperandKind::symbol &&
                            store.operands[0].symbol == argument.symbol;
        if (passes) given.add(function_, slicer_, i, 1);
      }
    return !effect.unknown && std::all_of(effect.finders.begin(), effect.finders.end(), [&](const auto& finder) {
      const bool direct = std::find(callees.begin(), callees.end(), finder.function) != callees.end();
      return direct && waits_at_what_is_given(finder, given);
    });
  }

  bool waits_at_what_is_given(const CallEffect::Finder& finder, AddressSteps steps) const {
    const Function& callee = module_.functions[finder.function];
    const ControlFlowGraph cfg(callee, &module_);
    const RegisterTable table(callee);
    const Webs webs(cfg, dominators(cfg), callee, table);
    steps.parameter = steps.variable = false;
    steps.add(callee, Slicer(cfg, webs), finder.instruction, 1);
    return steps.parameter && !steps.variable && steps.to_earlier_block();
  }

  void classify(std::uint32_t i) {
    const Instruction& inst = function_.body[i];
    if (inst.opcode == Opcode::atom && result_used(i) && !tries_again(i) && may_be_global(i))
      raise(BlockOrder::ordered, i, "uses the value that an atomic found, which depends on the order of blocks");
    const bool strong = inst.d.order == Order::relaxed || inst.d.order == Order::acquire || inst.d.order == Order::mmio;
    const bool wide = inst.d.scope == Scope::gpu || inst.d.scope == Scope::sys;
    if (inst.opcode == Opcode::ld && strong && wide && result_used(i) && may_be_global(i))
      raise(BlockOrder::ordered, i, "reads what other blocks may write meanwhile");
    const bool cluster = inst.opcode == Opcode::mapa || inst.opcode == Opcode::getctarank ||
                         inst.has(Modifier::cluster) || inst.has(Modifier::shared_cluster) ||
                         std::any_of(inst.operands.begin(), inst.operands.end(), is_cluster_register);
    if (!cluster || result_.whole_clusters) return;
    result_.whole_clusters = true;
    if (result_.function != no_node) return;
    result_.function = index_;
    result_.instruction = i;
    result_.reason = "works with the other blocks of its cluster";
  }

  static bool is_cluster_register(const Operand& operand) {
    return operand.kind == OperandKind::special && operand.special >= S::clusterid_x &&
           operand.special <= S::cluster_nctarank;
  }

  bool result_used(std::uint32_t i) const {
    for (const RegisterOccurrence& item : table_.of(i))
      if (item.is_def && slicer_.is_read(webs_.def(i, item.operand, item.element))) return true;
    return false;
  }

  // The result of a compare-and-swap serves only to try again: it is compared with what was expected, or expected next.
  bool tries_again(std::uint32_t i) const {
    if (function_.body[i].d.reduce != ReduceOp::cas) return false;
    const std::uint32_t loop = cfg_.loop_of(cfg_.block_of(i));
    if (loop == no_node) return false;
    const std::uint32_t found = webs_.def(i, 0);
    const auto slice = slicer_.exit_slice(loop);
    if (!std::binary_search(slice.instructions.begin(), slice.instructions.end(), i)) return false;
    const bool waits = std::any_of(waiting_.spin_loops.begin(), waiting_.spin_loops.end(),
                                   [&](const SpinLoop& spin) { return spin.loop == loop; });
    return !waits && !leaves_loop(found, loop);
  }

  // The value, or a copy of it, is read outside of the loop.
  bool leaves_loop(std::uint32_t web, std::uint32_t loop) const {
    for (std::uint32_t at = 0, i = 0; i < table_.instructions(); ++i)
      for (const RegisterOccurrence& item : table_.of(i)) {
        const bool reads = !item.is_def && webs_.of_occurrences()[at] == web;
        ++at;
        if (reads && !cfg_.loop_contains(loop, cfg_.block_of(i))) return true;
      }
    return false;
  }

  const Module& module_;
  const Function& function_;
  std::uint32_t index_;
  const FunctionWaiting& waiting_;
  ControlFlowGraph cfg_;
  RegisterTable table_;
  Webs webs_;
  Slicer slicer_;
  BlockIndependence result_;
};

void take_over(BlockIndependence& into, const BlockIndependence& from) {
  const bool clusters = into.whole_clusters || from.whole_clusters;
  if (from.order > into.order || (into.function == no_node && from.function != no_node)) into = from;
  into.whole_clusters = clusters;
}

}  // namespace

const char* name(BlockOrder order) {
  switch (order) {
    case BlockOrder::independent: return "independent";
    case BlockOrder::ordered: return "ordered";
    case BlockOrder::cooperative: return "cooperative";
    case BlockOrder::unknown: return "unknown";
  }
  return "unknown";
}

std::vector<BlockIndependence> find_block_independence(const Module& module,
                                                       const std::vector<FunctionWaiting>& waiting) {
  std::vector<BlockIndependence> own(module.functions.size());
  for (std::uint32_t f = 0; f < module.functions.size(); ++f) {
    const Function& function = module.functions[f];
    if (function.is_declaration) continue;
    own[f] = Classifier(module, f, waiting[f]).run();
    for (std::uint32_t i = 0; i < function.body.size(); ++i) {
      if (function.body[i].opcode != Opcode::call) continue;
      const auto callees = possible_callees(module, function, function.body[i]);
      const bool missing = callees.empty() || std::any_of(callees.begin(), callees.end(), [&](std::uint32_t callee) {
                             const Function& called = module.functions[callee];
                             return called.is_declaration && !is_builtin(called);
                           });
      if (missing && own[f].order != BlockOrder::unknown)
        own[f] = {BlockOrder::unknown, own[f].whole_clusters, f, i, "calls a function whose body is not in the module"};
    }
  }
  std::vector<BlockIndependence> all = own;
  for (std::uint32_t f = 0; f < module.functions.size(); ++f)
    for (std::uint32_t callee : waiting[f].functions) take_over(all[f], own[callee]);
  return all;
}

std::string describe(const Module& module, const BlockIndependence& independence) {
  if (independence.function == no_node)
    return independence.whole_clusters ? "the kernel is declared to run in clusters" : "";
  const Function& function = module.functions[independence.function];
  return describe_instruction(function, independence.instruction) + " " + independence.reason;
}

}  // namespace heddle::ptx::analysis
