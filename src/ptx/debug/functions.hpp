// Functions and their parameters as the debug information of PTX (DWARF 2 to 4) describes them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heddle::ptx {

struct DebugParameter {
  std::string name = {};    // empty: not given
  std::string type = {};    // "const real*"; empty: of a kind that is not spelled here (pointers to functions, ...)
  std::string actual = {};  // the same with the types that typedefs stand for: "const float*"
};

struct DebugFunction {
  std::string name = {};  // as in the PTX, if the compiler wrote that down; else in the source
  std::vector<DebugParameter> parameters = {};
};

// `sections`: Module::sections. Text that is not DWARF, or is damaged, gives the functions up to there, or none.
std::vector<DebugFunction> read_debug_functions(std::string_view sections);

}  // namespace heddle::ptx
