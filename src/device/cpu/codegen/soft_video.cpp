#include "device/cpu/codegen/soft_video.hpp"

#include <string>

#include "ptx/selector.hpp"
#include "ptx/semantics/evaluate_video.hpp"

namespace heddle::device::cpu {
namespace {

using ptx::Modifier;

// Places in SoftCode::extra. SIMD forms keep the lanes they compute in the selectors' place: the caller has arranged
// the parts of a and b.
constexpr unsigned compare_place = 1, selector_place = 6, selector_bits = 3, negated_place = 15, modifier_place = 18;
constexpr Modifier modifiers[] = {Modifier::wrap, Modifier::add,  Modifier::min,  Modifier::max,
                                  Modifier::po,   Modifier::shr7, Modifier::shr15};
static_assert(modifier_place + std::size(modifiers) <= 28);

// A destination selector that names the lanes of `mask`.
std::uint16_t selector_of_mask(unsigned mask, unsigned lanes) {
  std::string name(1, lanes == 2 ? 'h' : 'b');
  for (unsigned lane = lanes; lane-- > 0;)
    if ((mask >> lane) & 1) name += static_cast<char>('0' + lane);
  return ptx::selector_from_name(name);
}

}  // namespace

SoftCode video_code(const ptx::Instruction& inst) {
  SoftCode code;
  code.opcode = inst.opcode;
  code.type = inst.d.type;
  code.type2 = inst.d.type2;
  code.sat = inst.d.sat;
  code.extra = ptx::is_signed(inst.d.type3) ? 1 : 0;
  code.extra |= static_cast<std::uint32_t>(inst.d.compare) << compare_place;
  const bool simd = ptx::semantics::video_lanes(inst.opcode) > 1;
  if (simd) code.extra |= ptx::semantics::video_mask(inst) << selector_place;
  for (unsigned i = 0; i < 4 && i < inst.operands.size(); ++i) {
    const std::uint32_t selector = inst.operands[i].selector;
    if (i < 3 && !simd) code.extra |= selector << (selector_place + selector_bits * i);
    if (i > 0 && inst.operands[i].negated) code.extra |= 1u << (negated_place + i - 1);
  }
  for (unsigned i = 0; i < std::size(modifiers); ++i)
    if (inst.has(modifiers[i])) code.extra |= 1u << (modifier_place + i);
  return code;
}

ptx::Instruction video_instruction(const SoftCode& code) {
  ptx::Instruction inst;
  inst.opcode = code.opcode;
  inst.d.type = code.type;
  inst.d.type2 = code.type2;
  inst.d.type3 = code.extra & 1 ? ptx::Type::s32 : ptx::Type::u32;
  inst.d.sat = code.sat;
  inst.d.compare = static_cast<ptx::Compare>((code.extra >> compare_place) & 0x1f);
  inst.operands.resize(4);
  const unsigned lanes = ptx::semantics::video_lanes(inst.opcode);
  const unsigned mask = (code.extra >> selector_place) & ((1u << lanes) - 1);
  for (unsigned i = 0; i < 4; ++i) {
    inst.operands[i].kind = ptx::OperandKind::reg;
    if (i < 3 && lanes == 1) inst.operands[i].selector = (code.extra >> (selector_place + selector_bits * i)) & 7;
    if (i > 0) inst.operands[i].negated = (code.extra >> (negated_place + i - 1)) & 1;
  }
  if (lanes > 1) inst.operands[0].selector = selector_of_mask(mask, lanes);
  for (unsigned i = 0; i < std::size(modifiers); ++i)
    if ((code.extra >> (modifier_place + i)) & 1) inst.modifiers.push_back(modifiers[i]);
  return inst;
}

}  // namespace heddle::device::cpu
