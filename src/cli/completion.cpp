// Completion for shells. Where no option or choice fits, all of them complete the names of files.
#include <fmt/format.h>

#include <algorithm>
#include <boost/algorithm/string.hpp>

#include "cli/command.hpp"
#include "cli/describe.hpp"

namespace heddle::cli {
namespace {

using Commands = std::vector<CommandDescription>;

std::string joined(const std::vector<std::string>& words) { return boost::join(words, " "); }

std::vector<std::string> names_of(const Commands& commands) {
  std::vector<std::string> names;
  for (const CommandDescription& command : commands) names.push_back(command.name);
  return names;
}

// Within single quotes.
std::string quoted(std::string text) {
  boost::replace_all(text, "'", "'\\''");
  return "'" + text + "'";
}

std::string bash(const Commands& commands) {
  std::string choices, options;
  for (const CommandDescription& command : commands) {
    std::vector<std::string> all;
    for (const OptionDescription& option : command.options) {
      all.insert(all.end(), option.names.begin(), option.names.end());
      if (option.choices.empty()) continue;
      if (option.names.empty())
        options += fmt::format("    {}:[!-]*) words={} ;;\n    {}:) words={} ;;\n", command.name,
                               quoted(joined(option.choices)), command.name, quoted(joined(option.choices)));
      for (const std::string& name : option.names)
        choices += fmt::format("    '{} {}') words={} ;;\n", command.name, name, quoted(joined(option.choices)));
    }
    options += fmt::format("    {}:-*) words={} ;;\n", command.name, quoted(joined(all)));
  }
  return fmt::format(R"(# Completion of heddle's command line for bash; written by `heddle completion bash`.
_heddle() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} words=
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W {} -- "$word"))
    return
  fi
  case "${{COMP_WORDS[1]}} ${{COMP_WORDS[COMP_CWORD-1]}}" in
{}    *) ;;
  esac
  [ -n "$words" ] || case "${{COMP_WORDS[1]}}:$word" in
{}    *) ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}}
complete -o default -F _heddle heddle
)",
                     quoted(joined(names_of(commands)) + " --help --version"), choices, options);
}

// What a specification of _arguments may not have as it is.
std::string zsh_text(std::string text) {
  for (const char* special : {"\\", "[", "]", ":"}) boost::replace_all(text, special, std::string("\\") + special);
  return text;
}

std::string zsh_options(const CommandDescription& command) {
  std::string lines;
  for (const OptionDescription& option : command.options) {
    const std::string action = option.choices.empty() ? "_files" : "(" + joined(option.choices) + ")";
    if (option.names.empty()) lines += " \\\n        " + quoted(fmt::format("*:{}:{}", zsh_text(option.value), action));
    for (const std::string& name : option.names)
      lines += " \\\n        " + quoted(fmt::format("*{}[{}]{}", name, zsh_text(option.text),
                                                    option.value.empty() ? "" : ":" + option.value + ":" + action));
  }
  const bool takes_files =
      std::none_of(command.options.begin(), command.options.end(), [](const auto& one) { return one.names.empty(); });
  return lines + (takes_files ? " \\\n        '*:file:_files'" : "");
}

std::string zsh(const Commands& commands) {
  std::string list, cases;
  for (const CommandDescription& command : commands) {
    list += "    " + quoted(command.name + ":" + zsh_text(command.text)) + "\n";
    cases += fmt::format("    {})\n      _arguments{} ;;\n", command.name, zsh_options(command));
  }
  return fmt::format(R"(#compdef heddle
# Completion of heddle's command line for zsh; written by `heddle completion zsh`.
_heddle() {{
  local -a commands=(
{}  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
{}  esac
}}
_heddle "$@"
)",
                     list, cases);
}

std::string fish_option(const CommandDescription& command, const OptionDescription& option) {
  std::string line = fmt::format("complete -c heddle -n '__fish_seen_subcommand_from {}'", command.name);
  for (const std::string& name : option.names) {
    if (name.starts_with("--"))
      line += " -l " + name.substr(2);
    else
      line += (name.size() == 2 ? " -s " : " -o ") + name.substr(1);
  }
  if (!option.choices.empty())
    line += fmt::format("{} -f -a {}", option.names.empty() ? "" : " -x", quoted(joined(option.choices)));
  else if (!option.value.empty())
    line += " -r";
  if (!option.text.empty()) line += " -d " + quoted(option.text);
  return line + "\n";
}

std::string fish(const Commands& commands) {
  std::string script = "# Completion of heddle's command line for fish; written by `heddle completion fish`.\n";
  for (const CommandDescription& command : commands)
    script +=
        fmt::format("complete -c heddle -n __fish_use_subcommand -f -a {} -d {}\n", command.name, quoted(command.text));
  for (const CommandDescription& command : commands)
    for (const OptionDescription& option : command.options)
      if (!option.names.empty() || !option.choices.empty()) script += fish_option(command, option);
  return script;
}

}  // namespace

std::string completion(const Commands& commands, const std::string& shell) {
  if (shell == "bash") return bash(commands);
  if (shell == "zsh") return zsh(commands);
  if (shell == "fish") return fish(commands);
  throw UsageError("there is no completion for '" + shell + "'; there is for bash, zsh and fish");
}

}  // namespace heddle::cli
