// The two written forms of an inspection.
#include <fmt/format.h>

#include <iterator>
#include <nlohmann/json.hpp>

#include "base/format.hpp"
#include "base/kernel_name.hpp"
#include "ptx/analysis/inspect.hpp"

namespace heddle::ptx::analysis {
namespace {

const char* name_of(Space space) {
  switch (space) {
    case Space::generic: return "generic";
    case Space::global: return "global";
    case Space::shared: return "shared";
    case Space::local: return "local";
    case Space::constant: return "const";
    case Space::param: return "param";
  }
  return "generic";
}

std::string extents(const std::array<std::uint32_t, 3>& block) {
  return fmt::format("{}x{}x{}", block[0], block[1], block[2]);
}

void write_parameter(std::string& out, const InspectedParameter& parameter) {
  const auto to = std::back_inserter(out);
  const char* const access =
      parameter.is_pointer || parameter.access != AccessMode::none ? name(parameter.access) : "-";
  fmt::format_to(to, "  {:4} {:32} .{:10} {:4} {:5}  {}", parameter.offset, parameter.name, parameter.type,
                 parameter.size, parameter.size == 1 ? "byte" : "bytes", access);
  if (!parameter.source_type.empty() || !parameter.label.empty())
    fmt::format_to(to, "  | {} {}", parameter.source_type.empty() ? "?" : parameter.source_type, parameter.label);
  out += '\n';
  for (const MemoryUse& field : parameter.fields)
    fmt::format_to(to, "       pointer at byte {}: {}\n", field.offset, name(field.mode));
  if (!parameter.reason.empty()) fmt::format_to(to, "       {}\n", parameter.reason);
}

void write_kernel(std::string& out, const InspectedKernel& kernel) {
  const auto to = std::back_inserter(out);
  const Resources& r = kernel.resources;
  const std::string source = base::demangled(kernel.name);
  fmt::format_to(to, "{}{}\n", source, source == kernel.name ? "" : fmt::format("  [{}]", kernel.name));
  using base::counted;
  fmt::format_to(to, "  {}, {} shared{}, {} local, {}, {}, {}\n", counted(r.registers, "register"),
                 counted(r.static_shared, "byte"), r.dynamic_shared ? " and what the launch adds" : "",
                 counted(r.local, "byte"), counted(r.barriers, "barrier"), counted(r.atomics, "atomic"),
                 counted(r.instructions, "instruction"));
  if (r.required_block[0] != 0) fmt::format_to(to, "  block must be {}\n", extents(r.required_block));
  if (r.maximum_block[0] != 0) fmt::format_to(to, "  block at most {}\n", extents(r.maximum_block));
  fmt::format_to(to, "  blocks: {}{}{}{}\n", name(kernel.blocks.order),
                 kernel.blocks.whole_clusters ? ", in whole clusters" : "", kernel.dependence.empty() ? "" : ": ",
                 kernel.dependence);
  for (const InspectedParameter& parameter : kernel.parameters) write_parameter(out, parameter);
  for (const InspectedVariable& variable : kernel.variables)
    fmt::format_to(to, "  variable {} (.{}): {}\n", variable.name, name_of(variable.space), name(variable.access));
  for (const std::string& warning : kernel.warnings) fmt::format_to(to, "  warning: {}\n", warning);
}

nlohmann::json parameter_json(const InspectedParameter& parameter) {
  nlohmann::json json = {{"name", parameter.name},           {"type", parameter.type},
                         {"offset", parameter.offset},       {"size", parameter.size},
                         {"alignment", parameter.alignment}, {"pointer", parameter.is_pointer},
                         {"access", name(parameter.access)}};
  for (const MemoryUse& field : parameter.fields)
    json["fields"].push_back({{"offset", field.offset}, {"access", name(field.mode)}});
  if (parameter.may_be_index) json["may_be_index"] = true;
  if (!parameter.label.empty()) json["label"] = parameter.label;
  if (!parameter.source_type.empty()) json["source_type"] = parameter.source_type;
  if (!parameter.reason.empty()) json["reason"] = parameter.reason;
  return json;
}

nlohmann::json kernel_json(const InspectedKernel& kernel) {
  const Resources& r = kernel.resources;
  nlohmann::json json = {{"name", kernel.name},
                         {"registers", r.registers},
                         {"declared_registers", r.declared_registers},
                         {"shared_bytes", r.static_shared},
                         {"dynamic_shared", r.dynamic_shared},
                         {"local_bytes", r.local},
                         {"barriers", r.barriers},
                         {"atomics", r.atomics},
                         {"instructions", r.instructions},
                         {"parameters", nlohmann::json::array()},
                         {"variables", nlohmann::json::array()},
                         {"special_registers", nlohmann::json::array()},
                         {"blocks",
                          {{"order", name(kernel.blocks.order)},
                           {"whole_clusters", kernel.blocks.whole_clusters},
                           {"independent", kernel.blocks.independent()}}},
                         {"elsewhere", name(kernel.elsewhere)},
                         {"needs_warp_semantics", kernel.waiting.needs_warp_semantics},
                         {"may_spin", kernel.waiting.may_spin},
                         {"warnings", kernel.warnings}};
  if (r.maximum_registers != 0) json["maximum_registers"] = r.maximum_registers;
  if (r.required_block[0] != 0) json["required_block"] = r.required_block;
  if (r.maximum_block[0] != 0) json["maximum_block"] = r.maximum_block;
  if (!kernel.dependence.empty()) json["blocks"]["reason"] = kernel.dependence;
  for (const InspectedParameter& parameter : kernel.parameters) json["parameters"].push_back(parameter_json(parameter));
  for (const InspectedVariable& variable : kernel.variables)
    json["variables"].push_back(
        {{"name", variable.name}, {"space", name_of(variable.space)}, {"access", name(variable.access)}});
  for (SpecialRegister special : r.special_registers) json["special_registers"].push_back(ptx::name(special));
  return json;
}

}  // namespace

std::string to_text(const Inspection& inspection) {
  std::string out;
  for (const InspectedKernel& kernel : inspection.kernels) {
    if (!out.empty()) out += '\n';
    write_kernel(out, kernel);
  }
  return out;
}

nlohmann::json to_json(const Inspection& inspection) {
  nlohmann::json list = nlohmann::json::array();
  for (const InspectedKernel& kernel : inspection.kernels) list.push_back(kernel_json(kernel));
  return list;
}

}  // namespace heddle::ptx::analysis
