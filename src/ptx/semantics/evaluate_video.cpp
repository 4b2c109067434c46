#include "ptx/semantics/evaluate_video.hpp"

#include <string>

#include "heddle/error.hpp"
#include "ptx/selector.hpp"
#include "ptx/semantics/video.hpp"

namespace heddle::ptx::semantics {
namespace {

struct VideoOpcode {
  Opcode opcode;
  VideoOp op;
  std::uint8_t lanes;  // 1: scalar
};
constexpr VideoOpcode video_opcodes[] = {
    {Opcode::vadd, VideoOp::add, 1},          {Opcode::vadd2, VideoOp::add, 2},
    {Opcode::vadd4, VideoOp::add, 4},         {Opcode::vsub, VideoOp::sub, 1},
    {Opcode::vsub2, VideoOp::sub, 2},         {Opcode::vsub4, VideoOp::sub, 4},
    {Opcode::vabsdiff, VideoOp::absdiff, 1},  {Opcode::vabsdiff2, VideoOp::absdiff, 2},
    {Opcode::vabsdiff4, VideoOp::absdiff, 4}, {Opcode::vmin, VideoOp::min, 1},
    {Opcode::vmin2, VideoOp::min, 2},         {Opcode::vmin4, VideoOp::min, 4},
    {Opcode::vmax, VideoOp::max, 1},          {Opcode::vmax2, VideoOp::max, 2},
    {Opcode::vmax4, VideoOp::max, 4},         {Opcode::vset, VideoOp::set, 1},
    {Opcode::vset2, VideoOp::set, 2},         {Opcode::vset4, VideoOp::set, 4},
    {Opcode::vshl, VideoOp::shl, 1},          {Opcode::vshr, VideoOp::shr, 1},
    {Opcode::vavrg2, VideoOp::average, 2},    {Opcode::vavrg4, VideoOp::average, 4},
};

const VideoOpcode* find(Opcode opcode) {
  for (const VideoOpcode& row : video_opcodes)
    if (row.opcode == opcode) return &row;
  return nullptr;
}

[[noreturn]] void refuse(const Instruction& inst, const char* what) {
  throw Error(ErrorCode::unsupported, "line " + std::to_string(inst.where.line) + ": '" +
                                          std::string(name(inst.opcode)) + "' with " + what + " is not supported");
}

const Operand* operand(const Instruction& inst, unsigned i) {
  return i < inst.operands.size() ? &inst.operands[i] : nullptr;
}

VideoPart part_of(const Instruction& inst, unsigned i) {
  const Operand* o = operand(inst, i);
  const unsigned selector = o ? o->selector : 0;
  if (selector == 0) return {32, 0};
  if (selector <= 4) return {8, static_cast<std::uint8_t>(selector - 1)};
  if (selector <= 6) return {16, static_cast<std::uint8_t>(selector - 5)};
  refuse(inst, "this operand selector");
}

VideoSecond second_of(const Instruction& inst) {
  if (inst.has(Modifier::add)) return VideoSecond::add;
  if (inst.has(Modifier::min)) return VideoSecond::min;
  if (inst.has(Modifier::max)) return VideoSecond::max;
  return VideoSecond::none;
}

VideoMode mode_of(const Instruction& inst, VideoOp op) {
  VideoMode mode;
  mode.op = op;
  if (op == VideoOp::set) {
    mode.a_signed = is_signed(inst.d.type);
    mode.b_signed = is_signed(inst.d.type2);
    mode.compare = inst.d.compare;
  } else {
    mode.d_signed = is_signed(inst.d.type);
    mode.a_signed = is_signed(inst.d.type2);
    mode.b_signed = is_signed(inst.d.type3);
  }
  mode.sat = inst.d.sat;
  mode.wrap = inst.has(Modifier::wrap);
  mode.second = second_of(inst);
  return mode;
}

std::uint32_t evaluate_mad(const Instruction& inst, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  VideoMadMode mode;
  mode.a_signed = is_signed(inst.d.type2);
  mode.b_signed = is_signed(inst.d.type3);
  const auto negated = [&](unsigned i) {
    const Operand* o = operand(inst, i);
    return o && o->negated;
  };
  mode.a_negated = negated(1);
  mode.b_negated = negated(2);
  mode.c_negated = negated(3);
  mode.plus_one = inst.has(Modifier::po);
  mode.sat = inst.d.sat;
  mode.shift = inst.has(Modifier::shr7) ? 7 : inst.has(Modifier::shr15) ? 15 : 0;
  return video_mad(mode, a, part_of(inst, 1), b, part_of(inst, 2), c);
}

}  // namespace

unsigned video_lanes(Opcode opcode) {
  const VideoOpcode* row = find(opcode);
  return row ? row->lanes : 1;
}

// The selector names the parts from the highest lane down.
std::array<std::uint8_t, 4> video_parts(const Instruction& inst, unsigned i) {
  const unsigned lanes = video_lanes(inst.opcode), first = i == 1 ? 0 : lanes;
  std::array<std::uint8_t, 4> result{};
  const std::string written = selector_name(inst.operands[i].selector);
  for (unsigned lane = 0; lane < lanes; ++lane) result[lane] = static_cast<std::uint8_t>(first + lane);
  if (written.empty()) return result;
  if (written.size() != lanes + 1u) refuse(inst, "this operand selector");
  for (unsigned lane = 0; lane < lanes; ++lane) result[lane] = static_cast<std::uint8_t>(written[lanes - lane] - '0');
  return result;
}

unsigned video_mask(const Instruction& inst) {
  const unsigned lanes = video_lanes(inst.opcode);
  const std::string written = selector_name(inst.operands[0].selector);
  if (written.empty()) return (1u << lanes) - 1;
  unsigned mask = 0;
  for (char digit : written.substr(1)) mask |= 1u << (digit - '0');
  if (mask >> lanes) refuse(inst, "this destination selector");
  return mask;
}

bool is_video(Opcode opcode) { return opcode == Opcode::vmad || find(opcode) != nullptr; }

std::uint32_t evaluate_video(const Instruction& inst, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  if (inst.opcode == Opcode::vmad) return evaluate_mad(inst, a, b, c);
  const VideoOpcode* row = find(inst.opcode);
  if (!row) throw Error(ErrorCode::internal, "not a video instruction");
  if (row->lanes > 1)
    return video_simd(mode_of(inst, row->op), row->lanes, a, video_parts(inst, 1), b, video_parts(inst, 2), c,
                      video_mask(inst));
  return video_scalar(mode_of(inst, row->op), part_of(inst, 0), a, part_of(inst, 1), b, part_of(inst, 2), c);
}

}  // namespace heddle::ptx::semantics
