#include <fmt/format.h>

#include "device/sim/machine_file/fields.hpp"
#include "device/sim/machine_file/reader.hpp"

namespace heddle::device::sim {
namespace {

std::string toml_text(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += fmt::format("\\{}", c);
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      result += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
    } else {
      result += c;
    }
  }
  return result + '"';
}

struct Written {
  std::string operator()(const unsigned* value) const { return std::to_string(*value); }
  std::string operator()(const std::uint64_t* value) const { return std::to_string(*value); }
  std::string operator()(const double* value) const { return fmt::format("{}", *value); }
  std::string operator()(const bool* value) const { return *value ? "true" : "false"; }
  std::string operator()(const std::string* value) const { return toml_text(*value); }
  std::string operator()(const ChoiceRef& choice) const { return toml_text(choice.names[*choice.number]); }
};

}  // namespace

std::string to_toml(const MachineDescription& machine) {
  MachineDescription copy = machine;
  std::string text;
  std::string_view section;
  for_each_field([&](const Field& field) {
    if (field.section != section) {
      section = field.section;
      text += fmt::format("\n[{}]\n", section);
    }
    text += fmt::format("{} = {}\n", field.key, std::visit(Written{}, field.in(copy)));
  });
  return text;
}

}  // namespace heddle::device::sim
