// heddle cc, heddle run and heddle tenant run. Their words are those of other programs, so they are not parsed as
// options of this one.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <regex>
#include <sstream>

#include "base/variables.hpp"
#include "cli/command.hpp"
#include "cli/interrupt.hpp"
#include "cli/launch_options.hpp"
#include "cli/progress.hpp"
#include "cli/ptxas.hpp"
#include "cli/tenant_run.hpp"
#include "cli/usage.hpp"
#include "heddle/error.hpp"
#include "heddle/runtime.hpp"
#include "programs/cc/cc.hpp"
#include "programs/run/run.hpp"

namespace heddle::cli {
namespace {

// Becomes the program, or prints the help.
void run(const programs::RunOptions& options) {
  if (!options.help) {
    std::optional<Progress> progress;
    if (options.program.ends_with(".cu")) progress.emplace("compiling " + options.program);
    programs::run_program(options, [&] { progress.reset(); }, hand_signals_over);
  }
  std::fputs(programs::run_help().c_str(), stdout);
}

programs::RunOptions checked_run_options(const std::vector<std::string>& words) {
  programs::RunOptions options = of_option("", [&] { return programs::parse_run_options(words); });
  check_policy_option(options.policy);
  check_device_option(options.device);
  // A program would only see that there is no device.
  if (!options.help)
    check_records(options.device.empty() ? base::text_variable("HEDDLE_RUN_DEVICE").value_or("") : options.device);
  return options;
}

// The options as the help text has them: lines "  --device IDS       which", and more of the text on deeper lines.
void describe_options(CLI::App& command, const std::string& help) {
  static const std::regex option(R"(  (--[a-z-]+)(\S*)( [A-Z]\S*)?  +(\S.*))"), more(R"( {8,}(\S.*))");
  std::istringstream lines(help);
  CLI::Option* last = nullptr;
  std::smatch match;
  for (std::string line; std::getline(lines, line);) {
    if (std::regex_match(line, match, option)) {
      const std::string name = match[1], text = match[4];
      last = match[3].matched ? command.add_option_function<std::string>(
                                    name, [](const std::string&) {}, text)
                              : command.add_flag(name, text);
    } else if (last != nullptr && std::regex_match(line, match, more)) {
      last->description(last->get_description() + " " + match[1].str());
    } else {
      last = nullptr;
    }
  }
}

}  // namespace

void add_programs(CLI::App& app) {
  // Registered for the list of commands and its description; run_program_command has been there before.
  CLI::App* run = app.add_subcommand("run", "runs a CUDA program, unchanged, on whatever this machine has");
  run->add_option_function<std::string>(
      "program", [](const std::string&) {}, "a program, or a .cu file; what follows are its arguments");
  describe_options(*run, programs::run_help());
  app.add_subcommand("cc", "builds CUDA programs; takes nvcc's command line");
}

bool run_program_command(int count, char** arguments) {
  const std::string name = count > 0 ? std::filesystem::path(arguments[0]).filename().string() : "";
  // A link of that name is a compiler for CMAKE_CUDA_COMPILER and the like, which take no subcommand.
  if (name == "heddle-nvcc" || name == "nvcc") {
    programs::cc({arguments + 1, arguments + count});
    return true;
  }
  // A link of this name is given to Triton as its ptxas.
  if (name == "heddle-ptxas") {
    if (const int code = ptxas({arguments + 1, arguments + count}); code != 0) std::exit(code);
    return true;
  }
  if (count < 2) return false;
  const std::string command = arguments[1];
  const std::vector<std::string> words(arguments + 2, arguments + count);
  if (command == "cc") {
    programs::cc(words);
    return true;
  }
  if (command == "run") {
    run(checked_run_options(words));
    return true;
  }
  if (command == "tenant" && !words.empty() && words[0] == "run") {
    const TenantRun tenant = parse_tenant_run({words.begin() + 1, words.end()});
    if (tenant.help) {
      std::fputs(tenant_run_help().c_str(), stdout);
      return true;
    }
    const programs::RunOptions options = checked_run_options(tenant.words);
    // Its policy decides that, also where none is named.
    if (options.slice != 0 && options.policy.empty())
      throw UsageError(fmt::format(
          "--slice {0}: a tenant's policy decides how its launches are cut; --policy slice:{0} is one", options.slice));
    become_tenant(tenant);
    run(options);
    return true;
  }
  return false;
}

}  // namespace heddle::cli
