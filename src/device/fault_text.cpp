#include "device/fault_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/format.hpp"
#include "base/source_lines.hpp"
#include "ptx/rewrite/inline_calls.hpp"

namespace heddle::device {
namespace {

using Kind = ptx::SymbolRef::Kind;

bool is_octal(char c) { return c >= '0' && c <= '7'; }

// Only what is no plain ASCII: control characters stay escaped, since messages go to terminals.
std::string displayed(std::string_view name) {
  std::string text;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '\\' && name.size() - i > 3 && name[i + 1] >= '2' && name[i + 1] <= '3' && is_octal(name[i + 2]) &&
        is_octal(name[i + 3])) {
      text += static_cast<char>((name[i + 1] - '0') * 64 + (name[i + 2] - '0') * 8 + (name[i + 3] - '0'));
      i += 3;
    } else if (name[i] == '\\' && i + 1 < name.size() && (name[i + 1] == '\\' || name[i + 1] == '"')) {
      text += name[++i];
    } else {
      text += name[i];
    }
  }
  return text;
}

std::string file_name(const ptx::Module& module, std::uint32_t index) {
  const auto file =
      std::find_if(module.files.begin(), module.files.end(), [&](const auto& f) { return f.index == index; });
  return file != module.files.end() ? displayed(file->name) : fmt::format("file {}", index);
}

void visit_symbols(const ptx::Operand& operand, const auto& visit) {
  if (operand.kind == ptx::OperandKind::symbol || operand.base == ptx::OperandKind::symbol) visit(operand.symbol);
  for (const ptx::Operand& element : operand.elements) visit_symbols(element, visit);
}

// The kernel and the functions that it may call.
std::vector<const ptx::Function*> reached(const ptx::Module& module, const ptx::Function& kernel) {
  std::vector<const ptx::Function*> found = {&kernel};
  for (const std::uint32_t callee : ptx::remaining_callees(module, kernel)) found.push_back(&module.functions[callee]);
  return found;
}

bool calls(const ptx::Module& module, const ptx::Instruction& inst, const ptx::Function& function) {
  if (inst.opcode != ptx::Opcode::call) return false;
  bool found = false;
  for (const ptx::Operand& operand : inst.operands)
    visit_symbols(operand, [&](const ptx::SymbolRef& symbol) {
      found |=
          symbol.kind == Kind::function && &module.functions[ptx::definition_of(module, symbol.index)] == &function;
    });
  return found;
}

bool is_dynamic_shared(const ptx::Variable& variable) {
  return variable.space == ptx::Space::shared &&
         (variable.unsized() || (variable.linkage == ptx::Linkage::external && variable.size() == 0));
}

bool names_dynamic_shared(const ptx::Module& module, const ptx::Function& function, const ptx::Operand& operand) {
  if (operand.kind == ptx::OperandKind::special && operand.special == ptx::SpecialRegister::dynamic_smem_size)
    return true;
  bool found = false;
  visit_symbols(operand, [&](const ptx::SymbolRef& symbol) {
    if (symbol.kind == Kind::module_variable) found |= is_dynamic_shared(module.variables[symbol.index]);
    if (symbol.kind == Kind::local_variable) found |= is_dynamic_shared(function.variables[symbol.index]);
  });
  return found;
}

// The line of the program's own that stands last before the code of a header's: "; near a.cu:9".
std::string near_program(const ptx::Module& module, const ptx::Function& function, std::uint32_t loc) {
  if (!base::is_library_source(file_name(module, function.locs[loc - 1].file))) return {};
  while (--loc > 0) {
    const ptx::Loc& before = function.locs[loc - 1];
    const std::string file = file_name(module, before.file);
    if (before.line != 0 && !base::is_library_source(file)) return fmt::format(", near {}:{}", file, before.line);
  }
  return {};
}

}  // namespace

std::string source_place(const ptx::Module& module, const ptx::Function& function, std::uint32_t loc) {
  if (loc == 0 || loc > function.locs.size()) return "";
  const ptx::Loc& at = function.locs[loc - 1];
  const auto known = [&](const ptx::Loc& other) { return other.file == at.file && other.line != 0; };
  std::string text = file_name(module, at.file);
  if (at.line != 0) {
    text += fmt::format(":{}", at.line);
  } else {
    std::uint32_t before = loc;
    while (before > 0 && !known(function.locs[before - 1])) --before;
    if (before > 0) text = fmt::format("near {}:{}", text, function.locs[before - 1].line);
  }
  if (at.inlined_line != 0)
    return text + fmt::format(", inlined at {}:{}", file_name(module, at.inlined_file), at.inlined_line);
  return text + near_program(module, function, loc);
}

std::string call_places(const ptx::Module& module, const ptx::Function& kernel, const ptx::Function& function) {
  constexpr std::size_t shown = 4;
  std::vector<std::string> places;
  for (const ptx::Function* caller : reached(module, kernel))
    for (const ptx::Instruction& inst : caller->body) {
      if (!calls(module, inst, function)) continue;
      std::string at = source_place(module, *caller, inst.where.loc);
      if (at.empty()) at = fmt::format("PTX line {}", inst.where.line);
      if (std::find(places.begin(), places.end(), at) == places.end()) places.push_back(std::move(at));
    }
  std::string text;
  for (std::size_t i = 0; i < places.size() && i < shown; ++i) text += (i == 0 ? "" : " or ") + places[i];
  return places.size() > shown ? text + " or elsewhere" : text;
}

std::string dynamic_shared_hint(const ptx::Module& module, const ptx::Function& kernel, std::uint32_t given) {
  for (const ptx::Function* function : reached(module, kernel))
    for (const ptx::Instruction& inst : function->body)
      for (const ptx::Operand& operand : inst.operands)
        if (names_dynamic_shared(module, *function, operand))
          return fmt::format("; the kernel uses dynamic shared memory, and the launch gave it {}",
                             base::counted(given, "byte"));
  return "";
}

}  // namespace heddle::device
