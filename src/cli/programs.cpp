// heddle cc and heddle run. Their words are those of other programs, so they are not parsed as options of this one.
#include <cstdio>

#include "cli/command.hpp"
#include "heddle/error.hpp"
#include "heddle/runtime.hpp"
#include "programs/cc/cc.hpp"
#include "programs/run/run.hpp"

namespace heddle::cli {
namespace {

programs::RunOptions run_options(const std::vector<std::string>& words) {
  try {
    programs::RunOptions options = programs::parse_run_options(words);
    check_policy(options.policy);
    return options;
  } catch (const Error& error) {
    throw UsageError(error.what());
  }
}

}  // namespace

void add_programs(CLI::App& app) {
  // Registered for the list of commands; run_program_command has been there before.
  app.add_subcommand("run", "runs a CUDA program, unchanged, on whatever this machine has");
  app.add_subcommand("cc", "builds CUDA programs; takes nvcc's command line");
}

bool run_program_command(int count, char** arguments) {
  if (count < 2) return false;
  const std::string command = arguments[1];
  const std::vector<std::string> words(arguments + 2, arguments + count);
  if (command == "cc") {
    programs::cc(words);
    return true;
  }
  if (command == "run") {
    const programs::RunOptions options = run_options(words);
    if (!options.help) programs::run_program(options);
    std::fputs(programs::run_help().c_str(), stdout);
    return true;
  }
  return false;
}

}  // namespace heddle::cli
