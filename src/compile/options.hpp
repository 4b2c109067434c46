// What a compiler is asked for, and what it gives back.
#pragma once

#include <string>
#include <vector>

namespace heddle::compile {

enum class Compiler { by_default, clang, nvrtc };

struct CompileOptions {
  std::vector<std::string> defines;        // "NAME", "NAME=VALUE" or "NAME(PARAMETERS)=VALUE"
  std::vector<std::string> include_paths;  // searched before Heddle's own headers, or after them (include_arguments())
  // sm_80 is the oldest target that has every instruction in wide use (f16x2 and bf16 arithmetic, redux, cp.async,
  // scoped and release/acquire memory operations), and every GPU since Ampere accepts its PTX. Newer targets work too.
  std::string arch = "sm_80";
  bool fast_math = false;          // nvcc's -use_fast_math: flush denormals, approximate division, root and functions
  int opt = 3;                     // -O level, 0 to 3
  bool line_info = true;           // .loc directives, so that faults can name the source line
  std::vector<std::string> extra;  // passed to the compiler unchanged
  Compiler compiler = Compiler::by_default;
};

struct CompileResult {
  std::string ptx;
  std::string warnings;     // the compiler's, as printed; empty when there were none
  bool from_cache = false;  // true when no compiler ran
};

}  // namespace heddle::compile
