#include "batch/launch_order.hpp"

#include <fmt/format.h>

#include "ptx/analysis/inspect.hpp"

namespace heddle::batch {
namespace {

using ptx::analysis::AccessMode;

bool reads(AccessMode mode) { return mode != AccessMode::none && mode != AccessMode::write; }
bool writes(AccessMode mode) { return mode != AccessMode::none && mode != AccessMode::read; }

std::string why(AccessMode mode, const std::string& name) {
  if (!reads(mode) || !writes(mode)) return {};
  return fmt::format("it {} {}", mode == AccessMode::unknown ? "may read and write" : "reads and writes", name);
}

}  // namespace

std::string find_why_ordered(const ptx::Module& module, std::uint32_t function, const std::vector<bool>& arrays) {
  const ptx::analysis::InspectedKernel kernel = ptx::analysis::inspect_kernel(module, function);
  bool some_read = false, some_written = false;
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
    if (i >= arrays.size() || !arrays[i]) continue;
    const ptx::analysis::InspectedParameter& parameter = kernel.parameters[i];
    // What lies at the distance of an address is accessed.
    const AccessMode mode = parameter.in_addresses ? AccessMode::unknown : parameter.access;
    if (std::string text = why(mode, fmt::format("the array of parameter {}", i + 1)); !text.empty()) return text;
    some_read |= reads(mode);
    some_written |= writes(mode);
  }
  for (const ptx::analysis::InspectedVariable& variable : kernel.variables) {
    if (std::string text = why(variable.access, "the variable " + variable.name); !text.empty()) return text;
    some_read |= reads(variable.access);
    some_written |= writes(variable.access);
  }
  // It may be any of the memory above.
  const AccessMode elsewhere = kernel.elsewhere;
  if ((writes(elsewhere) && (some_read || reads(elsewhere))) || (reads(elsewhere) && some_written))
    return "it may read what it writes through addresses in memory";
  return {};
}

}  // namespace heddle::batch
