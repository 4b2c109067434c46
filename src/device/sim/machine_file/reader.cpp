#include "device/sim/machine_file/reader.hpp"

#include <algorithm>
#include <locale>
#include <map>
#include <sstream>
#include <utility>

#include "base/fail.hpp"
#include "base/file.hpp"
#include "base/nearest.hpp"
#include "base/toml.hpp"
#include "device/sim/machine_file/check.hpp"
#include "device/sim/machine_file/fields.hpp"

namespace heddle::device::sim {
namespace {

constexpr std::string_view based_on = "based-on";

template <typename... Args>
[[noreturn]] void fail_at(std::string_view origin, unsigned line, fmt::format_string<Args...> format, Args&&... args) {
  base::fail(ErrorCode::parse_error, "{}:{}: {}", origin, line, fmt::format(format, std::forward<Args>(args)...));
}

// Every key that has a value, by its path.
using Values = std::map<std::string, const toml::node*, std::less<>>;

unsigned line_of(const toml::node& node) { return node.source().begin.line; }

void collect(const toml::table& table, const std::string& prefix, Values& values) {
  for (const auto& [key, node] : table) {
    const std::string path = prefix.empty() ? std::string(key.str()) : prefix + "." + std::string(key.str());
    if (const toml::table* inner = node.as_table()) {
      collect(*inner, path, values);
    } else {
      values.emplace(path, &node);
    }
  }
}

// Stores the value of a node where a field is; false: it is of another type or out of range.
struct Store {
  const toml::node& node;
  const Field& field;

  bool in_range(double number) const { return number >= field.low && number <= field.high; }
  template <typename Number>
  bool whole(Number* to) const {
    const auto* value = node.as_integer();
    if (value == nullptr || !in_range(static_cast<double>(value->get()))) return false;
    *to = static_cast<Number>(value->get());
    return true;
  }
  bool operator()(unsigned* to) const { return whole(to); }
  bool operator()(std::uint64_t* to) const { return whole(to); }
  bool operator()(double* to) const {
    const auto value = node.is_number() ? node.value<double>() : std::nullopt;
    if (!value || !in_range(*value)) return false;
    *to = *value;
    return true;
  }
  bool operator()(bool* to) const {
    const auto* value = node.as_boolean();
    if (value != nullptr) *to = value->get();
    return value != nullptr;
  }
  bool operator()(std::string* to) const {
    const auto* value = node.as_string();
    if (value != nullptr) *to = value->get();
    return value != nullptr;
  }
  bool operator()(const ChoiceRef& to) const {
    const auto* value = node.as_string();
    for (std::size_t i = 0; value != nullptr && i < to.names.size(); ++i) {
      if (to.names[i] != value->get()) continue;
      *to.number = static_cast<std::uint8_t>(i);
      return true;
    }
    return false;
  }
};

std::string as_written(const toml::node& node) {
  std::ostringstream text;
  text.imbue(std::locale::classic());
  node.visit([&](const auto& value) { text << value; });
  return text.str();
}

void refuse_unknown(const Values& values, std::string_view origin) {
  std::vector<std::string> known{std::string(based_on)};
  for_each_field([&](const Field& field) { known.push_back(field.path()); });
  for (const auto& [path, node] : values) {
    if (std::find(known.begin(), known.end(), path) != known.end()) continue;
    fail_at(origin, line_of(*node), "unknown key '{}'{}; docs/machines.md lists the keys", path,
            base::did_you_mean(path, known));
  }
}

MachineDescription base_of(const Values& values, std::string_view origin) {
  const auto found = values.find(based_on);
  if (found == values.end()) return {};
  const auto* name = found->second->as_string();
  const auto names = preset_names();
  if (name == nullptr || std::find(names.begin(), names.end(), name->get()) == names.end()) {
    fail_at(origin, line_of(*found->second), "{} is {}, but must be the name of a preset: {}", based_on,
            as_written(*found->second), fmt::join(names, ", "));
  }
  return preset(name->get());
}

void check(const MachineDescription& machine, const Values& values, std::string_view origin) {
  const auto bad = find_contradiction(machine);
  if (!bad) return;
  const auto written = values.find(bad->path);
  if (written != values.end()) fail_at(origin, line_of(*written->second), "{} {}", bad->path, bad->message);
  fail_at(origin, 1, "{}, which this file does not give, {}", bad->path, bad->message);
}

toml::table parse(std::string_view text, std::string_view origin) {
  try {
    return base::parse_toml(text, origin);
  } catch (const toml::parse_error& error) {
    fail_at(origin, error.source().begin.line, "this is no TOML: {}", error.description());
  }
}

}  // namespace

MachineDescription parse_machine(std::string_view text, std::string_view origin) {
  const toml::table table = parse(text, origin);
  Values values;
  collect(table, "", values);
  refuse_unknown(values, origin);
  MachineDescription machine = base_of(values, origin);
  machine.name = std::filesystem::path(origin).stem().string();
  for_each_field([&](const Field& field) {
    const auto value = values.find(field.path());
    if (value == values.end() || std::visit(Store{*value->second, field}, field.in(machine))) return;
    fail_at(origin, line_of(*value->second), "{} is {}, but must be {}", value->first, as_written(*value->second),
            field.allowed());
  });
  check(machine, values, origin);
  return machine;
}

MachineDescription read_machine_file(const std::filesystem::path& file) {
  return parse_machine(base::read_file(file), file.string());
}

MachineDescription find_machine(const std::string& name_or_path) {
  const bool path = name_or_path.find('/') != std::string::npos || name_or_path.ends_with(".toml");
  return path ? read_machine_file(name_or_path) : preset(name_or_path);
}

}  // namespace heddle::device::sim
