// Names, variables, parameters and limits.
#include <limits>
#include <optional>
#include <unordered_map>

#include "ptx/verifier_impl.hpp"

namespace heddle::ptx::verify_detail {
namespace {

// Bytes (CUDA programming guide, table of technical specifications): what any device has. Beyond them a module is
// refused; ptxas's own limit for static shared memory is lower (48 KiB) and depends on how the module is linked.
constexpr std::uint64_t most_shared = 227 * 1024;
constexpr std::uint64_t most_local = 512 * 1024;
constexpr std::uint64_t most_constant = 64 * 1024;
constexpr std::uint64_t most_parameters = 32764;
constexpr std::uint32_t most_alignment = 1u << 16;

// Size in bytes, or nothing when it does not fit 63 bits.
std::optional<std::uint64_t> checked_size(const Variable& v) {
  std::uint64_t bytes = std::uint64_t{byte_size(v.type)} * v.vector;
  for (std::uint64_t dim : v.dims) {
    if (dim != 0 && bytes > std::numeric_limits<std::int64_t>::max() / dim) return std::nullopt;
    bytes *= dim;
  }
  return bytes;
}

bool is_opaque(Type type) { return kind(type) == TypeKind::opaque; }

bool is_storable(Type type) {
  if (is_opaque(type)) return true;
  switch (type) {
    case Type::b8:
    case Type::b16:
    case Type::b32:
    case Type::b64:
    case Type::b128:
    case Type::u8:
    case Type::u16:
    case Type::u32:
    case Type::u64:
    case Type::s8:
    case Type::s16:
    case Type::s32:
    case Type::s64:
    case Type::f16:
    case Type::f16x2:
    case Type::bf16:
    case Type::bf16x2:
    case Type::f32:
    case Type::f64: return true;
    default: return false;
  }
}

bool is_power_of_two(std::uint32_t n) { return n != 0 && (n & (n - 1)) == 0; }

void check_shape(const Variable& v, Report& report) {
  const std::string type = "." + std::string(name(v.type));
  if (!is_storable(v.type)) report.error(v.name + " has type " + type + ", of which there are no variables.");
  if (v.align != 0 && (!is_power_of_two(v.align) || v.align > most_alignment))
    report.error("The alignment " + std::to_string(v.align) + " of " + v.name + " is not a power of two up to " +
                 std::to_string(most_alignment) + ".");
  if (v.vector != 1 && v.vector != 2 && v.vector != 4 && v.vector != 8)
    report.error(v.name + " is a vector of " + std::to_string(v.vector) + "; there are .v2 and .v4.");
  for (std::size_t i = 1; i < v.dims.size(); ++i)
    if (v.dims[i] == 0) report.error("Only the first dimension of " + v.name + " may be left open.");
  if (!checked_size(v)) report.error(v.name + " is larger than any memory.");
}

void check_initializer(const Module& module, const Variable& v, Report& report) {
  if (v.init.empty()) return;
  if (v.space != Space::global && v.space != Space::constant)
    report.error(v.name + " has an initial value; only .global and .const variables may have one.");
  if (v.linkage == Linkage::external) report.error(v.name + " is .extern and has an initial value.");
  const std::optional<std::uint64_t> bytes = checked_size(v);
  const std::uint64_t element = std::max(1u, byte_size(v.type));
  if (!v.unsized() && bytes && v.init.size() > *bytes / element)
    report.error(v.name + " has " + std::to_string(v.init.size()) + " initial values for " +
                 std::to_string(*bytes / element) + " elements.");
  for (const InitValue& value : v.init) {
    if (value.kind != InitValue::Kind::symbol && value.kind != InitValue::Kind::generic_symbol) continue;
    const bool in_range =
        value.symbol.kind == SymbolRef::Kind::function
            ? value.symbol.index < module.functions.size()
            : value.symbol.kind == SymbolRef::Kind::module_variable && value.symbol.index < module.variables.size();
    if (!in_range) report.error("The initial value of " + v.name + " names a symbol that does not exist.");
  }
}

void check_variable(const Module& module, const Variable& v, Report& report) {
  report.at(v.line);
  check_shape(v, report);
  check_initializer(module, v, report);
  if (v.unsized() && v.linkage != Linkage::external && v.init.empty() && !is_opaque(v.type))
    report.error(v.name + " has no size: only .extern or initialised arrays may leave it open.");
}

std::uint64_t total_size(const std::vector<Variable>& list, Space space) {
  std::uint64_t total = 0;
  for (const Variable& v : list)
    if (v.space == space && v.linkage != Linkage::external)
      total += std::min<std::uint64_t>(checked_size(v).value_or(std::numeric_limits<std::int64_t>::max()),
                                       std::uint64_t{1} << 40);
  return total;
}

std::string kib(std::uint64_t bytes) { return std::to_string(bytes) + " bytes"; }

void check_names(const Module& module, Report& report) {
  std::unordered_map<std::string_view, bool> seen;
  for (const Variable& v : module.variables) {
    report.at(v.line);
    if (!seen.emplace(v.name, true).second)
      report.error("There are two module variables or functions named " + v.name + ".");
  }
  for (const Function& f : module.functions) {
    report.at(f.line);
    if (!seen.emplace(f.name, true).second)
      report.error("There are two module variables or functions named " + f.name + ".");
  }
  report.at(0);
  for (const Alias& alias : module.aliases) {
    const Function* target = module.find(alias.target);
    if (!target)
      report.error("The alias " + alias.name + " stands for " + alias.target + ", which is no function here.");
    else if (target->is_entry)
      report.error("The alias " + alias.name + " stands for a kernel; only a .func can have aliases.");
  }
}

void check_parameters(const Function& f, Report& report) {
  std::unordered_map<std::string_view, bool> seen;
  std::uint64_t bytes = 0;
  for (const auto* list : {&f.returns, &f.parameters})
    for (std::size_t i = 0; i < list->size(); ++i) {
      const Variable& v = (*list)[i];
      const std::vector<std::uint32_t>& registers = list == &f.returns ? f.return_registers : f.parameter_registers;
      report.at(v.line ? v.line : f.line);
      if (i >= registers.size() || registers[i] == Function::no_register) check_shape(v, report);
      if (v.name != "_" && !seen.emplace(v.name, true).second)
        report.error(f.name + " has two parameters named " + v.name + ".");
      if (f.is_entry && v.unsized())
        report.error("The parameter " + v.name + " of the kernel " + f.name + " has no size.");
      bytes += checked_size(v).value_or(0);
    }
  report.at(f.line);
  if (f.is_entry && bytes > most_parameters)
    report.error("The parameters of " + f.name + " take " + kib(bytes) + "; a kernel has at most " +
                 kib(most_parameters) + ".");
  const auto check_registers = [&](const std::vector<std::uint32_t>& registers, const std::vector<Variable>& list) {
    if (!registers.empty() && registers.size() != list.size())
      report.error(f.name + " has register parameters that do not match its parameters.");
    for (std::uint32_t reg : registers)
      if (reg != Function::no_register && reg >= f.registers.size())
        report.error(f.name + " has a register parameter that does not exist.");
  };
  check_registers(f.return_registers, f.returns);
  check_registers(f.parameter_registers, f.parameters);
}

void check_block_size(const Function& f, const FunctionDirective& d, Report& report) {
  std::uint64_t threads = 1;
  for (std::uint32_t v : d.values) threads *= v;
  if (d.values.empty() || d.values.size() > 3)
    report.error("." + d.name + " of " + f.name + " takes one to three numbers.");
  else if (threads == 0 || threads > 1024)
    report.error("." + d.name + " of " + f.name + " asks for " + std::to_string(threads) +
                 " threads; a block has 1 to 1024.");
}

void check_directives(const Function& f, Report& report) {
  for (const FunctionDirective& d : f.directives) {
    if (d.name == "maxntid" || d.name == "reqntid") check_block_size(f, d, report);
    if (d.name == "maxnreg" && d.values.size() != 1) report.error(".maxnreg of " + f.name + " takes one number.");
  }
  if (f.directive("maxntid") && f.directive("reqntid"))
    report.error(f.name + " has .maxntid and .reqntid; only one of them may be given.");
}

void check_registers(const Function& f, Report& report) {
  std::unordered_map<std::string_view, bool> seen;
  for (const Register& r : f.registers) {
    const bool usable = r.type == Type::pred || (is_storable(r.type) && !is_opaque(r.type));
    if (!usable)
      report.error("The register " + r.name + " of " + f.name + " has type ." + std::string(name(r.type)) +
                   ", of which there are no registers.");
    if (!seen.emplace(r.name, true).second) report.error(f.name + " has two registers named " + r.name + ".");
  }
}

}  // namespace

void check_module(const Module& module, Report& report) {
  check_names(module, report);
  for (const Variable& v : module.variables) {
    check_variable(module, v, report);
    if (v.space != Space::global && v.space != Space::constant && v.space != Space::shared)
      report.error(v.name + " is a module variable; those are .global, .const or .shared.");
  }
  report.at(0);
  if (const std::uint64_t bytes = total_size(module.variables, Space::constant); bytes > most_constant)
    report.error("The .const variables take " + kib(bytes) + "; there are " + kib(most_constant) + ".");
  // Each kernel has only those that it reaches: what a launch takes together is checked then.
  for (const Variable& v : module.variables) {
    if (v.space != Space::shared || v.linkage == Linkage::external) continue;
    const auto bytes = static_cast<std::uint64_t>(checked_size(v).value_or(std::numeric_limits<std::int64_t>::max()));
    if (bytes <= most_shared) continue;
    report.at(v.line);
    report.error("The .shared variable " + v.name + " takes " + kib(bytes) + "; a block has at most " +
                 kib(most_shared) + ".");
  }
}

void check_function_header(const Module& module, const Function& f, Report& report) {
  report.at(f.line);
  if (f.is_entry && !f.returns.empty()) report.error("The kernel " + f.name + " returns a value; only a .func can.");
  if (f.is_declaration && !f.body.empty()) report.error(f.name + " is a declaration and has instructions.");
  check_parameters(f, report);
  check_directives(f, report);
  check_registers(f, report);
  for (const Variable& v : f.variables) check_variable(module, v, report);
  report.at(f.line);
  if (const std::uint64_t bytes = total_size(f.variables, Space::shared); bytes > most_shared)
    report.error("The .shared variables of " + f.name + " take " + kib(bytes) + "; a block has at most " +
                 kib(most_shared) + ".");
  if (const std::uint64_t bytes = total_size(f.variables, Space::local); bytes > most_local)
    report.error("The .local variables of " + f.name + " take " + kib(bytes) + "; a thread has at most " +
                 kib(most_local) + ".");
}

}  // namespace heddle::ptx::verify_detail
