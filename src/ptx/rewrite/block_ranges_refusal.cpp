#include "ptx/rewrite/block_ranges_refusal.hpp"

#include <algorithm>

#include "ptx/analysis/instruction_text.hpp"
#include "ptx/rewrite/inline_calls.hpp"

namespace heddle::ptx {
namespace {

using analysis::BlockIndependence;
using analysis::BlockOrder;
using Refusal = std::optional<std::string>;

// Calls f(function, instruction) for each instruction that the entry may run, until it gives something.
template <class F>
Refusal first_of(const RangeContext& c, std::uint32_t entry, F&& f) {
  for (std::uint32_t function : functions_run(c.facts, entry))
    for (std::uint32_t i = 0; i < c.module.functions[function].body.size(); ++i)
      if (Refusal refusal = f(function, i)) return refusal;
  return std::nullopt;
}

Refusal refuse_dependence(const RangeContext& c, std::uint32_t entry) {
  const BlockIndependence& blocks = c.facts.blocks[entry];
  if (blocks.order != BlockOrder::cooperative && blocks.order != BlockOrder::unknown) return std::nullopt;
  return describe_place(c.module, blocks.function, blocks.instruction) + " " + blocks.reason +
         (blocks.order == BlockOrder::cooperative ? ": all blocks must be resident together."
                                                  : ": what its blocks do to one another is not known.");
}

bool reads_grid_workspace(const Operand& operand) {
  if (operand.kind == OperandKind::special)
    return operand.special == SpecialRegister::envreg1 || operand.special == SpecialRegister::envreg2;
  return std::any_of(operand.elements.begin(), operand.elements.end(), reads_grid_workspace);
}

Refusal refuse_grid_workspace(const RangeContext& c, std::uint32_t entry) {
  return first_of(c, entry, [&](std::uint32_t function, std::uint32_t i) -> Refusal {
    const std::vector<Operand>& operands = c.module.functions[function].body[i].operands;
    if (std::none_of(operands.begin(), operands.end(), reads_grid_workspace)) return std::nullopt;
    return describe_place(c.module, function, i) +
           " reads the address of the grid's workspace, through which all blocks of a cooperative launch wait for one "
           "another.";
  });
}

// Added entries are copies; what a function's own .global variable holds would no longer be one thing.
Refusal refuse_variables(const RangeContext& c, std::uint32_t entry) {
  for (std::uint32_t f : functions_run(c.facts, entry)) {
    if (f != entry && c.needed[f].none()) continue;
    for (const Variable& variable : c.module.functions[f].variables)
      if (variable.space == Space::global)
        return "The variable " + variable.name + " in line " + std::to_string(variable.line) +
               " is .global memory of " + c.module.functions[f].name +
               " alone, of which a copy of that function would have another.";
  }
  return std::nullopt;
}

Refusal refuse_indirect_calls(const RangeContext& c, std::uint32_t entry) {
  for (std::uint32_t f : functions_run(c.facts, entry)) {
    const Function& function = c.module.functions[f];
    for (std::uint32_t i : c.facts.waiting[f].indirect_calls)
      for (std::uint32_t callee : analysis::possible_callees(c.module, function, function.body[i]))
        if (c.needed[callee].any())
          return describe_place(c.module, f, i) + " may call " + c.module.functions[callee].name +
                 ", which reads block numbers or the grid's extents and cannot be given others through a pointer.";
  }
  return std::nullopt;
}

Refusal refuse_clusters(const RangeContext& c, std::uint32_t entry, RangeForm form) {
  const Function& function = c.module.functions[entry];
  if (function.directive("blocksareclusters"))
    return "The kernel " + function.name + " in line " + std::to_string(function.line) +
           " is .blocksareclusters: its launches count clusters, not blocks.";
  const BlockIndependence& blocks = c.facts.blocks[entry];
  if (!blocks.whole_clusters || form == RangeForm::box || form == RangeForm::prelude) return std::nullopt;
  const std::string what = form == RangeForm::pool ? "persistent blocks are not" : "a grid of one dimension is not";
  if (blocks.function != analysis::no_node && blocks.order == BlockOrder::independent)
    return describe_place(c.module, blocks.function, blocks.instruction) + " " + blocks.reason + ", which " + what +
           " in.";
  return "The kernel " + function.name + " in line " + std::to_string(function.line) +
         " works with the other blocks of its cluster, which " + what + " in.";
}

}  // namespace

std::string describe_place(const Module& module, std::uint32_t function, std::uint32_t instruction) {
  const Function& f = module.functions[function];
  std::string text = analysis::describe_instruction(f, instruction);
  const std::uint32_t number = f.body[instruction].where.loc;
  if (number == 0 || number > f.locs.size()) return text;
  const Loc& loc = f.locs[number - 1];
  const auto file = std::find_if(module.files.begin(), module.files.end(),
                                 [&](const SourceFile& source) { return source.index == loc.file; });
  if (file == module.files.end()) return text + " (source line " + std::to_string(loc.line) + ")";
  return text + " (" + file->name + ":" + std::to_string(loc.line) + ")";
}

std::vector<std::uint32_t> functions_run(const RangeFacts& facts, std::uint32_t entry) {
  std::vector<std::uint32_t> functions{entry};
  for (std::uint32_t f : facts.waiting[entry].functions)
    if (f != entry) functions.push_back(f);
  return functions;
}

std::optional<std::string> find_range_refusal(const RangeContext& context, std::uint32_t entry, RangeForm form) {
  if (Refusal refusal = refuse_dependence(context, entry)) return refusal;
  if (Refusal refusal = refuse_grid_workspace(context, entry)) return refusal;
  if (Refusal refusal = refuse_clusters(context, entry, form)) return refusal;
  const bool copied = form != RangeForm::box || context.needed[entry].any();
  if (copied)
    if (Refusal refusal = refuse_variables(context, entry)) return refusal;
  return form == RangeForm::prelude ? std::nullopt : refuse_indirect_calls(context, entry);
}

}  // namespace heddle::ptx
