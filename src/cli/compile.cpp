// heddle compile: CUDA C++ to PTX.
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>

#include "base/format.hpp"
#include "cli/command.hpp"
#include "cli/output_file.hpp"
#include "cli/progress.hpp"
#include "cli/source.hpp"
#include "cli/source_options.hpp"
#include "ptx/parser.hpp"

namespace heddle::cli {
namespace {

struct Options {
  std::string file, output;
  CompileOptions compile;
};

[[noreturn]] void refuse_ptx(const std::string& name) {
  throw UsageError(name + " is PTX already; compile takes CUDA C++");
}

std::string of_standard_input(const Options& options) {
  const Source source = read_standard_source();
  if (source.is_ptx) refuse_ptx(source.name);
  return ptx_of(source, options.compile);
}

void run(const Options& options) {
  const bool from_input = is_standard_input(options.file);
  if (std::filesystem::path(options.file).extension() == ".ptx") refuse_ptx(options.file);
  // What has no name of its own is printed.
  const std::filesystem::path output = !options.output.empty() || from_input
                                           ? std::filesystem::path(options.output.empty() ? "-" : options.output)
                                           : std::filesystem::path(options.file).filename().replace_extension(".ptx");
  const std::filesystem::path input = options.file;
  check_output("-o", output, {&input, 1}, base::FileKind::ptx);
  const Progress progress("compiling " + options.file);
  const std::string ptx = from_input ? of_standard_input(options) : compile_to_ptx(options.file, options.compile);
  if (is_standard_output(output)) return fmt::print("{}", ptx);
  // Parsed before it is written: what leaves here can be loaded.
  const ptx::Module module = ptx::parse(ptx, "PTX of " + options.file);
  const auto kernels = std::count_if(module.functions.begin(), module.functions.end(),
                                     [](const ptx::Function& function) { return function.is_entry; });
  write_output(output, ptx, base::counted(static_cast<std::uint64_t>(kernels), "kernel"), "PTX");
}

}  // namespace

void add_compile(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("compile", "compiles CUDA C++ to PTX");
  command->add_option("file", options->file, "a .cu file, or - for standard input")->required();
  command->add_option("-o,--output", options->output,
                      "where the PTX goes; - prints it (default: the file's name with .ptx; of standard input -)");
  add_compile_options(*command, options->compile);
  command->callback([options] { run(*options); });
}

}  // namespace heddle::cli
