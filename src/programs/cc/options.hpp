// What the command line of `heddle cc`, which is that of nvcc, asks for.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace heddle::programs {

enum class Phase { link, device_link, compile, preprocess, ptx, dependencies };
enum class Language { cuda, c, cxx, object };
enum class CudaLibrary { shared, none };

struct Input {
  std::string name;
  Language language = Language::object;
};

// What the linker gets at its place on the command line: --whole-archive and the like are for what follows them.
struct LinkWord {
  enum class Kind { input, library, linker } kind;
  std::size_t index;  // in the list of that kind
};

struct CcOptions {
  void add_input(const std::string& name);
  void add_library(const std::string& name);
  void add_linker_word(const std::string& word);

  std::vector<Input> inputs;
  std::vector<std::string> option_files;  // @FILE, -optf: where options were read from
  std::optional<Language> language;       // -x: of all inputs
  Phase phase = Phase::link;
  std::string output;
  bool shared = false;
  CudaLibrary cudart = CudaLibrary::shared;

  std::vector<std::string> include_paths, system_include_paths, quoted_include_paths, forced_includes;
  std::vector<std::string> defines;  // NAME or NAME=VALUE; a name that begins with - is to be undefined
  std::vector<std::string> library_paths;
  std::vector<std::string> libraries;      // names as of -l
  std::vector<std::string> host, linker;   // -Xcompiler, -Xlinker
  std::vector<LinkWord> link_words;        // inputs, libraries and what is for the linker, as they came
  std::vector<std::string> dependencies;   // -MD, -MF FILE and the like, for the compiler of the host's code
  std::vector<std::string> architectures;  // "80", oldest first, each once
  std::string standard;                    // "c++17"; empty: the compilers' own
  std::string host_compiler;               // -ccbin: for plain C and C++, and the linker
  std::string host_opt;                    // "-O2"; empty: none
  bool debug = false;                      // -g
  bool device_debug = false;               // -G
  bool line_info = false;
  bool fast_math = false;
  bool no_contraction = false;   // -fmad=false
  bool flush_denormals = false;  // -ftz=true
  bool per_thread_stream = false;
  bool relocatable = false;  // -rdc=true, -dc: device code of several files is joined
  bool no_warnings = false, errors_for_warnings = false;
  bool verbose = false, dry_run = false;
  bool help = false, version = false;
  std::vector<std::string> notes;  // what was accepted and does something else than with nvcc
};

// The standard for sources of this language, without "-std="; empty for the compiler's own. Heddle's headers need
// C++17, so CUDA C++ is never read as an older one.
std::string host_standard(const CcOptions& options, Language language);

}  // namespace heddle::programs
