// heddle help and heddle completion: what is written from the description of the command line.
#include <fmt/core.h>

#include <algorithm>
#include <memory>

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

std::string help_of(const CLI::App& app, const std::string& name) {
  for (const CommandDescription& command : describe(app))
    if (command.name == name && !command.help.empty()) return command.help;
  return app.get_subcommand(name)->help("heddle");
}

}  // namespace

void check_command(const CLI::App& app, const std::string& name) {
  const std::vector<std::string> names = names_of(app);
  if (std::find(names.begin(), names.end(), name) != names.end()) return;
  std::string list;
  for (const std::string& one : names) list += (list.empty() ? "" : ", ") + one;
  const std::string meant = base::did_you_mean(name, names);
  throw UsageError("no command '" + name + "'" + (meant.empty() ? "; there are " : meant + " There are ") + list);
}

std::string explain_unexpected(const CLI::App& app, const std::string& message) {
  for (const CLI::App* command : app.get_subcommands()) {
    std::vector<std::string> names;
    for (const CLI::Option* option : command->get_options())
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (std::size_t at = message.find(" --"); at != message.npos; at = message.find(" --", at + 1)) {
      const std::size_t end = message.find_first_of(" =", at + 1);
      const std::string word = message.substr(at + 1, end - at - 1);
      if (std::find(names.begin(), names.end(), word) != names.end()) continue;  // its value is what is wrong
      if (const std::string meant = base::did_you_mean(word, names); !meant.empty())
        return "heddle " + command->get_name() + " has no option '" + word + "'" + meant;
    }
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
