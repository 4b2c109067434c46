// The heddle program.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <span>
#include <string>
#include <string_view>

#include "cli/command.hpp"
#include "cli/interrupt.hpp"
#include "cli/knowledge.hpp"
#include "cli/memory.hpp"
#include "heddle/error.hpp"
#include "heddle/version.hpp"

namespace {

using namespace heddle;

int exit_code(ErrorCode code) {
  if (code == ErrorCode::out_of_memory) return cli::exit_memory;
  return code == ErrorCode::kernel_fault || code == ErrorCode::deadlock ? cli::exit_kernel_fault : cli::exit_error;
}

int run(int count, char** arguments) {
  if (cli::run_program_command(count, arguments)) return 0;
  CLI::App app("Runs GPU kernels (CUDA C++ or PTX) on whatever this machine has.", "heddle");
  app.require_subcommand(1);
  app.set_version_flag("--version", std::string("heddle ") + version);
  app.footer("heddle help COMMAND explains a command. HEDDLE_LOG=info or debug shows what Heddle does.");
  cli::add_devices(app);
  cli::add_compile(app);
  cli::add_inspect(app);
  cli::add_launch(app);
  cli::add_programs(app);
  cli::add_traces(app);
  cli::add_doctor(app);
  cli::add_knowledge(app);
  cli::add_tune(app);
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

// `text` without codes that a terminal would obey.
std::string escaped(std::string_view text, std::string_view allowed) {
  std::string result;
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    const bool control = code < 0x20 || code == 0x7f;
    if (!control || allowed.find(c) != allowed.npos) {
      result += c;
    } else if (c == '\n') {
      result += "\\n";
    } else {
      char hexadecimal[5];
      std::snprintf(hexadecimal, sizeof hexadecimal, "\\x%02x", code);
      result += hexadecimal;
    }
  }
  return result;
}

// A message may have several lines. Names that the user gave have no line ends in it.
std::string printable(std::string text, std::span<char* const> names) {
  for (const std::string_view name : names) {
    const std::string shown = escaped(name, "");
    if (shown == name) continue;
    for (std::size_t at = text.find(name); at != text.npos; at = text.find(name, at + shown.size()))
      text.replace(at, name.size(), shown);
  }
  return escaped(text, "\n\t");
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
  } catch (const std::exception& error) {
    return report(error, heddle::cli::exit_error);
  }
}
