#include "cli/describe.hpp"

#include <algorithm>

#include "programs/cc/option_table.hpp"
#include "programs/cc/parse_options.hpp"
#include "programs/run/run.hpp"

namespace heddle::cli {
namespace {

// CLI11 gives the values of IsMember as a part of the type's name: "TEXT:{clang,nvrtc}".
std::vector<std::string> choices_of(const std::string& type) {
  const std::size_t begin = type.find('{'), end = type.find('}');
  if (begin == type.npos || end == type.npos) return {};
  std::vector<std::string> choices(1);
  for (const char letter : type.substr(begin + 1, end - begin - 1)) {
    if (letter == ',')
      choices.emplace_back();
    else
      choices.back() += letter;
  }
  return choices;
}

OptionDescription describe(const CLI::Option& option) {
  OptionDescription made;
  for (const std::string& name : option.get_snames()) made.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) made.names.push_back("--" + name);
  const std::string type = option.get_type_name();
  if (option.get_items_expected_max() > 0) made.value = made.names.empty() ? option.get_name() : "VALUE";
  made.choices = choices_of(type);
  made.text = option.get_description();
  return made;
}

// The names of a command's own commands, and the options of these, each once.
void add_nested(const CLI::App& command, std::vector<OptionDescription>& options) {
  const auto nested = command.get_subcommands({});
  if (nested.empty()) return;
  OptionDescription names;
  names.value = "COMMAND";
  for (const CLI::App* one : nested) {
    names.choices.push_back(one->get_name());
    names.text += (names.text.empty() ? "" : "; ") + one->get_name() + ": " + one->get_description();
  }
  options.push_back(std::move(names));
  for (const CLI::App* one : nested) {
    for (const CLI::Option* option : one->get_options()) {
      OptionDescription made = describe(*option);
      const bool known = std::any_of(options.begin(), options.end(),
                                     [&](const OptionDescription& other) { return other.names == made.names; });
      if (!made.names.empty() && !known) options.push_back(std::move(made));
    }
  }
}

// nvcc takes one dash or two before each name.
std::vector<OptionDescription> cc_options() {
  std::vector<OptionDescription> options;
  for (const programs::OptionRule& rule : programs::option_rules()) {
    if (rule.refused != nullptr) continue;
    OptionDescription option;
    for (const std::string_view name : rule.names)
      option.names.push_back((name.size() > 4 ? "--" : "-") + std::string(name));
    using Value = programs::OptionRule::Value;
    if (rule.value == Value::one || rule.value == Value::list || rule.value == Value::words) option.value = "VALUE";
    options.push_back(std::move(option));
  }
  return options;
}

}  // namespace

std::vector<CommandDescription> describe(const CLI::App& app) {
  std::vector<CommandDescription> commands;
  for (const CLI::App* command : app.get_subcommands({})) {
    CommandDescription made{command->get_name(), command->get_description(), {}, {}};
    for (const CLI::Option* option : command->get_options()) made.options.push_back(describe(*option));
    add_nested(*command, made.options);
    if (made.name == "run") made.help = programs::run_help();
    if (made.name == "cc") {
      made.help = programs::cc_help();
      made.options = cc_options();
    }
    commands.push_back(std::move(made));
  }
  for (CommandDescription& command : commands) {
    if (command.name != "help") continue;
    for (OptionDescription& option : command.options)
      if (option.names.empty())
        for (const CommandDescription& other : commands) option.choices.push_back(other.name);
  }
  return commands;
}

}  // namespace heddle::cli
