// The heddle program.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <functional>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/memory_limit.hpp"
#include "base/printable.hpp"
#include "base/variables.hpp"
#include "cli/command.hpp"
#include "cli/interrupt.hpp"
#include "cli/knowledge.hpp"
#include "cli/launch_options.hpp"
#include "cli/memory.hpp"
#include "cli/standard_files.hpp"
#include "daemon/tenant_variable.hpp"
#include "heddle/error.hpp"
#include "heddle/runtime.hpp"
#include "heddle/version.hpp"

namespace {

using namespace heddle;

int exit_code(ErrorCode code) {
  if (code == ErrorCode::out_of_memory) return cli::exit_memory;
  return code == ErrorCode::kernel_fault || code == ErrorCode::deadlock ? cli::exit_kernel_fault : cli::exit_error;
}

// Whatever the command reads of them: a wrong one is not found halfway. doctor reports them itself.
void check_variables() {
  base::check_variables();
  const auto check = [](const char* name, auto&& what) {
    const std::string value = base::text_variable(name).value_or("");
    try {
      what(value);
    } catch (const Error& error) {
      throw Error(error.code(), std::string(name) + "=" + value + ": " + error.what());
    }
  };
  check("HEDDLE_RUN_POLICY", [](const std::string& value) { check_policy(value); });
  check("HEDDLE_RUN_DEVICE", [](const std::string& value) { cli::check_simulated(value); });
  check("HEDDLE_TENANT", [](const std::string& value) {
    if (!value.empty()) static_cast<void>(daemon::parse_tenant(value));
  });
}

bool needs_variables(int count, char** arguments) {
  if (count < 2 || arguments[1][0] == '-') return false;
  const std::string_view command = arguments[1];
  return command != "doctor" && command != "help" && command != "version" && command != "completion";
}

// CLI11 takes a flag with an empty value for one without.
void refuse_empty_check(std::span<char* const> arguments) {
  const bool is_empty = std::any_of(arguments.begin(), arguments.end(),
                                    [](const char* argument) { return std::string_view(argument) == "--check="; });
  const std::string_view command = arguments.size() > 1 ? arguments[1] : "";
  if (is_empty && (command == "launch" || command == "batch"))
    throw cli::UsageError("--check=: expected kinds of checks, as memory,race, or all; --check alone is memory");
}

// An empty text is no file, no device and no name: most often it is a variable of the shell that is not set.
void refuse_empty_values(CLI::App& app) {
  // Before all other checks, which would say that it is out of range.
  const CLI::Validator refuse([](std::string& text) { return text.empty() ? "its value is empty" : ""; }, "");
  for (CLI::Option* const option : app.get_options())
    if (option->get_items_expected_min() > 0)  // not a flag
      option->transform(refuse);
  for (CLI::App* const command : app.get_subcommands(std::function<bool(CLI::App*)>())) refuse_empty_values(*command);
}

// CLI11 takes the next word where nothing follows the =.
void refuse_missing_values(std::span<char* const> arguments) {
  for (std::size_t i = 2; i < arguments.size(); ++i) {
    const std::string_view word = arguments[i], before = arguments[i - 1];
    if (word == "--") return;
    if (word.size() > 3 && word.starts_with("--") && word.find('=') == word.size() - 1 && before != "-X")
      throw cli::UsageError(std::string(word) + ": its value is empty");
  }
}

// CLI11 would hand it to the program as an argument.
void refuse_option_of_tune(std::span<char* const> arguments) {
  if (arguments.size() < 3 || std::string_view(arguments[1]) != "tune") return;
  const std::string_view word = arguments[2];
  if (word.starts_with('-') && word != "--" && word != "-h" && word != "--help")
    throw cli::UsageError("heddle tune has no option '" + std::string(word) +
                          "'; what follows the program's name is given to the program");
}

int run(int count, char** arguments) {
  refuse_empty_check({arguments, static_cast<std::size_t>(count)});
  if (needs_variables(count, arguments)) check_variables();
  if (cli::run_program_command(count, arguments)) return 0;
  CLI::App app("Runs GPU kernels (CUDA C++ or PTX) on whatever this machine has.", "heddle");
  app.require_subcommand(1);
  app.set_version_flag("--version", std::string("heddle ") + version);
  app.footer("heddle help COMMAND explains a command. HEDDLE_LOG=info or debug shows what Heddle does.");
  cli::add_devices(app);
  cli::add_compile(app);
  cli::add_inspect(app);
  cli::add_launch(app);
  cli::add_batch(app);
  cli::add_profile(app);
  cli::add_programs(app);
  cli::add_daemon(app);
  cli::add_tenant(app);
  cli::add_top(app);
  cli::add_traces(app);
  cli::add_sim(app);
  cli::add_doctor(app);
  cli::add_knowledge(app);
  cli::add_tune(app);
  cli::add_help(app);
  cli::add_completion(app);
  cli::add_version(app);
  refuse_missing_values({arguments, static_cast<std::size_t>(count)});
  refuse_option_of_tune({arguments, static_cast<std::size_t>(count)});
  refuse_empty_values(app);
  const CLI::App* within = &app;  // the command whose next word must be one of its commands
  for (int i = 1; i < count && arguments[i][0] != '-' && !within->get_subcommands({}).empty(); ++i) {
    cli::check_command(*within, arguments[i]);
    within = within->get_subcommand(arguments[i]);
  }
  try {
    app.parse(count, arguments);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // help, version
    const std::string message = cli::explain_unexpected(app, error.what());
    throw cli::UsageError(message + std::string(message.ends_with('?') ? " " : "; ") +
                          "heddle --help and heddle COMMAND --help explain the usage");
  }
  return 0;
}

// The parts of an argument that messages may name: of "inout:x.npy" also "x.npy", and "x", of which "x.out.npy" is
// made.
std::vector<std::string> names_in(std::string_view argument) {
  std::vector<std::string> names;
  for (std::size_t at = 0; at <= argument.size(); ++at) {
    if (at != 0 && argument[at - 1] != ':' && argument[at - 1] != '=') continue;
    const std::string rest(argument.substr(at));
    for (const std::string& name : {rest, rest.substr(0, rest.find(':'))}) {
      names.push_back(name);
      names.push_back(std::filesystem::path(name).replace_extension().string());
    }
  }
  return names;
}

// Names that messages may have and that are not Heddle's: of the command line, of the current folder, and of files and
// folders in the environment.
std::vector<std::string> given_names(std::span<char* const> arguments) {
  std::vector<std::string> names;
  const auto add = [&](std::string_view name) {
    if (base::printable(name) != name) names.emplace_back(name);
  };
  for (const std::string_view argument : arguments)
    if (base::printable(argument) != argument)
      for (const std::string& name : names_in(argument)) add(name);
  std::error_code unknown;
  add(std::filesystem::current_path(unknown).string());
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view variable = *entry;
    const std::string_view value = variable.substr(std::min(variable.find('=') + 1, variable.size()));
    if (value.size() > 1 && (value.starts_with('/') || variable.starts_with("HEDDLE_"))) add(value);
  }
  return names;
}

// A message may have several lines. Names have no line ends in it.
std::string printable(std::string text, std::span<char* const> arguments) {
  for (const std::string& name : given_names(arguments)) {
    const std::string shown = base::printable(name);
    for (std::size_t at = text.find(name); at != text.npos; at = text.find(name, at + shown.size()))
      text.replace(at, name.size(), shown);
  }
  return base::printable(text, "\n\t");
}

// What is still in the buffer may not reach its place: a full disk, a closed pipe.
int flushed(int code) {
  const bool failed = std::fflush(stdout) != 0 || std::ferror(stdout) != 0;
  if (!failed) return code;
  std::fprintf(stderr, "heddle: cannot write to standard output: %s\n", std::strerror(errno));
  return code == 0 ? cli::exit_error : code;
}

}  // namespace

int main(int count, char** arguments) {
  heddle::cli::hold_standard_files();
  heddle::cli::end_in_order_without_memory();
  heddle::cli::clean_up_on_signals();
  const auto report = [&](const std::exception& error, int code) {
    heddle::cli::wait_if_interrupted();
    std::fprintf(stderr, "heddle: %s\n", printable(error.what(), {arguments, static_cast<std::size_t>(count)}).c_str());
    return code;
  };
  try {
    return flushed(run(count, arguments));
  } catch (const heddle::cli::UsageError& error) {
    return report(error, heddle::cli::exit_usage);
  } catch (const heddle::cli::FoundMistakes& found) {
    return flushed(report(found, heddle::cli::exit_kernel_fault));
  } catch (const heddle::Error& error) {
    return report(error, exit_code(error.code()));
  } catch (const std::bad_alloc&) {
    heddle::cli::wait_if_interrupted();
    std::fprintf(stderr, "heddle: %s\n", heddle::cli::out_of_memory_text());
    return heddle::cli::exit_memory;
  } catch (const std::system_error& error) {
    if (std::ferror(stdout) != 0)
      return report(std::runtime_error("cannot write to standard output: " + error.code().message()),
                    heddle::cli::exit_error);
    if (!heddle::base::is_no_memory(error.code())) return report(error, heddle::cli::exit_error);
    return report(std::runtime_error(error.what() + heddle::base::memory_limit_note()), heddle::cli::exit_memory);
  } catch (const std::exception& error) {
    return report(error, heddle::cli::exit_error);
  }
}
