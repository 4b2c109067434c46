#include "programs/cc/cc.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/fail.hpp"
#include "base/file.hpp"
#include "base/print_error.hpp"
#include "base/temporary_folder.hpp"
#include "compile/headers.hpp"
#include "compile/lack.hpp"
#include "compile/nvrtc/find.hpp"
#include "compile/sdk.hpp"
#include "compile/subprocess.hpp"
#include "heddle/version.hpp"
#include "programs/cc/device_code.hpp"
#include "programs/cc/device_link.hpp"
#include "programs/cc/diagnostics.hpp"
#include "programs/cc/host_code.hpp"
#include "programs/cc/libraries.hpp"
#include "programs/cc/outputs.hpp"
#include "programs/cc/parse_options.hpp"
#include "programs/cc/pending_outputs.hpp"
#include "programs/cc/registration.hpp"
#include "programs/places.hpp"

namespace heddle::programs {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

class Build {
 public:
  explicit Build(const CcOptions& options) : options_(options), tools_(find_host_tools(options)) {
    temporary_.create("cc");
    tools_.headers = headers_.path();
    tools_.temporary = temporary_.path();
  }

  void run() {
    for (const std::string& note : options_.notes) base::print_error("heddle cc: note: {}\n", note);
    if (options_.verbose) show_toolkit();
    Words objects;
    for (const Input& input : options_.inputs) {
      if (input.language == Language::object)
        objects.push_back(input.name);
      else if (options_.phase == Phase::ptx)
        write_ptx(input);
      else
        objects.push_back(compile(input));
    }
    if (options_.phase == Phase::device_link)
      link_device_code(objects, options_.output.empty() ? "a_dlink.o" : options_.output);
    if (options_.phase != Phase::link) return;
    const std::string linked = (temporary_.path() / "device_link.o").string();
    if (link_device_code(objects, linked)) objects.push_back(linked);
    execute(link_command(options_, tools_, objects), "the program cannot be linked", {});
  }

 private:
  // In the form of nvcc's -v. CMake reads it: the folders of headers and libraries, and the line with the same words as
  // LIBRARIES, which is the linker's.
  void show_toolkit() const {
    base::print_error("#$ INCLUDES={}\n#$ LIBRARIES={}\n", quoted("-I" + tools_.headers.string()),
                      quoted(library_folder_argument(tools_)));
  }

  void show_device_compiler(const Input& input) const {
    Words command{"heddle", "compile"};
    for (const std::string& arch : options_.architectures) command.insert(command.end(), {"-arch", "compute_" + arch});
    command.push_back(input.name);
    show(command);
  }

  bool makes_whole() const { return options_.phase == Phase::link || options_.phase == Phase::device_link; }

  // In one step with linking, the list of dependencies has the names that gcc gives it, and not that of an object which
  // nobody sees.
  void name_dependencies(Words& words, const Input& input) const {
    const auto has = [&](const char* option) { return std::find(words.begin(), words.end(), option) != words.end(); };
    if (!makes_whole() || (!has("-MD") && !has("-MMD"))) return;
    const std::string target = output_of(options_, input, ".o");
    if (!has("-MF")) words.insert(words.end(), {"-MF", fs::path(target).replace_extension(".d").string()});
    if (!has("-MT") && !has("-MQ")) words.insert(words.end(), {"-MQ", target});
  }

  // Where the result of one source goes; empty for standard output.
  std::string output_for(const Input& input, const char* extension) {
    if (makes_whole()) return (temporary_.path() / fmt::format("{}.o", ++count_)).string();
    return extension ? output_of(options_, input, extension) : options_.output;
  }

  void write_ptx(const Input& input) {
    if (input.language != Language::cuda) base::fail(ErrorCode::invalid_argument, "{} is no CUDA C++", input.name);
    show_device_compiler(input);
    if (options_.dry_run) return;
    base::require_folder_of(options_.output);
    const DeviceCode code = compile_device_code(input.name, options_);
    base::print_error("{}", code.warnings);
    if (options_.output == "-")
      fmt::print("{}", code.ptx.front().text);
    else
      base::write_users_file(output_for(input, ".ptx"), std::string_view(code.ptx.front().text));
  }

  std::string compile(const Input& input) {
    const bool makes_code = makes_whole() || options_.phase == Phase::compile;
    fs::path image;
    std::string warnings;
    CcOptions options = options_;
    name_dependencies(options.dependencies, input);
    if (makes_code && input.language == Language::cuda) {
      show_device_compiler(input);
      image = temporary_.path() / fmt::format("{}.fatbin", ++count_);
      if (!options_.dry_run) {
        const DeviceCode code = compile_device_code(input.name, options_);
        base::write_file_atomic(image, pack(code));
        warnings = code.warnings;
        options.include_paths.insert(options.include_paths.end(), code.toolkit.begin(), code.toolkit.end());
      }
    }
    const std::string output = output_for(input, makes_code ? ".o" : nullptr);
    const auto run = [&] {
      execute(host_command(options, tools_, input, image, output), input.name + " does not compile", warnings);
    };
    try {
      run();
    } catch (const compile::MissingSdk&) {  // plain C++, or no code is made
      const std::vector<std::string> toolkit = compile::nvrtc::find_headers();
      if (toolkit.empty() || options.include_paths.size() != options_.include_paths.size()) throw;
      options.include_paths.insert(options.include_paths.end(), toolkit.begin(), toolkit.end());
      run();
    }
    if (makes_code && input.language == Language::cuda && !options_.dry_run) register_first(fs::path(output));
    return output;
  }

  // Makes `output`, what joins the device code of several files. False without such code; -dlink makes it all the same.
  bool link_device_code(Words files, const std::string& output) {
    const Words more = archives(options_);
    files.insert(files.end(), more.begin(), more.end());
    const std::string source = options_.dry_run ? std::string() : device_link_source(files);
    if (source.empty() && options_.phase == Phase::link) return false;
    const std::string file = (temporary_.path() / "device_link.c").string();
    base::write_file_atomic(file, std::string_view(source));
    execute({tools_.host_compiler, "-x", "c", "-O1", "-fPIC", "-c", file, "-o", output},
            "the device code cannot be linked", {});
    return true;
  }

  // `warnings` are those of the device's side, which reads the same source.
  void execute(const Words& command, const std::string& failure, const std::string& warnings) {
    show(command);
    if (options_.dry_run) return;
    PendingOutputs pending(command, temporary_.path());
    const compile::ProcessResult result = compile::run_process(pending.command(), {}, environment());
    if (const std::string missing = compile::explain_missing(result.err); result.exit_status != 0 && !missing.empty())
      throw compile::MissingSdk(fmt::format("{}:\n{}{}", failure, result.err, missing));
    compile::refuse_lack(fs::path(command.front()).filename().string(), result, output_in(command));
    fmt::print("{}", result.out);
    if (result.exit_status != 0 && result.err.empty())
      base::fail(ErrorCode::compile_error, "{}: {} It gave no reason.", failure,
                 compile::how_it_ended(command.front(), result));
    if (result.exit_status != 0) base::fail(ErrorCode::compile_error, "{}:\n{}", failure, result.err);
    pending.settle();
    base::print_error("{}", merged_diagnostics(result.err, warnings));
  }

  // What a compiler's command writes to.
  fs::path output_in(const Words& command) const {
    const auto option = std::find(command.begin(), command.end(), "-o");
    return option != command.end() && option + 1 != command.end() ? fs::path(*(option + 1)) : temporary_.path();
  }

  void show(const Words& command) const {
    if (!options_.verbose) return;
    std::string line = "#$";
    for (const std::string& word : command) line += ' ' + quoted(word);
    base::print_error("{}\n", line);
  }

  const CcOptions& options_;
  HostTools tools_;
  compile::HeaderFolder headers_;
  base::TemporaryFolder temporary_;
  int count_ = 0;
};

}  // namespace

namespace {

// Compilers of both sides read a source, so that standard input becomes a file first.
CcOptions with_standard_input(CcOptions options, Input& input, const fs::path& folder) {
  if (options.output.empty() && (options.phase == Phase::compile || options.phase == Phase::ptx))
    base::fail(ErrorCode::invalid_argument,
               "-: what comes from standard input has no name for the output; -o gives one");
  const fs::path file = folder / (input.language == Language::cuda ? "stdin.cu" : "stdin");
  base::write_file_atomic(file, "#line 1 \"<stdin>\"\n" + base::read_standard_input());
  input.name = file.string();
  options.include_paths.emplace_back(".");  // as if the source were in the working folder
  return options;
}

}  // namespace

void build(const CcOptions& options) {
  check_files(options);
  std::vector<Input> inputs = options.inputs;
  const auto standard =
      std::find_if(inputs.begin(), inputs.end(), [](const Input& input) { return input.name == "-"; });
  if (standard == inputs.end()) return Build(options).run();
  base::TemporaryFolder folder;
  folder.create("stdin");
  CcOptions changed = with_standard_input(options, *standard, folder.path());
  changed.inputs = std::move(inputs);
  Build(changed).run();
}

namespace {

// CMake compiles a file of this name to find the toolkit, and reads what nvcc -v shows before it fails. NVIDIA's, where
// it is installed, as find_package(CUDAToolkit) looks for its libraries there.
constexpr const char* question_of_cmake = "__cmake_determine_cuda";

void answer_cmake() {
  fs::path root = library_folder().parent_path().parent_path().parent_path();  // PREFIX/lib/heddle/cuda
  for (const std::string& headers : compile::nvrtc::find_headers()) {
    const fs::path above = fs::path(headers).parent_path();
    if (std::error_code error; !fs::exists(above / "nvvm" / "libdevice", error)) continue;
    root = above;
    break;
  }
  fmt::print(stderr, "#$ TOP={}\n#$ NVVMIR_LIBRARY_DIR={}\n", root.string(), (root / "nvvm" / "libdevice").string());
}

}  // namespace

void cc(const Words& words) {
  if (std::ranges::find(words, question_of_cmake) != words.end()) return answer_cmake();
  const CcOptions options = parse_cc_options(words);
  if (options.help) {
    fmt::print("{}", cc_help());
  } else if (options.version) {
    // The second and third line are those by which CMake and other programs know nvcc and its version.
    fmt::print(
        "heddle cc {}: CUDA C++ through clang 19, CUDA 12 runtime\n"
        "It takes the place of nvcc: NVIDIA (R) Cuda compiler driver\n"
        "Cuda compilation tools, release 12.0, V12.0.0\n",
        version);
  } else {
    build(options);
  }
}

}  // namespace heddle::programs
