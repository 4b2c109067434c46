#include "device/cpu/codegen/access_pattern.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "ptx/analysis/effects/memory_effect.hpp"

namespace heddle::device::cpu {

using namespace ptx::analysis;
using ptx::Opcode;
using ptx::Space;

namespace {

// Steps from lane to lane up to this many bytes read a few whole vectors.
constexpr std::int64_t near_step = 16;

std::optional<unsigned> address_operand(const ptx::Instruction& inst) {
  if (inst.opcode == Opcode::ld || inst.opcode == Opcode::ldu) return 1;
  if (inst.opcode == Opcode::st) return 0;
  return std::nullopt;
}

bool is_scattered(const LaneValue& address) {
  if (address.kind == LaneValue::Kind::none || address.uniform()) return false;
  if (!address.strided()) return true;
  std::int64_t spread = 0, lane_distances = 0;
  for (unsigned bit = 0; bit < lane_bits; ++bit) {
    spread += std::llabs(address.steps[bit]);
    if (address.steps[bit] != 0) lane_distances += std::int64_t{1} << bit;
  }
  return spread > near_step * lane_distances;
}

unsigned depth_of(const ControlFlowGraph& cfg, std::uint32_t loop) {
  unsigned depth = 0;
  for (; loop != no_node; loop = cfg.loops()[loop].parent) ++depth;
  return depth;
}

bool lanes_diverge_in(const ControlFlowGraph& cfg, const Uniformity& uniformity, std::uint32_t loop) {
  for (std::uint32_t block : cfg.loops()[loop].blocks) {
    if (!uniformity.divergent(block)) continue;
    for (std::uint32_t next : cfg.successors(block))
      if (!cfg.loop_contains(loop, next)) return true;
  }
  return false;
}

}  // namespace

AccessPattern access_pattern(const ptx::Module& module, const ptx::Function& function, const ControlFlowGraph& cfg,
                             const Webs& webs, const Uniformity& uniformity) {
  AccessPattern pattern;
  unsigned deepest = 0;
  for (std::uint32_t b : cfg.order()) {
    const std::uint32_t loop = cfg.loop_of(b);
    const unsigned depth = depth_of(cfg, loop);
    if (depth == 0 || depth < deepest) continue;
    for (std::uint32_t i = cfg.block(b).begin; i < cfg.block(b).end; ++i) {
      const ptx::Instruction& inst = function.body[i];
      const auto operand = address_operand(inst);
      if (!operand) continue;
      const Space space = space_of(module, function, inst, inst.operands[*operand]);
      if (space == Space::param || space == Space::local) continue;
      if (depth > deepest) pattern = {}, deepest = depth;
      const std::uint32_t base = webs.use(i, static_cast<std::uint16_t>(*operand));
      if (base == no_web || !is_scattered(uniformity.value(base))) {
        ++pattern.together;
      } else {
        ++pattern.scattered;
        pattern.lanes_diverge |= lanes_diverge_in(cfg, uniformity, loop);
      }
    }
  }
  return pattern;
}

}  // namespace heddle::device::cpu
