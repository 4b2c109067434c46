#include "programs/cc/option_table.hpp"

#include <algorithm>
#include <cctype>

#include "base/fail.hpp"

namespace heddle::programs {
namespace {

using O = CcOptions;
using Text = const std::string&;
using V = OptionRule::Value;

bool truth(Text value) { return value != "false"; }

// "sm_80" as "80", "compute_90a" as "90a", with lto_ too; nothing for what is no architecture.
std::string number_of(std::string_view word) {
  for (const std::string_view kind : {"sm_", "compute_", "lto_"}) {
    if (!word.starts_with(kind)) continue;
    word.remove_prefix(kind.size());
    const std::size_t digits = std::min(word.find_first_not_of("0123456789"), word.size());
    const std::string_view rest = word.substr(digits);
    if ((digits == 2 || digits == 3) && (rest.empty() || rest == "a" || rest == "f")) return std::string(word);
  }
  return {};
}

// "sm_80", "compute_90a", "sm_80,compute_80", "[sm_80,compute_80]".
void add_architectures(O& o, const char* option, Text value) {
  std::string_view rest = value;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find_first_of(",[]\"' "), rest.size());
    const std::string_view word = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (word.empty()) continue;
    const std::string number = number_of(word);
    if (number.empty())
      base::fail(ErrorCode::invalid_argument, "{} {}: '{}' is no architecture; expected sm_80, compute_80 or the like",
                 option, value, word);
    o.architectures.push_back(number);
  }
}

// For the GPUs of this machine or for all: the one that is made without any.
bool is_general(Text value) { return value == "native" || value == "all" || value == "all-major"; }

// "arch=compute_80,code=sm_80": the first says what the PTX is for.
void generate_code(O& o, Text value) {
  constexpr std::string_view arch = "arch=", code = ",code=";
  const std::size_t comma = value.find(code);
  if (!value.starts_with(arch) || comma == value.npos)
    base::fail(ErrorCode::invalid_argument, "-gencode {}: expected arch=compute_80,code=sm_80 or the like", value);
  add_architectures(o, "-gencode", value.substr(arch.size(), comma - arch.size()));
  O ignored;
  add_architectures(ignored, "-gencode", value.substr(comma + code.size()));
}

// "A=1,B=2" are two, as nvcc has it, and "A=1\\,2" is one. So are "F(x,y)=x+y" and "A={1,2}", which nvcc takes apart to
// what is no macro: a comma ends one only outside quotes and brackets, and in front of a name.
void add_defines(O& o, Text value) {
  std::string define;
  bool quoted = false;
  int depth = 0;
  for (std::size_t i = 0; i < value.size(); ++i) {
    const char c = value[i], next = i + 1 < value.size() ? value[i + 1] : '\0';
    if (c == '\\' && next != '\0') {
      if (next != ',') define += c;
      define += value[++i];
      continue;
    }
    if (c == '"') quoted = !quoted;
    if (!quoted) depth += (c == '(' || c == '{' || c == '[' ? 1 : 0) - (c == ')' || c == '}' || c == ']' ? 1 : 0);
    const bool name = next == '_' || std::isalpha(static_cast<unsigned char>(next)) != 0;
    if (c == ',' && !quoted && depth == 0 && name && !define.empty()) {
      o.defines.push_back(std::move(define));
      define.clear();
    } else {
      define += c;
    }
  }
  o.defines.push_back(std::move(define));
}

void set_phase(O& o, Phase phase) {
  if (o.phase != Phase::link && o.phase != phase)
    base::fail(ErrorCode::invalid_argument, "only one of -c, -dc, -dlink, -ptx, -E, -M can be given");
  o.phase = phase;
}

void set_language(O& o, Text value) {
  if (value == "cu")
    o.language = Language::cuda;
  else if (value == "c")
    o.language = Language::c;
  else if (value == "c++")
    o.language = Language::cxx;
  else
    base::fail(ErrorCode::invalid_argument, "-x {}: expected cu, c or c++", value);
}

void set_cudart(O& o, Text value) {
  if (value == "none") {
    o.cudart = CudaLibrary::none;
  } else if (value == "static") {
    o.notes.push_back(
        "-cudart static: Heddle has no library to link statically, and a program with NVIDIA's in it could not be run "
        "by "
        "`heddle run`; libcudart.so.12 is linked");
  } else if (value != "shared") {
    base::fail(ErrorCode::invalid_argument, "-cudart {}: expected shared, static or none", value);
  }
}

void set_stream(O& o, Text value) {
  if (value != "legacy" && value != "null" && value != "per-thread")
    base::fail(ErrorCode::invalid_argument, "--default-stream {}: expected legacy or per-thread", value);
  o.per_thread_stream = value == "per-thread";
}

void set_opt(O& o, Text value) {
  const bool of_clang = value == "fast" || value == "s" || value == "z" || value == "g";
  if (!of_clang && (value.size() != 1 || value[0] < '0' || value[0] > '3'))
    base::fail(ErrorCode::invalid_argument, "-O{}: expected -O0 to -O3", value);
  o.host_opt = "-O" + value;
}

void add_dependency_option(O& o, const char* option, Text value = {}) {
  o.dependencies.push_back(option);
  if (!value.empty()) o.dependencies.push_back(value);
}

void set_dependencies(O& o, const char* option) {
  set_phase(o, Phase::dependencies);
  o.dependencies.push_back(option);
}

constexpr const char* no_machine_code =
    "Heddle makes PTX, which every NVIDIA GPU's driver and Heddle translate; -ptx writes it to a file";
constexpr const char* no_machine_code_link =
    "device code of several files is joined as PTX, when the program first uses it: -dc and -dlink, or -rdc=true, do "
    "that";

std::vector<OptionRule> input_rules() {
  return {
      {{"c", "compile"}, V::none, [](O& o, Text) { set_phase(o, Phase::compile); }},
      {{"dc", "device-c"},
       V::none,
       [](O& o, Text) {
         set_phase(o, Phase::compile);
         o.relocatable = true;
       }},
      {{"rdc", "relocatable-device-code"}, V::one, [](O& o, Text value) { o.relocatable = value == "true"; }},
      {{"E", "preprocess"}, V::none, [](O& o, Text) { set_phase(o, Phase::preprocess); }},
      {{"ptx"}, V::none, [](O& o, Text) { set_phase(o, Phase::ptx); }},
      {{"M", "generate-dependencies"}, V::none, [](O& o, Text) { set_dependencies(o, "-M"); }},
      {{"MM", "generate-nonsystem-dependencies"}, V::none, [](O& o, Text) { set_dependencies(o, "-MM"); }},
      {{"MD", "generate-dependencies-with-compile"}, V::none, [](O& o, Text) { add_dependency_option(o, "-MD"); }},
      {{"MMD", "generate-nonsystem-dependencies-with-compile"},
       V::none,
       [](O& o, Text) { add_dependency_option(o, "-MMD"); }},
      {{"MP", "generate-dependency-targets"}, V::none, [](O& o, Text) { add_dependency_option(o, "-MP"); }},
      {{"MF", "dependency-output"}, V::one, [](O& o, Text v) { add_dependency_option(o, "-MF", v); }},
      {{"MT", "dependency-target-name"}, V::one, [](O& o, Text v) { add_dependency_option(o, "-MT", v); }},
      {{"link"}, V::none},
      {{"shared"}, V::none, [](O& o, Text) { o.shared = true; }},
      {{"o", "output-file"}, V::one, [](O& o, Text v) { o.output = v; }, true},
      {{"odir", "output-directory"}, V::one, nullptr, false, "-o names the output, with its folder"},
      {{"I", "include-path"}, V::list, [](O& o, Text v) { o.include_paths.push_back(v); }, true},
      {{"isystem", "system-include"}, V::list, [](O& o, Text v) { o.system_include_paths.push_back(v); }},
      {{"include", "pre-include"}, V::list, [](O& o, Text v) { o.forced_includes.push_back(v); }},
      {{"D", "define-macro"}, V::one, add_defines, true},
      {{"U", "undefine-macro"}, V::list, [](O& o, Text v) { o.defines.push_back("-" + v); }, true},
      {{"L", "library-path"}, V::list, [](O& o, Text v) { o.library_paths.push_back(v); }, true},
      {{"l", "library"}, V::list, [](O& o, Text v) { o.add_library(v); }, true},
      {{"cubin"}, V::none, nullptr, false, no_machine_code},
      {{"fatbin"}, V::none, nullptr, false, no_machine_code},
      {{"optix-ir"}, V::none, nullptr, false, no_machine_code},
      {{"ltoir"}, V::none, nullptr, false, no_machine_code},
      {{"dlto", "dlink-time-opt", "lto", "gen-opt-lto"}, V::none, nullptr, false, no_machine_code_link},
      {{"dlink", "device-link"}, V::none, [](O& o, Text) { set_phase(o, Phase::device_link); }},
      {{"dw", "device-w"}, V::none, nullptr, false, no_machine_code_link},
      {{"cuda", "cuda-output"},
       V::none,
       nullptr,
       false,
       "there are no steps between a source and an object file to keep"},
      {{"lib"}, V::none, nullptr, false, "use -c, and ar for the archive"},
      {{"run"}, V::none, nullptr, false, "use `heddle run FILE.cu`"},
  };
}

std::vector<OptionRule> code_rules() {
  return {
      {{"arch", "gpu-architecture"},
       V::one,
       [](O& o, Text v) {
         if (!is_general(v)) add_architectures(o, "-arch", v);
       }},
      {{"code", "gpu-code"}, V::one, [](O& o, Text v) { add_architectures(o, "-code", v); }},
      {{"gencode", "generate-code"}, V::one, generate_code},
      {{"O", "optimize"}, V::one, set_opt, true},
      {{"g", "debug"}, V::none, [](O& o, Text) { o.debug = true; }},
      {{"G", "device-debug"}, V::none, [](O& o, Text) { o.device_debug = true; }},
      {{"lineinfo", "generate-line-info"}, V::none, [](O& o, Text) { o.line_info = true; }},
      {{"std"}, V::one, [](O& o, Text v) { o.standard = v; }},
      {{"use_fast_math"}, V::none, [](O& o, Text) { o.fast_math = true; }},
      {{"fmad"}, V::optional_truth, [](O& o, Text v) { o.no_contraction = !truth(v); }},
      {{"ftz"}, V::optional_truth, [](O& o, Text v) { o.flush_denormals = truth(v); }},
      {{"prec-div"}, V::optional_truth},  // division and roots are as exact as they can be, or as --use_fast_math says
      {{"prec-sqrt"}, V::optional_truth},
      {{"default-stream"}, V::one, set_stream},
      {{"expt-relaxed-constexpr"}, V::none},
      {{"extended-lambda", "expt-extended-lambda"}, V::none},
      {{"restrict"}, V::none},
      {{"extra-device-vectorization"}, V::none},
      {{"maxrregcount"}, V::number},
      {{"dopt", "device-optimize"}, V::one},
      {{"Ofc", "Ofast-compile"}, V::one},
  };
}

std::vector<OptionRule> tool_rules() {
  return {
      {{"Xcompiler", "compiler-options"}, V::words, [](O& o, Text v) { o.host.push_back(v); }},
      {{"Xlinker", "linker-options"}, V::words, [](O& o, Text v) { o.add_linker_word(v); }},
      // Options of the host's compiler are taken by name, with and without these.
      {{"forward-unknown-to-host-compiler", "forward-unknown-to-host-linker", "forward-unknown-opts"}, V::none},
      {{"Xptxas", "ptxas-options"}, V::list},
      {{"Xnvlink", "nvlink-options"}, V::list},
      {{"Xcudafe"}, V::list},
      {{"Xarchive", "archive-options"}, V::list},
      {{"x"}, V::one, set_language},
      {{"ccbin", "compiler-bindir"}, V::one, [](O& o, Text v) { o.host_compiler = v; }},
      {{"allow-unsupported-compiler"}, V::none},
      {{"cudart"}, V::one, set_cudart},
      {{"cudadevrt"}, V::one},
      {{"m", "machine"},
       V::one,
       [](O&, Text v) {
         if (v != "64") base::fail(ErrorCode::unsupported, "-m {}: programs are of 64 bits", v);
       }},
      {{"m64"}, V::none},
      {{"m32"}, V::none, nullptr, false, "programs are of 64 bits"},
      {{"w", "disable-warnings"}, V::none, [](O& o, Text) { o.no_warnings = true; }},
      {{"Werror"},
       V::one,
       [](O& o, Text v) { o.errors_for_warnings = o.errors_for_warnings || v.find("all-warnings") != v.npos; }},
      {{"Wno-deprecated-gpu-targets"}, V::none},
      {{"Wreorder"}, V::none, [](O& o, Text) { o.host.push_back("-Wreorder"); }},
      {{"Wext-lambda-captures-this"}, V::none},
      {{"Wdefault-stream-launch"}, V::none},
      {{"Wno-deprecated-declarations"}, V::none, [](O& o, Text) { o.host.push_back("-Wno-deprecated-declarations"); }},
      {{"diag-suppress", "diag_suppress"}, V::list},
      {{"diag-warn"}, V::list},
      {{"diag-error"}, V::list},
      {{"display-error-number", "err-no"}, V::none},
      {{"no-display-error-number", "no-err-no"}, V::none},
      {{"res-usage", "resource-usage"}, V::none},
      {{"pg", "profile"}, V::none, [](O& o, Text) { o.host.push_back("-pg"); }},
      {{"t", "threads"}, V::number, nullptr, true},
      {{"split-compile"}, V::number},
      {{"keep", "k", "save-temps"}, V::none},
      {{"keep-dir"}, V::one},
      {{"time"}, V::one},
      {{"opt-info", "optimization-info"}, V::list},
      {{"ldir", "libdevice-directory"}, V::one},
      {{"target-dir", "target-directory"}, V::one, nullptr, false, "programs are for this machine"},
      {{"objtemp", "objdir-as-tempdir"}, V::none},
      {{"compress-mode"}, V::one},
      {{"no-compress"}, V::none},
      {{"source-in-ptx", "src-in-ptx"}, V::none},
      {{"v", "verbose"}, V::none, [](O& o, Text) { o.verbose = true; }},
      {{"dryrun"}, V::none, [](O& o, Text) { o.dry_run = o.verbose = true; }},
      {{"h", "help"}, V::none, [](O& o, Text) { o.help = true; }},
      {{"V", "version"}, V::none, [](O& o, Text) { o.version = true; }},
  };
}

}  // namespace

const std::vector<OptionRule>& option_rules() {
  static const std::vector<OptionRule> all = [] {
    std::vector<OptionRule> rules;
    for (const auto& part : {input_rules(), code_rules(), tool_rules()})
      rules.insert(rules.end(), part.begin(), part.end());
    return rules;
  }();
  return all;
}

}  // namespace heddle::programs
