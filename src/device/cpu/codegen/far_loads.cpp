#include "device/cpu/codegen/far_loads.hpp"

#include <algorithm>

namespace heddle::device::cpu {

using ptx::Instruction;
using ptx::Opcode;
using ptx::Operand;
using ptx::Space;

namespace {

bool is_grid_extent(const Operand& operand) {
  using S = ptx::SpecialRegister;
  return operand.kind == ptx::OperandKind::special &&
         (operand.special == S::nctaid_x || operand.special == S::nctaid_y || operand.special == S::nctaid_z);
}

bool is_arithmetic(Opcode opcode) {
  switch (opcode) {
    case Opcode::mov:
    case Opcode::cvt:
    case Opcode::mul:
    case Opcode::mad:
    case Opcode::shl:
    case Opcode::add: return true;
    default: return false;
  }
}

class FarLoads {
 public:
  FarLoads(const ptx::Function& function, const ptx::analysis::ControlFlowGraph& cfg,
           const std::vector<std::uint32_t>& definition)
      : function_(function), cfg_(cfg), definition_(definition) {}

  std::vector<bool> find() {
    std::vector<bool> result(function_.body.size(), false);
    std::vector<bool> steps_far(cfg_.loops().size(), false);
    const auto each = [&](const auto& visit) {
      for (std::uint32_t b : cfg_.order())
        if (const std::uint32_t loop = cfg_.loop_of(b); loop != ptx::analysis::no_node)
          for (std::uint32_t i = cfg_.block(b).begin; i < cfg_.block(b).end; ++i) visit(loop, i);
    };
    each([&](std::uint32_t loop, std::uint32_t i) {
      if (is_step(function_.body[i], loop)) steps_far[loop] = true;
    });
    each([&](std::uint32_t loop, std::uint32_t i) {
      result[i] = steps_far[loop] && is_moving_load(function_.body[i], loop);
    });
    return result;
  }

 private:
  // Adds what comes from the extent of the grid, and was computed before the loop.
  bool is_step(const Instruction& inst, std::uint32_t loop) const {
    return inst.opcode == Opcode::add &&
           std::any_of(inst.operands.begin() + 1, inst.operands.end(), [&](const Operand& operand) {
             return operand.is_reg() && !is_defined_in(operand.index, loop) && comes_from_grid(operand.index);
           });
  }
  bool comes_from_grid(std::uint32_t reg, unsigned steps = 8) const {
    const std::uint32_t at = definition_[reg];
    if (at == ~0u || steps == 0 || !is_arithmetic(function_.body[at].opcode)) return false;
    const auto& operands = function_.body[at].operands;
    return std::any_of(operands.begin() + 1, operands.end(), [&](const Operand& operand) {
      return is_grid_extent(operand) || (operand.is_reg() && comes_from_grid(operand.index, steps - 1));
    });
  }
  // Registers with several definitions change in some loop: here they count as changing in this one.
  bool is_defined_in(std::uint32_t reg, std::uint32_t loop) const {
    const std::uint32_t at = definition_[reg];
    return at == ~0u || cfg_.loop_contains(loop, cfg_.block_of(at));
  }
  bool is_moving_load(const Instruction& inst, std::uint32_t loop) const {
    if (inst.opcode != Opcode::ld && inst.opcode != Opcode::ldu) return false;
    const bool global = inst.d.space == Space::global || inst.d.space == Space::generic;
    const Operand& from = inst.operands[1];
    return global && from.base == ptx::OperandKind::reg && is_defined_in(from.index, loop);
  }

  const ptx::Function& function_;
  const ptx::analysis::ControlFlowGraph& cfg_;
  const std::vector<std::uint32_t>& definition_;
};

}  // namespace

std::vector<bool> find_far_loads(const ptx::Function& function, const ptx::analysis::ControlFlowGraph& cfg,
                                 const std::vector<std::uint32_t>& definition) {
  return FarLoads(function, cfg, definition).find();
}

}  // namespace heddle::device::cpu
