// The heddle program.
#include <cstdio>
#include <exception>

#include "cli/command.hpp"
#include "heddle/error.hpp"
#include "heddle/version.hpp"

namespace {

using namespace heddle;

int exit_code(ErrorCode code) {
  return code == ErrorCode::kernel_fault || code == ErrorCode::deadlock ? cli::exit_kernel_fault : cli::exit_error;
}

int run(int count, char** arguments) {
  CLI::App app("Runs GPU kernels (CUDA C++ or PTX) on whatever this machine has.", "heddle");
  app.require_subcommand(1);
  app.set_version_flag("--version", std::string("heddle ") + version);
  app.footer("heddle COMMAND --help explains a command. HEDDLE_LOG=info or debug shows what goes on inside.");
  cli::add_devices(app);
  cli::add_compile(app);
  cli::add_inspect(app);
  cli::add_launch(app);
  cli::add_version(app);
  try {
    app.parse(count, arguments);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : cli::exit_usage;
  }
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  try {
    return run(count, arguments);
  } catch (const heddle::cli::UsageError& error) {
    std::fprintf(stderr, "heddle: %s\n", error.what());
    return heddle::cli::exit_usage;
  } catch (const heddle::Error& error) {
    std::fprintf(stderr, "heddle: %s\n", error.what());
    return exit_code(error.code());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "heddle: %s\n", error.what());
    return heddle::cli::exit_error;
  }
}
