#include "ptx/ir.hpp"

#include <algorithm>

namespace heddle::ptx {

std::uint64_t Variable::size() const {
  std::uint64_t bytes = std::uint64_t{byte_size(type)} * vector;
  for (std::uint64_t dim : dims) bytes *= dim;
  return bytes;
}

std::uint32_t Variable::alignment() const {
  // A vector is aligned to its size, an array to its element.
  const std::uint32_t natural = std::max(1u, byte_size(type) * vector);
  return align != 0 ? align : natural;
}

bool operator==(const Variable& a, const Variable& b) {
  return a.name == b.name && a.space == b.space && a.type == b.type && a.vector == b.vector && a.dims == b.dims &&
         a.align == b.align && a.linkage == b.linkage && a.is_pointer == b.is_pointer &&
         a.pointer_space == b.pointer_space && a.pointer_align == b.pointer_align && a.managed == b.managed &&
         a.unified == b.unified && a.init == b.init && a.opaque_init == b.opaque_init;
}

const FunctionDirective* Function::directive(std::string_view directive_name) const {
  const auto found = std::find_if(directives.begin(), directives.end(),
                                  [&](const FunctionDirective& d) { return d.name == directive_name; });
  return found == directives.end() ? nullptr : &*found;
}

const Function* Module::find(std::string_view function_name) const {
  const auto found =
      std::find_if(functions.begin(), functions.end(), [&](const Function& f) { return f.name == function_name; });
  return found == functions.end() ? nullptr : &*found;
}

namespace {

bool same_body(const Function& a, const Function& b) {
  return std::equal(a.body.begin(), a.body.end(), b.body.begin(), b.body.end(),
                    [](const Instruction& x, const Instruction& y) { return x == y && x.where.loc == y.where.loc; });
}

}  // namespace

bool equal(const Function& a, const Function& b) {
  return a.name == b.name && a.is_entry == b.is_entry && a.is_declaration == b.is_declaration &&
         a.noreturn == b.noreturn && a.linkage == b.linkage && a.unified == b.unified && a.returns == b.returns &&
         a.parameters == b.parameters && a.return_registers == b.return_registers &&
         a.parameter_registers == b.parameter_registers && a.directives == b.directives &&
         a.entry_pragmas == b.entry_pragmas && a.registers == b.registers && a.variables == b.variables &&
         a.labels == b.labels && a.tables == b.tables && a.locs == b.locs && a.pragmas == b.pragmas && same_body(a, b);
}

bool equal(const Module& a, const Module& b) {
  return a.version_major == b.version_major && a.version_minor == b.version_minor && a.targets == b.targets &&
         a.address_size == b.address_size && a.files == b.files && a.variables == b.variables &&
         std::equal(a.functions.begin(), a.functions.end(), b.functions.begin(), b.functions.end(),
                    [](const Function& x, const Function& y) { return equal(x, y); }) &&
         a.aliases == b.aliases && a.module_pragmas == b.module_pragmas && a.sections == b.sections;
}

bool has_address_size_directive(const Module& module) {
  return module.version_major * 100 + module.version_minor >= 203;
}

unsigned used_address_size(const Module& module) {
  for (const Function& function : module.functions)
    for (const Instruction& inst : function.body)
      for (const Operand& operand : inst.operands)
        if (operand.kind == OperandKind::address && operand.base == OperandKind::reg)
          return byte_size(function.registers[operand.index].type) == 8 ? 64 : 32;
  return 32;
}

}  // namespace heddle::ptx
