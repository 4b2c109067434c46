#include "device/cpu/codegen/streaming.hpp"

#include <optional>
#include <set>

#include "ptx/type.hpp"

namespace heddle::device::cpu {

using ptx::Instruction;
using ptx::Opcode;
using ptx::Operand;
using ptx::OperandKind;
using ptx::Space;

namespace {

class ParameterFinder {
 public:
  ParameterFinder(const ptx::Function& function, const std::vector<std::uint32_t>& definition)
      : function_(function), definition_(definition) {}

  // The pointer parameter that an address in a register was computed from.
  std::optional<std::uint32_t> of_register(std::uint32_t reg, unsigned steps = 24) const {
    const std::uint32_t at = definition_[reg];
    if (at == ~0u || steps == 0) return std::nullopt;
    const Instruction& inst = function_.body[at];
    switch (inst.opcode) {
      case Opcode::ld: {
        const Operand& from = inst.operands[1];
        const bool parameter = inst.d.space == Space::param && from.base == OperandKind::symbol &&
                               from.symbol.kind == ptx::SymbolRef::Kind::parameter && ptx::bit_width(inst.d.type) == 64;
        return parameter ? std::optional(from.symbol.index) : std::nullopt;
      }
      case Opcode::mov:
      case Opcode::cvta: return of_operand(inst.operands[1], steps - 1);
      case Opcode::add: {
        const auto first = of_operand(inst.operands[1], steps - 1);
        return first ? first : of_operand(inst.operands[2], steps - 1);
      }
      case Opcode::mad: return of_operand(inst.operands[3], steps - 1);
      default: return std::nullopt;
    }
  }

 private:
  std::optional<std::uint32_t> of_operand(const Operand& operand, unsigned steps) const {
    return operand.is_reg() ? of_register(operand.index, steps) : std::nullopt;
  }

  const ptx::Function& function_;
  const std::vector<std::uint32_t>& definition_;
};

bool orders_memory(Opcode opcode) {
  switch (opcode) {
    case Opcode::atom:
    case Opcode::red:
    case Opcode::tex:  // reads and writes memory that no address shows
    case Opcode::tld4:
    case Opcode::suld:
    case Opcode::sust:
    case Opcode::sured:
    case Opcode::membar:
    case Opcode::fence:
    case Opcode::bar:
    case Opcode::barrier:
    case Opcode::call:
    case Opcode::nanosleep: return true;
    default: return false;
  }
}

}  // namespace

StreamingStores find_streaming_stores(const ptx::Function& function, const std::vector<std::uint32_t>& definition,
                                      bool has_loops) {
  StreamingStores result;
  result.stores.assign(function.body.size(), false);
  if (has_loops || !function.is_entry) return result;
  const ParameterFinder finder(function, definition);
  std::set<std::uint32_t> read;
  for (const Instruction& inst : function.body) {
    if (orders_memory(inst.opcode)) return result;
    const bool load = inst.opcode == Opcode::ld || inst.opcode == Opcode::ldu;
    if (!load || inst.d.space == Space::param || inst.operands[1].base != OperandKind::reg) continue;
    if (const auto parameter = finder.of_register(inst.operands[1].index)) read.insert(*parameter);
  }
  for (std::size_t i = 0; i < function.body.size(); ++i) {
    const Instruction& inst = function.body[i];
    const bool plain = inst.opcode == Opcode::st && inst.d.order == ptx::Order::weak &&
                       (inst.d.space == Space::global || inst.d.space == Space::generic);
    if (!plain || inst.operands[0].base != OperandKind::reg) continue;
    const auto parameter = finder.of_register(inst.operands[0].index);
    if (!parameter || read.count(*parameter)) continue;
    result.stores[i] = true;
    result.bytes_of_thread += ptx::byte_size(inst.d.type) * inst.d.vector;
  }
  return result;
}

}  // namespace heddle::device::cpu
