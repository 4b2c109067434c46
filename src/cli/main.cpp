// The heddle program.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>

#include "cli/command.hpp"
#include "cli/interrupt.hpp"
#include "heddle/error.hpp"
#include "heddle/version.hpp"

namespace {

using namespace heddle;

int exit_code(ErrorCode code) {
  return code == ErrorCode::kernel_fault || code == ErrorCode::deadlock ? cli::exit_kernel_fault : cli::exit_error;
}

int run(int count, char** arguments) {
  if (cli::run_program_command(count, arguments)) return 0;
  CLI::App app("Runs GPU kernels (CUDA C++ or PTX) on whatever this machine has.", "heddle");
  app.require_subcommand(1);
  app.set_version_flag("--version", std::string("heddle ") + version);
  app.footer("heddle help COMMAND explains a command. HEDDLE_LOG=info or debug shows what goes on inside.");
  cli::add_devices(app);
  cli::add_compile(app);
  cli::add_inspect(app);
  cli::add_launch(app);
  cli::add_programs(app);
  cli::add_traces(app);
  cli::add_doctor(app);
  cli::add_help(app);
  cli::add_completion(app);
  cli::add_version(app);
  if (count > 1 && arguments[1][0] != '-') cli::check_command(app, arguments[1]);
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

// What is still in the buffer may not reach its place: a full disk, a closed pipe.
int flushed(int code) {
  const bool failed = std::fflush(stdout) != 0 || std::ferror(stdout) != 0;
  if (!failed) return code;
  std::fprintf(stderr, "heddle: cannot write to standard output: %s\n", std::strerror(errno));
  return code == 0 ? cli::exit_error : code;
}

}  // namespace

int main(int count, char** arguments) {
  heddle::cli::clean_up_on_signals();
  const auto report = [](const std::exception& error, int code) {
    heddle::cli::wait_if_interrupted();
    std::fprintf(stderr, "heddle: %s\n", error.what());
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
  } catch (const std::exception& error) {
    return report(error, heddle::cli::exit_error);
  }
}
