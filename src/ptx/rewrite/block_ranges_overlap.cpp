#include "ptx/rewrite/block_ranges_overlap.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "ptx/rewrite/block_ranges_refusal.hpp"

namespace heddle::ptx {
namespace {

using S = SpecialRegister;

constexpr unsigned least_target = 90, least_version = 78, oldest_target = 70, oldest_version = 64;
constexpr Modifier u32 = modifier_of(Type::u32);

// The number of a target like "sm_90a".
std::optional<unsigned> target_number(const std::string& name) {
  unsigned number = 0;
  if (!name.starts_with("sm_")) return std::nullopt;
  std::from_chars(name.data() + 3, name.data() + name.size(), number);
  return number;
}

unsigned version(const Module& module) { return module.version_major * 10 + module.version_minor; }

Operand reg(std::uint32_t index) { return Operand::make_reg(index); }

}  // namespace

bool may_overlap(const Module& module, const RangeFacts& facts, std::uint32_t entry) {
  const analysis::BlockIndependence& blocks = facts.blocks[entry];
  if (blocks.order != analysis::BlockOrder::independent || blocks.whole_clusters) return false;
  const auto functions = functions_run(facts, entry);
  return std::none_of(functions.begin(), functions.end(), [&](std::uint32_t f) {
    const auto& body = module.functions[f].body;
    return std::any_of(body.begin(), body.end(),
                       [](const Instruction& inst) { return inst.opcode == Opcode::griddepcontrol; });
  });
}

bool can_raise_target(const Module& module) {
  if (version(module) < oldest_version) return false;
  bool found = false;
  for (const std::string& name : module.targets) {
    if (name == "map_f64_to_f32") return false;
    if (const auto number = target_number(name)) {
      if (*number < oldest_target) return false;
      found = true;
    }
  }
  return found;
}

void raise_target(Module& module) {
  for (std::string& name : module.targets)
    if (const auto number = target_number(name); number && *number < least_target) name = "sm_90";
  if (version(module) >= least_version) return;
  module.version_major = least_version / 10;
  module.version_minor = least_version % 10;
}

void emit_overlap(BodyEditor& editor, RangeForm form, const HiddenIndices& hidden) {
  // The block's number in the grid that is launched, not in the kernel's.
  std::uint32_t number = editor.read(S::ctaid_x);
  if (form == RangeForm::box) {
    const auto multiply_add = [&](std::uint32_t a, S b, std::uint32_t c) {
      return editor.compute(Type::b32, Opcode::mad, {Modifier::lo, u32}, {reg(a), reg(editor.read(b)), reg(c)});
    };
    const std::uint32_t row = multiply_add(editor.read(S::ctaid_z), S::nctaid_y, editor.read(S::ctaid_y));
    number = multiply_add(row, S::nctaid_x, number);
  }
  const std::uint32_t late = emit_hidden(editor, hidden, HiddenValue::late);
  const std::uint32_t is_late =
      editor.compute(Type::pred, Opcode::setp, {Modifier::ge, u32}, {{}, reg(number), reg(late)});
  // One thread of a block speaks for it.
  const std::uint32_t thread = editor.read(S::tid_x);
  const std::uint32_t speaks = editor.compute(Type::pred, Opcode::setp, {Modifier::eq, Modifier::and_, u32},
                                              {{}, reg(thread), Operand::make_integer(0), reg(is_late)});
  editor.emit_if(speaks, true, make_instruction(Opcode::griddepcontrol, {Modifier::launch_dependents}, {}));
  const std::uint32_t first =
      editor.compute(Type::pred, Opcode::setp, {Modifier::eq, u32}, {{}, reg(number), Operand::make_integer(0)});
  editor.emit_if(first, true, make_instruction(Opcode::griddepcontrol, {Modifier::wait}, {}));
}

}  // namespace heddle::ptx
