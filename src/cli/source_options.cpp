#include "cli/source_options.hpp"

#include <string>

#include "cli/usage.hpp"
#include "runtime/compile_text.hpp"

namespace heddle::cli {
namespace {

// What is wrong with a value is so in all commands, also where the file is PTX and nothing is compiled.
auto taken_as(const char* option, CompileOptions (*made)(const std::string&)) {
  return [option, made](const std::string& text) {
    of_option(std::string(option) + " " + text, [&] { runtime::check_compile_options(made(text)); });
    return std::string();
  };
}

}  // namespace

void add_compile_options(CLI::App& command, CompileOptions& options) {
  const char* group = "CUDA C++";
  command.add_option("-D", options.defines, "defines a macro: NAME or NAME=VALUE")
      ->allow_extra_args(false)
      ->check(taken_as("-D", [](const std::string& text) { return CompileOptions{.defines = {text}}; }))
      ->group(group);
  command.add_option("-I", options.include_paths, "a folder for #include")->allow_extra_args(false)->group(group);
  command.add_option("--arch", options.arch, "the target of the PTX")
      ->check(taken_as("--arch", [](const std::string& text) { return CompileOptions{.arch = text}; }))
      ->capture_default_str()
      ->group(group);
  command
      .add_flag("--fast-math", options.fast_math, "approximate division, roots and functions; denormals become zero")
      ->group(group);
  command.add_option("-O", options.opt, "optimisation, 0 to 3")
      ->check(CLI::Range(0, 3))
      ->capture_default_str()
      ->group(group);
  command.add_option("-X", options.extra, "an option for the compiler")->allow_extra_args(false)->group(group);
  command
      .add_option_function<std::string>(
          "--compiler",
          [&options](const std::string& name) {
            options.compiler = name == "nvrtc" ? Compiler::nvrtc : Compiler::clang;
          },
          "clang, or nvrtc with the headers of NVIDIA's SDK; default: $HEDDLE_COMPILER or clang")
      ->check(CLI::IsMember({"clang", "nvrtc"}))
      ->group(group);
}

}  // namespace heddle::cli
