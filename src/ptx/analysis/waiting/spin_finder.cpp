#include "ptx/analysis/waiting/spin_finder.hpp"

#include <algorithm>

#include "ptx/analysis/effects/memory_effect.hpp"
#include "ptx/analysis/waiting/found_values.hpp"

namespace heddle::ptx::analysis {
namespace {

constexpr int steps_through_memory = 6;

bool needs_lanes(const Instruction& inst) {
  return inst.opcode == Opcode::shfl || inst.opcode == Opcode::vote || inst.opcode == Opcode::match ||
         inst.opcode == Opcode::redux || inst.opcode == Opcode::activemask;
}

// Clocks and counters; which of the others change is not worth telling apart here.
bool is_special(const Operand& operand) {
  return operand.kind == OperandKind::special ||
         std::any_of(operand.elements.begin(), operand.elements.end(), is_special);
}

bool may_change(const Instruction& inst) {
  if (inst.opcode == Opcode::ld) {
    const bool argument = inst.d.space == Space::param && inst.operands[1].symbol.kind == SymbolRef::Kind::parameter;
    return !argument && inst.d.space != Space::constant;
  }
  if (inst.guard.present) return true;  // keeps what another turn has left
  switch (inst.opcode) {
    case Opcode::ldu:
    case Opcode::atom:
    case Opcode::call:
    case Opcode::bar:
    case Opcode::barrier:
    case Opcode::mbarrier:
    case Opcode::tex:
    case Opcode::tld4:
    case Opcode::suld:
    case Opcode::elect: return true;
    default: break;
  }
  return needs_lanes(inst) || std::any_of(inst.operands.begin(), inst.operands.end(), is_special);
}

}  // namespace

SpinFinder::SpinFinder(const Module& module, const Function& function, const ControlFlowGraph& cfg, const Webs& webs)
    : module_(module),
      function_(function),
      cfg_(cfg),
      webs_(webs),
      slicer_(cfg, webs),
      places_(module, function, webs.table()) {}

std::optional<SpinLoop> SpinFinder::find(std::uint32_t loop) const {
  const Slicer::Slice slice = slicer_.exit_slice(loop);
  SpinLoop spin;
  spin.loop = loop;
  for (std::uint32_t i : slice.instructions)
    if (waits_at(loop, i, slice)) spin.awaited.push_back(awaited(i));
  add_through_memory(loop, slice, spin.awaited);
  if (!spin.awaited.empty()) {
    spin.instruction = spin.awaited.front().instruction;
    return spin;
  }
  if (!is_endless(slice)) return std::nullopt;
  spin.instruction = cfg_.block(cfg_.loops()[loop].header).begin;
  spin.endless = true;
  return spin;
}

bool SpinFinder::waits_at(std::uint32_t loop, std::uint32_t i, const Slicer::Slice& slice) const {
  const Instruction& inst = function_.body[i];
  switch (inst.opcode) {
    case Opcode::call: return effect_of(i).finds;
    case Opcode::ld: return load_waits(loop, i, slice);
    case Opcode::atom: return atomic_waits(loop, i);
    default: return tests_mbarrier(inst);
  }
}

Awaited SpinFinder::awaited(std::uint32_t i) const {
  const Instruction& inst = function_.body[i];
  if (inst.opcode == Opcode::call) return {i, effect_of(i).global ? Space::generic : Space::shared, effect_of(i).takes};
  if (tests_mbarrier(inst)) return {i, Space::shared};
  return {i, places_.loaded_place(inst).space, exchanges(inst)};
}

const CallEffect& SpinFinder::effect_of(std::uint32_t call) const {
  const auto found = effects_.find(call);
  if (found != effects_.end()) return found->second;
  return effects_.emplace(call, effect_of_call(module_, function_, function_.body[call])).first->second;
}

// The loop ends by what it, or a function that it calls, has put into memory: what a strong load has found, say.
void SpinFinder::add_through_memory(std::uint32_t loop, const Slicer::Slice& slice, std::vector<Awaited>& list) const {
  std::vector<std::uint32_t> loads;
  for (std::uint32_t i : slice.instructions)
    if (may_hold_what_was_found(loop, i, slice)) loads.push_back(i);
  if (loads.empty()) return;
  const auto finders = finders_in(loop);
  if (finders.empty()) return;
  if (!post_) post_.emplace(cfg_);
  const FoundValues::Effects effects = [&](std::uint32_t call) -> const CallEffect& { return effect_of(call); };
  const FoundValues found(module_, function_, cfg_, webs_, *post_, places_, effects, loop, finders);
  if (std::none_of(loads.begin(), loads.end(), [&](std::uint32_t i) { return found.depends(i); })) return;
  for (std::uint32_t i : finders)
    if (std::none_of(list.begin(), list.end(), [&](const Awaited& item) { return item.instruction == i; }))
      list.push_back(awaited(i));
}

std::vector<std::uint32_t> SpinFinder::finders_in(std::uint32_t loop) const {
  std::vector<std::uint32_t> finders;
  for (std::uint32_t b : cfg_.loops()[loop].blocks)
    for (std::uint32_t i = cfg_.block(b).begin; i < cfg_.block(b).end; ++i)
      if (finds(loop, i)) finders.push_back(i);
  std::sort(finders.begin(), finders.end());
  return finders;
}

bool SpinFinder::finds(std::uint32_t loop, std::uint32_t i) const {
  const Instruction& inst = function_.body[i];
  if (inst.opcode == Opcode::call) return effect_of(i).finds;
  if (polls_weakly(loop, i)) return true;
  return finds_what_others_write(places_, inst) && (inst.opcode != Opcode::atom || atomic_waits(loop, i));
}

// Memory of the thread, or of its block, that the loop may write. Of other memory only where nothing else ends the
// loop: there loops over arrays read what they have written for other reasons.
bool SpinFinder::may_hold_what_was_found(std::uint32_t loop, std::uint32_t i, const Slicer::Slice& slice) const {
  const Instruction& inst = function_.body[i];
  if (inst.opcode != Opcode::ld || inst.d.nc) return false;
  const MemoryPlace place = places_.loaded_place(inst);
  if (place.space == Space::constant) return false;
  if (place.space == Space::param) return !place.root || place.root->kind != SymbolRef::Kind::parameter;
  if (place.space == Space::local || place.space == Space::shared) return true;
  return !slice.carried && address_is_fixed(loop, i);
}

// The conditions to leave are the same in every turn: no register that they are computed from changes, and they look
// at nothing that does. A loop without a way out has no conditions.
bool SpinFinder::is_endless(const Slicer::Slice& slice) const {
  return !slice.carried && std::none_of(slice.instructions.begin(), slice.instructions.end(),
                                        [&](std::uint32_t i) { return may_change(function_.body[i]); });
}

bool SpinFinder::load_waits(std::uint32_t loop, std::uint32_t i, const Slicer::Slice& slice) const {
  const Instruction& inst = function_.body[i];
  const Space space = places_.loaded_place(inst).space;
  if (space == Space::param || space == Space::constant || space == Space::local || inst.d.nc) return false;
  // A strong load decides: somebody else's store is what it is for. A weak one only when nothing else changes from
  // turn to turn.
  if (inst.d.order != Order::weak || inst.has(Modifier::cv)) return true;
  return !slice.carried && polls_weakly(loop, i);
}

// A weak load that finds what others have written meanwhile: always from the same place, in a loop that orders memory,
// as in while (*flag == 0) __threadfence(); So does a barrier, but threads that wait for shared memory between barriers
// wait for their own block, which comes to the barriers as a whole.
bool SpinFinder::polls_weakly(std::uint32_t loop, std::uint32_t i) const {
  const Instruction& inst = function_.body[i];
  if (inst.opcode != Opcode::ld || inst.d.nc) return false;
  const Space space = places_.loaded_place(inst).space;
  if (space == Space::param || space == Space::constant || space == Space::local) return false;
  return address_is_fixed(loop, i) && (orders_memory(loop) || (space != Space::shared && has_barrier(loop)));
}

bool SpinFinder::address_is_fixed(std::uint32_t loop, std::uint32_t i) const {
  return !computed_in(loop, i, 1, steps_through_memory);
}

bool SpinFinder::orders_memory(std::uint32_t loop) const {
  for (std::uint32_t b : cfg_.loops()[loop].blocks)
    for (std::uint32_t i = cfg_.block(b).begin; i < cfg_.block(b).end; ++i) {
      const Opcode opcode = function_.body[i].opcode;
      if (opcode == Opcode::membar || opcode == Opcode::fence || opcode == Opcode::nanosleep) return true;
    }
  return false;
}

bool SpinFinder::has_barrier(std::uint32_t loop) const {
  for (std::uint32_t b : cfg_.loops()[loop].blocks)
    for (std::uint32_t i = cfg_.block(b).begin; i < cfg_.block(b).end; ++i) {
      const Instruction& inst = function_.body[i];
      if ((inst.opcode == Opcode::bar || inst.opcode == Opcode::barrier) && !inst.has(Modifier::warp)) return true;
    }
  return false;
}

// A compare-and-swap that expects what an earlier turn or load found tries again until it wins: somebody always does,
// so nobody waits. One that expects a constant waits until the memory holds it; so does exchange. An operation that
// changes nothing is a load.
bool SpinFinder::atomic_waits(std::uint32_t loop, std::uint32_t i) const {
  const Instruction& inst = function_.body[i];
  if (inst.operands.size() < 3) return false;
  switch (inst.d.reduce) {
    case ReduceOp::exch: return true;
    case ReduceOp::cas: return !computed_in(loop, i, 2, steps_through_memory);
    default: return may_change_nothing(places_, inst);
  }
}

bool SpinFinder::computed_in(std::uint32_t loop, std::uint32_t i, std::uint16_t operand, int depth) const {
  const std::uint32_t web = webs_.use(i, operand);
  if (web == no_web) return false;
  const auto& definitions = slicer_.definitions(web);
  return std::any_of(definitions.begin(), definitions.end(), [&](std::uint32_t d) {
    return cfg_.loop_contains(loop, cfg_.block_of(d)) && !is_literal(d) && !is_same_each_turn(loop, d, depth) &&
           stored_as_computed(loop, d, depth);
  });
}

// Arithmetic on what no turn changes: the address of a variable, made anew in each of them.
bool SpinFinder::is_same_each_turn(std::uint32_t loop, std::uint32_t definition, int depth) const {
  const Instruction& inst = function_.body[definition];
  if (depth == 0 || may_change(inst)) return false;
  for (std::uint16_t operand = 1; operand < inst.operands.size(); ++operand) {
    if (!inst.operands[operand].elements.empty()) return false;
    const std::uint32_t web = webs_.use(definition, operand);
    if (web == no_web) continue;
    for (std::uint32_t d : slicer_.definitions(web))
      if (cfg_.loop_contains(loop, cfg_.block_of(d)) && !is_same_each_turn(loop, d, depth - 1)) return false;
  }
  return true;
}

// True of what is no load from memory of the thread. What lies there is as it was before the loop, unless the loop
// stores something else: arguments of functions that were inlined, and variables in code for a debugger.
bool SpinFinder::stored_as_computed(std::uint32_t loop, std::uint32_t load, int depth) const {
  const Instruction& inst = function_.body[load];
  if (inst.opcode == Opcode::mov && inst.operands[1].kind == OperandKind::reg && depth > 0)
    return computed_in(loop, load, 1, depth - 1);
  if (inst.opcode != Opcode::ld || depth == 0) return true;
  const MemoryPlace from = places_.loaded_place(inst);
  if (from.space != Space::local && from.space != Space::param) return true;
  if (const auto before = stored_just_before(load, from)) return computed_in(loop, *before, 1, depth - 1);
  for (std::uint32_t b : cfg_.loops()[loop].blocks)
    for (std::uint32_t i = cfg_.block(b).begin; i < cfg_.block(b).end; ++i) {
      const Instruction& store = function_.body[i];
      const bool simple = store.opcode == Opcode::st && store.d.vector == 1;
      if (writes(i, from) && (!simple || computed_in(loop, i, 1, depth - 1))) return true;
    }
  return false;
}

bool SpinFinder::writes(std::uint32_t i, const MemoryPlace& place) const {
  const Instruction& inst = function_.body[i];
  bool meets = false;
  for_each_memory_effect(module_, function_, inst, [&](const MemoryEffect& effect) {
    meets |= effect.writes && !effect.handle && may_meet(place, places_.place(inst, effect));
  });
  return meets;
}

// The store in the same block whose value the load finds, with nothing between that may write there.
std::optional<std::uint32_t> SpinFinder::stored_just_before(std::uint32_t load, const MemoryPlace& from) const {
  if (from.whole) return std::nullopt;
  for (std::uint32_t i = load; i-- > cfg_.block(cfg_.block_of(load)).begin;) {
    const Instruction& inst = function_.body[i];
    if (inst.opcode == Opcode::call) return std::nullopt;
    if (!writes(i, from)) continue;
    const bool simple = inst.opcode == Opcode::st && inst.d.vector == 1 && !inst.guard.present;
    if (!simple) return std::nullopt;
    MemoryEffect effect;
    effect.space = space_of(module_, function_, inst, inst.operands[0]);
    if (places_.place(inst, effect) == from) return i;
    return std::nullopt;
  }
  return std::nullopt;
}

// A number, perhaps handed on from register to register as arguments of inlined functions are.
bool SpinFinder::is_literal(std::uint32_t definition, int depth) const {
  const Instruction& inst = function_.body[definition];
  if (inst.opcode != Opcode::mov || depth == 0) return false;
  if (inst.operands[1].kind == OperandKind::integer) return true;
  const std::uint32_t web = webs_.use(definition, 1);
  if (web == no_web) return false;
  const auto& definitions = slicer_.definitions(web);
  return !definitions.empty() &&
         std::all_of(definitions.begin(), definitions.end(), [&](std::uint32_t d) { return is_literal(d, depth - 1); });
}

}  // namespace heddle::ptx::analysis
