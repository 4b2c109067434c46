#include "device/cpu/codegen/function_facts.hpp"

#include <algorithm>
#include <set>

#include "device/cpu/codegen/far_loads.hpp"
#include "ptx/analysis/effects/call_effect.hpp"
#include "ptx/analysis/waiting/barrier_intervals.hpp"

namespace heddle::device::cpu {

using namespace ptx::analysis;
using Kind = ValueForm::Kind;
using ptx::Opcode;
using ptx::OperandKind;

namespace {

constexpr std::uint32_t none = 0xffffffffu;

LaneModel model_of(const FactsOptions& options) {
  LaneModel model = LaneModel::for_block(options.block, options.lanes);
  model.global_id_fits = options.global_id_fits;
  return model;
}

bool is_strided(const ValueForm& form) { return form.kind != Kind::varying; }

}  // namespace

FunctionFacts::FunctionFacts(const ptx::Module& module_, ptx::Function split, const FactsOptions& options_)
    : module(module_),
      function(std::move(split)),
      options(options_),
      model(model_of(options_)),
      cfg(function, &module),
      table(function),
      dominators(ptx::analysis::dominators(cfg)),
      post_dominators(cfg),
      liveness(cfg, function, table),
      forms(function.registers.size()),
      memory(lane_memory(module, function)),
      nan_bits(function, cfg) {
  find_definitions();
  streaming = find_streaming_stores(function, definition_, !cfg.loops().empty());
  far_loads = find_far_loads(function, cfg, definition_);
  find_forms();
  find_schedule();
  find_spin_loops();
  if (options.finds_conflict_free && function.is_entry)
    conflict_free = ptx::analysis::conflict_free_accesses(module, function, cfg);
}

void FunctionFacts::find_definitions() {
  const std::size_t n = function.registers.size();
  definition_.assign(n, none);
  definitions_.assign(n, {});
  is_read.assign(n, false);
  for (std::uint32_t i = 0; i < function.body.size(); ++i)
    for (const RegisterOccurrence& occurrence : table.of(i)) {
      if (occurrence.is_def)
        definitions_[occurrence.reg].push_back(i);
      else
        is_read[occurrence.reg] = true;
    }
  for (std::size_t reg = 0; reg < n; ++reg)
    if (definitions_[reg].size() == 1) definition_[reg] = definitions_[reg][0];
}

std::vector<std::int64_t> FunctionFacts::lane_offsets(const ValueForm& form) const {
  std::vector<std::int64_t> offsets(options.lanes, 0);
  for (unsigned lane = 0; lane < options.lanes; ++lane)
    for (unsigned bit = 0; bit < lane_bits; ++bit)
      if ((lane >> bit & 1) != 0) offsets[lane] += form.steps[bit];
  return offsets;
}

ValueForm FunctionFacts::special_form(ptx::SpecialRegister special) const {
  using ptx::SpecialRegister;
  if (options.lanes == 1) return {Kind::uniform};
  const auto component = [&](unsigned dimension) -> ValueForm {
    const LaneModel::Tid& tid = model.tid[dimension];
    if (!tid.known) return {};
    return tid.bits == 0 ? ValueForm{Kind::uniform} : ValueForm{Kind::affine, model.steps_of(tid)};
  };
  switch (special) {
    case SpecialRegister::tid_x: return component(0);
    case SpecialRegister::tid_y: return component(1);
    case SpecialRegister::tid_z: return component(2);
    case SpecialRegister::laneid: return {Kind::affine, model.lane_steps()};
    case SpecialRegister::lanemask_eq:
    case SpecialRegister::lanemask_le:
    case SpecialRegister::lanemask_lt:
    case SpecialRegister::lanemask_ge:
    case SpecialRegister::lanemask_gt: return {};
    default: return {Kind::uniform};
  }
}

void FunctionFacts::find_forms() {
  assumptions_.assign(function.registers.size(), {});
  kept_in_ = kept_out_ = BitMatrix(cfg.size(), function.registers.size());
  divergent_.assign(cfg.size(), false);
  if (options.lanes == 1) {
    for (ValueForm& form : forms) form = {Kind::uniform};
    return;
  }
  const Webs webs(cfg, dominators, function, table);
  UniformityOptions uniformity_options;
  uniformity_options.lanes = model;
  {
    const Uniformity uniformity(module, function, cfg, post_dominators, webs, uniformity_options);
    use_forms(uniformity, webs);
  }
  if (relies_on_forms_in_branches()) {
    uniformity_options.assume_no_wrap = false;
    const Uniformity uniformity(module, function, cfg, post_dominators, webs, uniformity_options);
    use_forms(uniformity, webs);
  }
  drop_unusable_assumptions();
}

void FunctionFacts::use_forms(const Uniformity& uniformity, const Webs& webs) {
  no_wrap.assign(uniformity.assumptions().begin(), uniformity.assumptions().end());
  std::uint32_t number = 0;
  for (const RegisterOccurrence& occurrence : table.all()) {
    const std::uint32_t web = webs.of_occurrences()[number++];
    if (web == no_web) continue;
    const LaneValue& value = uniformity.value(web);
    if (value.kind == LaneValue::Kind::none) continue;  // never reached
    ValueForm& form = forms[occurrence.reg];
    assumptions_[occurrence.reg] = value.assumptions;
    if (!value.strided())
      form = {};
    else if (value.uniform())
      form = {Kind::uniform};
    else
      form = {Kind::affine, value.steps};
  }
  for (std::uint32_t b : cfg.order()) divergent_[b] = uniformity.divergent(b);
}

// A branch, or any value that must be the same in all lanes, cannot take the careful way when an assumption fails.
bool FunctionFacts::relies_on_forms_in_branches() const {
  for (std::size_t reg = 0; reg < forms.size(); ++reg)
    if (forms[reg].kind == Kind::uniform && !assumptions_[reg].empty()) return true;
  return false;
}

// True when some path leads from instruction `from` (exclusive) to `to` without passing `avoid`.
bool FunctionFacts::reaches_avoiding(std::uint32_t from, std::uint32_t to, std::uint32_t avoid) const {
  std::vector<bool> seen(cfg.size(), false);
  std::vector<std::uint32_t> work;
  // Walks one block from an instruction on; true when `to` comes first.
  const auto walk = [&](std::uint32_t block, std::uint32_t start) {
    const std::uint32_t end = cfg.block(block).end;
    for (std::uint32_t i = start; i < end; ++i) {
      if (i == to) return true;
      if (i == avoid) return false;
    }
    for (std::uint32_t s : cfg.successors(block))
      if (!seen[s]) {
        seen[s] = true;
        work.push_back(s);
      }
    return false;
  };
  if (walk(cfg.block_of(from), from + 1)) return true;
  while (!work.empty()) {
    const std::uint32_t block = work.back();
    work.pop_back();
    if (walk(block, cfg.block(block).begin)) return true;
  }
  return false;
}

// Instruction `chain` computed a value from `leaf`; does the leaf still hold the same, in every lane, when instruction
// `at` runs? No definition may come in between. Where the leaf is not live any more, nobody else keeps lanes that are
// ahead from giving it the next value: then it may have one definition only, which runs no more often than `at` is
// reached.
bool FunctionFacts::leaf_is_stable(std::uint32_t leaf, std::uint32_t chain, std::uint32_t at) const {
  for (std::uint32_t definition : definitions_[leaf])
    if (reaches_avoiding(chain, definition, chain) && reaches_avoiding(definition, at, chain)) return false;
  const std::vector<std::uint32_t> live = liveness.live_before(cfg, at);
  if (std::find(live.begin(), live.end(), leaf) != live.end() || definitions_[leaf].empty()) return true;
  const std::uint32_t definition = definition_[leaf];
  if (definition == none) return false;
  const std::uint32_t loop = cfg.loop_of(cfg.block_of(definition));
  return loop == no_node || cfg.loop_contains(loop, cfg.block_of(at));
}

// Whether the exact value of every lane can be computed again at instruction `at`. Adds to `chain` the registers that
// it goes back to, and to `leaves` those that are read for that.
bool FunctionFacts::can_rebuild(std::uint32_t reg, std::uint32_t at, std::set<std::uint32_t>& chain,
                                std::vector<std::uint32_t>& leaves) const {
  constexpr std::size_t most = 32;  // instructions: each read of the register repeats them
  if (!chain.insert(reg).second) return true;
  const std::uint32_t definition = definition_[reg];
  if (definition == none || chain.size() > most) return false;
  const ptx::Instruction& inst = function.body[definition];
  if (inst.guard.present || inst.operands[0].kind != OperandKind::reg) return false;
  for (const RegisterOccurrence& occurrence : table.of(definition)) {
    if (occurrence.is_def) continue;
    if (!leaf_is_stable(occurrence.reg, definition, at)) return false;
    const bool continues = !assumptions_[occurrence.reg].empty() && is_strided(forms[occurrence.reg]);
    if (!continues)
      leaves.push_back(occurrence.reg);
    else if (!can_rebuild(occurrence.reg, at, chain, leaves))
      return false;
  }
  return true;
}

// The register is read at instruction `at` besides what liveness knows: its value must stay from its definitions on.
void FunctionFacts::keep_until(std::uint32_t reg, std::uint32_t at) {
  const auto defined_in = [&](std::uint32_t block, std::uint32_t before) {
    const auto& list = definitions_[reg];
    return std::any_of(list.begin(), list.end(),
                       [&](std::uint32_t i) { return cfg.block_of(i) == block && i < before; });
  };
  std::vector<std::uint32_t> work;
  const std::uint32_t last = cfg.block_of(at);
  if (!defined_in(last, at)) work.push_back(last);
  while (!work.empty()) {
    const std::uint32_t block = work.back();
    work.pop_back();
    if (kept_in_.test(block, reg)) continue;
    kept_in_.set(block, reg);
    for (std::uint32_t p : cfg.predecessors(block)) {
      kept_out_.set(p, reg);
      if (!defined_in(p, cfg.block(p).end)) work.push_back(p);
    }
  }
}

// Whether the instruction's results are affine as well, and rest on what `reg` rests on.
bool FunctionFacts::goes_on_affine(std::uint32_t instruction, std::uint32_t reg) const {
  bool any = false;
  for (const RegisterOccurrence& occurrence : table.of(instruction)) {
    if (!occurrence.is_def) continue;
    any = true;
    const auto &on = assumptions_[reg], &of_result = assumptions_[occurrence.reg];
    if (!is_strided(forms[occurrence.reg]) || !std::includes(of_result.begin(), of_result.end(), on.begin(), on.end()))
      return false;
  }
  return any;
}

// Where an affine value that rests on an assumption is read for something else than an address that has a careful way,
// or cannot be rebuilt there, the conversion it comes from is given up: its results become vectors. What was to go on
// as an affine value in those is read for something else then.
void FunctionFacts::drop_unusable_assumptions() {
  constexpr int most_rounds = 8;
  std::set<std::uint32_t> dropped = unusable_assumptions();
  for (int round = 1; !dropped.empty(); ++round) {
    if (round == most_rounds)
      for (std::uint32_t all = 0; all < no_wrap.size(); ++all) dropped.insert(all);
    for (std::size_t reg = 0; reg < forms.size(); ++reg) {
      const bool lost = std::any_of(assumptions_[reg].begin(), assumptions_[reg].end(),
                                    [&](std::uint32_t a) { return dropped.count(a) != 0; });
      if (!lost) continue;
      forms[reg] = {};
      assumptions_[reg].clear();
    }
    dropped = unusable_assumptions();
  }
  std::set<std::uint32_t> needed;
  for (const auto& assumptions : assumptions_) needed.insert(assumptions.begin(), assumptions.end());
  for (std::uint32_t a : needed) no_wrap_at[no_wrap[a].instruction].push_back(a);
}

std::set<std::uint32_t> FunctionFacts::unusable_assumptions() {
  std::set<std::uint32_t> unusable;
  for (std::uint32_t i = 0; i < function.body.size(); ++i) {
    const ptx::Instruction& inst = function.body[i];
    for (const RegisterOccurrence& occurrence : table.of(i)) {
      if (occurrence.is_def || assumptions_[occurrence.reg].empty() || !is_strided(forms[occurrence.reg])) continue;
      const bool is_address = occurrence.operand < inst.operands.size() && occurrence.element == 0 &&
                              inst.operands[occurrence.operand].kind == OperandKind::address;
      if (!is_address && goes_on_affine(i, occurrence.reg)) continue;
      std::set<std::uint32_t> chain;
      std::vector<std::uint32_t> leaves;
      if (!can_rebuild(occurrence.reg, i, chain, leaves))
        unusable.insert(assumptions_[occurrence.reg].begin(), assumptions_[occurrence.reg].end());
      else
        for (std::uint32_t leaf : leaves) keep_until(leaf, i);
    }
  }
  return unusable;
}

void FunctionFacts::find_schedule() {
  const bool entry_full = function.is_entry && options.block.count() % options.lanes == 0;
  schedule = std::make_unique<Schedule>(cfg, dominators, post_dominators, divergent_, entry_full || options.lanes == 1);
  live_while_waiting = BitMatrix(cfg.size(), function.registers.size());
  for (std::uint32_t b : cfg.order())
    for (std::uint32_t waiting : schedule->waiting_during(b)) {
      liveness.for_each_live_in(waiting, [&](std::uint32_t reg) { live_while_waiting.set(b, reg); });
      kept_in_.for_each(waiting, [&](std::uint32_t reg) { live_while_waiting.set(b, reg); });
    }
}

// Loops that read what others may write, in a way that says so, or that call what does: their turns may be a wait.
void FunctionFacts::find_spin_loops() {
  spin_loops = options.spin_loops;
  counted_loops = options.counted_loops;
  if (!spin_loops.empty()) return;
  counted_loops.assign(cfg.loops().size(), false);
  spin_loops.assign(cfg.loops().size(), false);
  for (std::uint32_t i = 0; i < function.body.size(); ++i) {
    const ptx::Instruction& inst = function.body[i];
    const bool strong_load = inst.opcode == Opcode::ld && inst.d.order != ptx::Order::weak && !inst.d.nc;
    const bool finds = inst.opcode == Opcode::call ? ptx::analysis::effect_of_call(module, function, inst).finds
                                                   : ptx::analysis::tests_mbarrier(inst);
    if (!strong_load && !finds && inst.opcode != Opcode::atom && inst.opcode != Opcode::nanosleep) continue;
    for (std::uint32_t loop = cfg.loop_of(cfg.block_of(i)); loop != no_node; loop = cfg.loops()[loop].parent)
      spin_loops[loop] = true;
  }
}

namespace {

// Finds the variables that can live in slots: collects (offset, width) of every direct access.
class SlotFinder {
 public:
  SlotFinder(const ptx::Module& module, const ptx::Function& function)
      : module_(module),
        function_(function),
        accesses_(function.variables.size()),
        direct_(function.variables.size(), true) {
    for (const ptx::Instruction& inst : function.body) visit(inst);
  }

  bool in_slots(std::uint32_t variable) const {
    if (!direct_[variable]) return false;
    std::int64_t end = 0;
    for (const auto& [offset, bytes] : accesses_[variable]) {
      if (offset < end) return false;  // overlaps the one before, or goes below 0
      end = offset + bytes;
    }
    const bool fits = end <= static_cast<std::int64_t>(function_.variables[variable].size());
    return fits && accesses_[variable].size() <= max_slots;
  }

 private:
  static constexpr std::size_t max_slots = 64;  // more would only be spilled again

  void visit(const ptx::Instruction& inst) {
    const bool plain = inst.opcode == Opcode::ld || inst.opcode == Opcode::st;
    const std::size_t address = inst.opcode == Opcode::ld ? 1 : 0;
    for (std::size_t i = 0; i < inst.operands.size(); ++i) {
      const ptx::Operand& operand = inst.operands[i];
      const bool list = inst.opcode == Opcode::call && operand.kind == OperandKind::vector;
      if (plain && i == address && operand.base == OperandKind::symbol)
        note_access(inst, operand);
      else if (list)
        for (const ptx::Operand& argument : operand.elements) note_argument(inst, argument);
      else
        forbid(operand);
    }
  }

  void note_access(const ptx::Instruction& inst, const ptx::Operand& operand) {
    if (operand.symbol.kind != ptx::SymbolRef::Kind::local_variable) return;
    const unsigned bytes = ptx::byte_size(inst.d.type);
    for (unsigned e = 0; e < inst.d.vector; ++e) add(operand.symbol.index, operand.value + e * bytes, bytes);
  }

  // Arguments of built-in functions are read whole; those of compiled functions are copied as bytes.
  void note_argument(const ptx::Instruction& call, const ptx::Operand& operand) {
    if (operand.kind != OperandKind::symbol || operand.symbol.kind != ptx::SymbolRef::Kind::local_variable) return;
    const ptx::Variable& variable = function_.variables[operand.symbol.index];
    const ptx::Operand& callee = call.operands[1];
    const bool builtin = callee.kind == OperandKind::symbol && module_.functions[callee.symbol.index].is_declaration;
    if (!builtin || !variable.dims.empty())
      direct_[operand.symbol.index] = false;
    else
      add(operand.symbol.index, 0, static_cast<unsigned>(variable.size()));
  }

  void add(std::uint32_t variable, std::int64_t offset, unsigned bytes) {
    const auto [it, fresh] = accesses_[variable].emplace(offset, bytes);
    if (!fresh && it->second != bytes) direct_[variable] = false;
  }

  void forbid(const ptx::Operand& operand) {
    const bool symbol = operand.kind == OperandKind::symbol ||
                        (operand.kind == OperandKind::address && operand.base == OperandKind::symbol);
    if (symbol && operand.symbol.kind == ptx::SymbolRef::Kind::local_variable) direct_[operand.symbol.index] = false;
    for (const ptx::Operand& element : operand.elements) forbid(element);
  }

  const ptx::Module& module_;
  const ptx::Function& function_;
  std::vector<std::map<std::int64_t, unsigned>> accesses_;
  std::vector<bool> direct_;
};

}  // namespace

LaneMemory lane_memory(const ptx::Module& module, const ptx::Function& function) {
  LaneMemory memory;
  const SlotFinder finder(module, function);
  for (std::uint32_t v = 0; v < function.variables.size(); ++v) {
    const ptx::Variable& variable = function.variables[v];
    const bool of_lane = variable.space == ptx::Space::local || variable.space == ptx::Space::param;
    memory.in_slots.push_back(of_lane && finder.in_slots(v));
    if (!of_lane || memory.in_slots.back()) continue;
    const std::uint64_t align = std::max<std::uint64_t>(variable.alignment(), 1);
    memory.alignment = std::max(memory.alignment, align);
    memory.bytes = (memory.bytes + align - 1) / align * align;
    memory.offsets[v] = memory.bytes;
    memory.bytes += variable.size();
  }
  memory.used_bytes = memory.bytes;
  memory.bytes = (memory.bytes + memory.alignment - 1) / memory.alignment * memory.alignment;
  return memory;
}

}  // namespace heddle::device::cpu
