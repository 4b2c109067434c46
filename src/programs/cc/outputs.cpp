#include "programs/cc/outputs.hpp"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "base/fail.hpp"
#include "base/file.hpp"
#include "base/overwrite.hpp"
#include "base/printable.hpp"

namespace heddle::programs {
namespace {

namespace fs = std::filesystem;

using Outputs = std::vector<base::Output>;

std::vector<fs::path> inputs_of(const CcOptions& options) {
  std::vector<fs::path> files(options.option_files.begin(), options.option_files.end());
  files.insert(files.end(), options.forced_includes.begin(), options.forced_includes.end());
  for (const Input& input : options.inputs) files.emplace_back(input.name);
  return files;
}

const char* extension_of(Phase phase) {
  switch (phase) {
    case Phase::ptx: return ".ptx";
    case Phase::compile: return ".o";
    default: return nullptr;
  }
}

// The list of dependencies: -MF, else the compiler names it like the output.
void add_dependencies(Outputs& outputs, const CcOptions& options, const fs::path& output) {
  const auto& words = options.dependencies;
  if (const auto named = std::find(words.begin(), words.end(), "-MF"); named != words.end()) {
    if (named + 1 != words.end()) outputs.push_back({"-MF", *(named + 1)});
    return;
  }
  for (const char* option : {"-MD", "-MMD"})
    if (std::find(words.begin(), words.end(), option) != words.end())
      outputs.push_back({option, fs::path(output).replace_extension(".d")});
}

Outputs outputs_of(const CcOptions& options) {
  Outputs outputs;
  if (const char* extension = extension_of(options.phase)) {
    for (const Input& input : options.inputs) {
      if (input.language == Language::object) continue;
      outputs.push_back(
          {options.output.empty() ? "the output of " + input.name : "-o", output_of(options, input, extension)});
      add_dependencies(outputs, options, outputs.back().file);
    }
    return outputs;
  }
  std::string whole = options.output;
  if (whole.empty() && options.phase == Phase::link) whole = "a.out";
  if (whole.empty() && options.phase == Phase::device_link) whole = "a_dlink.o";
  if (!whole.empty()) outputs.push_back({options.output.empty() ? "the output" : "-o", whole});
  if (!options.output.empty()) {
    add_dependencies(outputs, options, whole);
    return outputs;
  }
  // One list, or one for each source.
  const std::size_t before = outputs.size();
  for (const Input& input : options.inputs)
    if (input.language != Language::object && (outputs.size() == before || outputs.back().option != "-MF"))
      add_dependencies(outputs, options, output_of(options, input, ".o"));
  return outputs;
}

}  // namespace

std::string output_of(const CcOptions& options, const Input& input, const char* extension) {
  if (!options.output.empty()) return options.output;
  return fs::path(input.name).filename().replace_extension(extension).string();
}

void check_files(const CcOptions& options) {
  const std::vector<fs::path> inputs = inputs_of(options);
  // Compilers and linkers wait for what is in a pipe, and report pages about a device. What is missing they name.
  std::error_code error;
  for (const fs::path& input : inputs) {
    base::refuse_line_end_of_source(input);
    if (fs::exists(input, error)) base::require_regular_file(input);
  }
  const Outputs outputs = outputs_of(options);
  for (const auto& [option, file] : outputs) base::refuse_overwrite(option, file, inputs);
  base::refuse_same_outputs(outputs);
}

}  // namespace heddle::programs
