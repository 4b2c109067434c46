// The command line as data: what completion for shells and the manual page are written from, so that they say what the
// program takes.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace heddle::cli {

struct OptionDescription {
  std::vector<std::string> names;    // with dashes; none for what stands without an option, as FILE
  std::string value;                 // what it takes, as "FILE"; empty for a flag
  std::vector<std::string> choices;  // all values, where they are few
  std::string text;
};

struct CommandDescription {
  std::string name, text;
  std::vector<OptionDescription> options;
  std::string help;  // of commands with a help text of their own
};

std::vector<CommandDescription> describe(const CLI::App& app);

// Throws UsageError for another shell than bash, zsh and fish.
std::string completion(const std::vector<CommandDescription>& commands, const std::string& shell);
// For man, in roff.
std::string manual(const std::vector<CommandDescription>& commands);

}  // namespace heddle::cli
