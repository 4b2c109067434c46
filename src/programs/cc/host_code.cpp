#include "programs/cc/host_code.hpp"

#include <algorithm>
#include <cctype>

#include "base/cache_folder.hpp"
#include "base/fail.hpp"
#include "base/file.hpp"
#include "base/hash.hpp"
#include "compile/clang.hpp"
#include "compile/dialect.hpp"
#include "programs/cc/device_code.hpp"
#include "programs/cc/libraries.hpp"
#include "programs/places.hpp"

namespace heddle::programs {
namespace {

using Words = std::vector<std::string>;

void add(Words& words, const Words& more) { words.insert(words.end(), more.begin(), more.end()); }

// Names that begin with an underscore belong to the system's headers, which look at them (_GNU_SOURCE,
// _FILE_OFFSET_BITS); Heddle's headers use none that a program could mean.
bool is_of_the_system(const std::string& define) { return define.starts_with('_'); }

// The other macros reach the program, but not the headers that Heddle includes before it, where an N or a T may be
// anything.
std::string macro_header(const CcOptions& options) {
  std::string text;
  for (const std::string& define : options.defines) {
    compile::CompileOptions one;
    if (define.starts_with('-'))
      text += "#undef " + define.substr(1) + '\n';
    else if (!is_of_the_system(define))
      one.defines.push_back(define);
    compile::check_options(one);
    text += compile::definitions(one);
  }
  return text;
}

// Lists of dependencies name the header, so that it has to stay where it is and be one of the system's.
std::filesystem::path macro_folder(const HostTools& tools) {
  const std::filesystem::path folder = base::cache_directory() / "macros";
  return base::make_cache(folder) ? folder : tools.temporary;
}

// Returns its name, which its content decides.
std::string write_macros(const std::string& text, const HostTools& tools) {
  const std::string name = "heddle_macros_" + base::sha256_hex(text).substr(0, 16) + ".h";
  const std::filesystem::path file = macro_folder(tools) / name;
  if (base::read_cache_file(file) != text) base::write_file_atomic(file, std::string_view(text));
  return name;
}

void add_macros(Words& words, const CcOptions& options, const HostTools& tools, Language language) {
  if (options.per_thread_stream) words.push_back("-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1");
  for (const std::string& define : options.defines) {
    if (define.starts_with('-')) {
      words.push_back("-U" + define.substr(1));
    } else if (language != Language::cuda || is_of_the_system(define)) {
      words.push_back("-D" + define);
    }
  }
  if (language != Language::cuda) return;
  add(words, {"-include", "heddle/prelude.h"});
  const std::string macros = macro_header(options);
  if (!macros.empty()) add(words, {"-isystem" + macro_folder(tools).string(), "-include", write_macros(macros, tools)});
}

compile::CompileOptions folders_of(const CcOptions& options) {
  compile::CompileOptions folders;
  folders.include_paths = options.include_paths;
  for (const std::string& folder : options.system_include_paths) add(folders.extra, {"-isystem", folder});
  for (const std::string& folder : options.quoted_include_paths) add(folders.extra, {"-iquote", folder});
  for (const std::string& file : options.forced_includes) add(folders.extra, {"-include", file});
  return folders;
}

// Heddle's headers follow the program's own folders. A folder of these that holds NVIDIA's SDK follows Heddle's
// headers.
void add_folders(Words& words, const CcOptions& options, const HostTools& tools) {
  const compile::CompileOptions folders = folders_of(options);
  const compile::IncludePaths paths = compile::include_arguments(folders, tools.headers);
  add(words, paths.before);
  words.push_back("-isystem" + tools.headers.string());
  if (!paths.own.empty()) words.push_back("-isystem" + paths.own.back());
  for (const std::string& folder : options.system_include_paths) add(words, {"-isystem", folder});
  for (std::size_t i = 1; i < paths.after.size(); i += 2) words.push_back("-idirafter" + paths.after[i]);
}

Words cuda_arguments(const CcOptions& options, const std::string& file, const std::filesystem::path& image) {
  Words words{"-x", "cuda", "--cuda-host-only", "-nocudainc", "-nocudalib", "--cuda-path=/nonexistent",
              "-Wno-unknown-cuda-version", "-Wno-error=c++11-narrowing", "-Wno-error=register",
              "-Wno-error=reserved-user-defined-literal",
              // As for the device's side.
              "-Xclang", "-fcuda-allow-variadic-functions",
              // Launches as CUDA has had them since 9.2.
              "-Xclang", "-target-sdk-version=12.0"};
  // The compiler's own calls, which no macro reaches.
  if (options.per_thread_stream) add(words, {"-Xclang", "-fgpu-default-stream=per-thread"});
  add(words, unit_arguments(file, options));
  if (!image.empty()) add(words, {"-Xclang", "-fcuda-include-gpubinary", "-Xclang", image.string()});
  return words;
}

Words phase_arguments(const CcOptions& options) {
  switch (options.phase) {
    case Phase::preprocess: return {"-E"};
    case Phase::dependencies: return options.dependencies;
    default: break;
  }
  Words words{"-c"};
  add(words, options.dependencies);
  return words;
}

}  // namespace

HostTools find_host_tools(const CcOptions& options) {
  HostTools tools;
  // PTX needs none.
  if (options.phase != Phase::ptx) tools.clang = compile::find_host_clang().path;
  tools.host_compiler = tools.clang.string();
  tools.libraries = library_folder();
  if (!options.host_compiler.empty()) {
    std::error_code error;
    std::string name = options.host_compiler;
    if (std::filesystem::is_directory(name, error)) name = (std::filesystem::path(name) / "g++").string();
    tools.host_compiler = find_program(name);
    if (tools.host_compiler.empty()) base::fail(ErrorCode::not_found, "-ccbin {}: there is no such program", name);
  }
  return tools;
}

std::vector<std::string> host_command(const CcOptions& options, const HostTools& tools, const Input& input,
                                      const std::filesystem::path& image, const std::string& output) {
  const bool is_cuda = input.language == Language::cuda;
  Words words{is_cuda ? tools.clang.string() : tools.host_compiler};
  if (is_cuda)
    add(words, cuda_arguments(options, input.name, image));
  else
    add(words, {"-x", input.language == Language::c ? "c" : "c++"});
  add(words, phase_arguments(options));
  if (const std::string standard = host_standard(options, input.language); !standard.empty())
    words.push_back("-std=" + standard);
  if (!options.host_opt.empty()) words.push_back(options.host_opt);
  if (options.debug) words.push_back("-g");
  if (options.fast_math && is_cuda) words.push_back("-DHEDDLE_FAST_MATH=1");
  if (options.no_warnings) words.push_back("-w");
  if (options.errors_for_warnings) words.push_back("-Werror");
  add_folders(words, options, tools);
  add_macros(words, options, tools, input.language);
  for (const std::string& folder : options.quoted_include_paths) add(words, {"-iquote", folder});
  for (const std::string& file : options.forced_includes) add(words, {"-include", file});
  if (is_cuda)
    add(words, compile::dialect_overlay({base::read_file(input.name), input.name, true}, folders_of(options),
                                        tools.temporary));
  add(words, options.host);
  if (!output.empty()) add(words, {"-o", output});
  // A compiler would take a name that begins with - for an option.
  words.push_back(input.name.starts_with('-') ? "./" + input.name : input.name);
  return words;
}

namespace {

bool is_clang(const std::filesystem::path& program) { return program.filename().string().starts_with("clang"); }

// clang++-19 beside clang-19. Build systems that take the first word of the line, as CMake does, link C++ with it.
std::string linker_program(const std::filesystem::path& compiler) {
  const std::string name = compiler.filename().string();
  std::error_code error;
  std::filesystem::path cxx = compiler.parent_path() / ("clang++" + name.substr(std::min<std::size_t>(5, name.size())));
  return is_clang(compiler) && !name.starts_with("clang++") && std::filesystem::exists(cxx, error) ? cxx.string()
                                                                                                   : compiler.string();
}

// In the order of the command line: an option may be for what follows. In a group, as with nvcc, so that a library may
// come before what needs it.
Words files_and_libraries(const CcOptions& options, const HostTools& tools, const Words& objects) {
  const auto opens_group = [](const std::string& word) { return word == "--start-group" || word == "-("; };
  const bool in_group = std::none_of(options.linker.begin(), options.linker.end(), opens_group);  // they do not nest
  Words words;
  if (in_group) words.push_back("-Wl,--start-group");
  for (const LinkWord& word : options.link_words) {
    switch (word.kind) {
      case LinkWord::Kind::input: words.push_back(objects[word.index]); break;
      case LinkWord::Kind::library:
        if (std::string library = library_argument(options.libraries[word.index], options, tools.libraries);
            !library.empty())
          words.push_back(std::move(library));
        break;
      case LinkWord::Kind::linker: add(words, {"-Xlinker", options.linker[word.index]}); break;
    }
  }
  if (in_group) words.push_back("-Wl,--end-group");
  return words;
}

}  // namespace

std::string library_folder_argument(const HostTools& tools) { return "-L" + tools.libraries.string(); }

std::vector<std::string> link_command(const CcOptions& options, const HostTools& tools, const Words& objects) {
  Words words{linker_program(tools.host_compiler)};
  if (words.front() == tools.host_compiler && is_clang(tools.host_compiler)) words.push_back("--driver-mode=g++");
  add(words, {"-o", options.output.empty() ? "a.out" : options.output});
  if (options.shared) words.push_back("-shared");
  if (options.debug) words.push_back("-g");
  add(words, options.host);
  // What Heddle has made itself: what joins the device code refers to files of archives, and so comes first.
  words.insert(words.end(), objects.begin() + static_cast<std::ptrdiff_t>(options.inputs.size()), objects.end());
  words.push_back(library_folder_argument(tools));  // first: a folder of the user's may have NVIDIA's libcudart
  for (const std::string& folder : options.library_paths) words.push_back("-L" + folder);
  add(words, files_and_libraries(options, tools, objects));
  if (options.cudart == CudaLibrary::shared) words.push_back("-lcudart");
  // Heddle's library needs others of Heddle's, which are not the program's matter.
  words.push_back("-Wl,--allow-shlib-undefined");
  return words;
}

}  // namespace heddle::programs
