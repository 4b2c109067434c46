#include "ptx/analysis/effects/memory_effect.hpp"

namespace heddle::ptx::analysis {
namespace {

// Address operands in order; at most four.
struct Addresses {
  std::uint16_t operands[4] = {};
  unsigned count = 0;
  explicit Addresses(const Instruction& inst) {
    for (std::uint16_t i = 0; i < inst.operands.size() && count < 4; ++i)
      if (inst.operands[i].kind == OperandKind::address) operands[count++] = i;
  }
};

// Asynchronous copies: [destination], [source], [barrier]; with a tensor map one of the first two is its address.
void copy_effects(const Instruction& inst, const Addresses& addresses, detail::EffectList& list) {
  // The spaces as written, in order: destination first. A prefetch has only a source.
  Space spaces[2] = {Space::shared, Space::shared};
  unsigned written = 0;
  bool tensor = false, prefetch = false, reduces = false;
  for (Modifier m : inst.modifiers) {
    if (m == Modifier::tensor) tensor = true;
    if (m == Modifier::prefetch) prefetch = true;
    if (m == Modifier::reduce) reduces = true;
    const bool shared = m == Modifier::shared || m == Modifier::shared_cta || m == Modifier::shared_cluster;
    if (written < 2 && (shared || m == Modifier::global)) spaces[written++] = shared ? Space::shared : Space::global;
  }
  if (prefetch || addresses.count < 2) return;
  const bool to_global = spaces[0] == Space::global;
  list.add({addresses.operands[0], spaces[0], reduces, true, tensor && to_global});
  list.add({addresses.operands[1], spaces[1], true, false, tensor && !to_global});
  if (addresses.count > 2) list.add({addresses.operands[2], Space::shared, true, true});
}

// Textures are read; surfaces too, or written, or both.
void texture_effects(const Instruction& inst, std::uint16_t handle, detail::EffectList& list) {
  const Opcode op = inst.opcode;
  const bool reads = op == Opcode::tex || op == Opcode::tld4 || op == Opcode::suld || op == Opcode::sured;
  const bool writes = op == Opcode::sust || op == Opcode::sured;
  if (reads || writes) list.add({handle, Space::global, reads, writes, false, true});
}

}  // namespace

namespace detail {

EffectList memory_effects(const Instruction& inst) {
  EffectList list;
  const Addresses addresses(inst);
  if (addresses.count == 0) return list;
  const std::uint16_t first = addresses.operands[0];
  const Space space = inst.d.space;
  const auto all = [&](bool reads, bool writes, Space where) {
    for (unsigned i = 0; i < addresses.count; ++i) list.add({addresses.operands[i], where, reads, writes});
  };
  switch (inst.opcode) {
    case Opcode::ld:
    case Opcode::ldu: list.add({first, space, true, false}); break;
    case Opcode::st:
      list.add({first, space, false, true});
      if (addresses.count > 1) list.add({addresses.operands[1], Space::shared, true, true});
      break;
    case Opcode::atom: list.add({first, space, true, true}); break;
    case Opcode::red:
      list.add({first, space, true, true});
      if (addresses.count > 1) list.add({addresses.operands[1], Space::shared, true, true});
      break;
    case Opcode::discard: list.add({first, Space::global, false, true}); break;
    case Opcode::cp: copy_effects(inst, addresses, list); break;
    case Opcode::mbarrier:
    case Opcode::clusterlaunchcontrol: all(true, true, Space::shared); break;
    case Opcode::ldmatrix: all(true, false, Space::shared); break;
    case Opcode::stmatrix: all(false, true, Space::shared); break;
    case Opcode::wmma: all(inst.has(Modifier::load), !inst.has(Modifier::load), space); break;
    case Opcode::multimem:
      list.add({first, Space::global, !inst.has(Modifier::st), !inst.has(Modifier::ld_reduce)});
      break;
    case Opcode::tensormap: all(true, true, space); break;
    default: texture_effects(inst, first, list);
  }
  return list;
}

}  // namespace detail

Space space_of(const Module& module, const Function& function, const Instruction& inst, const Operand& address) {
  if (inst.d.space != Space::generic || address.base != OperandKind::symbol) return inst.d.space;
  switch (address.symbol.kind) {
    case SymbolRef::Kind::module_variable: return module.variables[address.symbol.index].space;
    case SymbolRef::Kind::local_variable: return function.variables[address.symbol.index].space;
    case SymbolRef::Kind::parameter:
    case SymbolRef::Kind::return_parameter: return Space::param;
    default: return Space::generic;
  }
}

bool is_atomic(const Instruction& inst) {
  if (inst.opcode == Opcode::atom || inst.opcode == Opcode::red || inst.opcode == Opcode::sured) return true;
  return inst.opcode == Opcode::multimem && inst.has(Modifier::red);
}

}  // namespace heddle::ptx::analysis
