// heddle help and heddle completion: what is written from the description of the command line.
#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/nearest.hpp"
#include "cli/command.hpp"
#include "cli/describe.hpp"

namespace heddle::cli {
namespace {

std::vector<std::string> names_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

std::string list_of_commands(const CLI::App& app) {
  std::string list;
  for (const std::string& one : names_of(app)) list += (list.empty() ? "" : ", ") + one;
  return list;
}

std::string help_of(const CLI::App& app, const std::string& name) {
  for (const CommandDescription& command : describe(app))
    if (command.name == name && !command.help.empty()) return command.help;
  return app.get_subcommand(name)->help("heddle");
}

// The command that the words name: of "heddle sim sweep", sweep. Adds its words to `name`.
const CLI::App& innermost(const CLI::App& app, std::string& name) {
  const std::vector<CLI::App*> named = app.get_subcommands();
  if (named.empty()) return app;
  name += " " + named.front()->get_name();
  return innermost(*named.front(), name);
}

// "--compiler: gcc not in {clang,nvrtc}" of CLI11 as "--compiler gcc: expected clang or nvrtc"; empty for another
// message.
std::string explain_choice(const std::string& message) {
  constexpr std::string_view among = " not in {";
  const std::size_t colon = message.find(": "), at = message.rfind(among);
  if (colon == message.npos || at == message.npos || at < colon + 2 || !message.ends_with('}')) return {};
  std::string choices = message.substr(at + among.size(), message.size() - 1 - at - among.size());
  if (const std::size_t last = choices.rfind(','); last != choices.npos) choices.replace(last, 1, " or ");
  for (std::size_t comma = choices.find(','); comma != choices.npos; comma = choices.find(',', comma + 2))
    choices.replace(comma, 1, ", ");
  return fmt::format("{} {}: expected {}", message.substr(0, colon), message.substr(colon + 2, at - colon - 2),
                     choices);
}

// Of CLI11's messages about values, with the option and its value in front as in all others: "Could not convert:
// --shared = -1", "--repeat: Value -1 not in range 1 to 9" and "--grid: At Most 1 required but received 2". Empty for
// another message.
std::string explain_value(const CLI::App& command, const std::string& message) {
  constexpr std::string_view ranged = ": Value ", range = " not in range ", converted = "Could not convert: ";
  constexpr std::string_view once = ": At Most 1 required but received ";
  if (const std::size_t end = message.find(once); end != message.npos) {
    const std::string times = message.substr(end + once.size());
    return message.substr(0, end) + " is given " + (times == "2" ? "twice" : times + " times") + "; once is expected";
  }
  const std::size_t at = message.find(ranged), limits = message.rfind(range);
  if (at != message.npos && limits != message.npos && message.starts_with('-')) {
    const std::size_t value_at = at + ranged.size();
    return fmt::format("{} {}: expected a number from {}", message.substr(0, at),
                       message.substr(value_at, limits - value_at), message.substr(limits + range.size()));
  }
  const std::size_t equal = message.find(" = ");
  if (!message.starts_with(converted) || equal == message.npos) return {};
  const std::string option = message.substr(converted.size(), equal - converted.size());
  const std::string value = message.substr(equal + 3);
  const CLI::Option* const found = command.get_option_no_throw(option);
  const std::string type = found != nullptr ? found->get_type_name() : "";
  const bool is_digits = !value.empty() && value.find_first_not_of("0123456789") == value.npos;
  return fmt::format("{} {}: {}", option, value,
                     is_digits                ? "the number is too large"
                     : type.starts_with("UI") ? "expected a whole number, 0 or more"
                     : type.starts_with("IN") ? "expected a whole number"
                                              : "expected a number");
}

}  // namespace

void check_command(const CLI::App& app, const std::string& name) {
  const std::vector<std::string> names = names_of(app);
  if (std::find(names.begin(), names.end(), name) != names.end()) return;
  const std::string has_no = app.get_parent() ? "heddle " + app.get_name() + " has no command '" : "no command '";
  throw UsageError(has_no + name + "'" + base::before_list(name, names) + " " + list_of_commands(app));
}

std::string explain_unexpected(const CLI::App& app, const std::string& message) {
  std::string name = "heddle";
  const CLI::App& command = innermost(app, name);
  if (const std::string value = explain_value(command, message); !value.empty()) return value;
  if (const std::string choice = explain_choice(message); !choice.empty()) return choice;
  if (message == "A subcommand is required") return name + " lacks its command; there are " + list_of_commands(command);
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& one : option->get_lnames()) names.push_back("--" + one);
  for (std::size_t at = message.find(" --"); at != message.npos; at = message.find(" --", at + 1)) {
    const std::size_t end = message.find_first_of(" =", at + 1);
    const std::string word = message.substr(at + 1, end - at - 1);
    if (std::find(names.begin(), names.end(), word) != names.end()) continue;  // its value is what is wrong
    if (const std::string meant = base::did_you_mean(word, names); !meant.empty())
      return name + " has no option '" + word + "'" + meant;
  }
  return message;
}

void add_help(CLI::App& app) {
  struct Options {
    std::string command;
    bool manual = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* help = app.add_subcommand("help", "explains the program, or a command");
  help->add_option("command", options->command, "the command");
  help->add_flag("--man", options->manual, "all of it, as a manual page for man");
  help->callback([&app, options] {
    if (options->manual) return fmt::print("{}", manual(describe(app)));
    if (options->command.empty()) {
      // The selected command would answer with its own help.
      return fmt::print("{}", app.get_formatter()->make_help(&app, "heddle", CLI::AppFormatMode::Normal));
    }
    check_command(app, options->command);
    fmt::print("{}", help_of(app, options->command));
  });
}

void add_completion(CLI::App& app) {
  auto shell = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("completion", "prints the completion of this command line for a shell");
  command->add_option("shell", *shell, "the shell")->required()->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command->callback([&app, shell] { fmt::print("{}", completion(describe(app), *shell)); });
}

}  // namespace heddle::cli
