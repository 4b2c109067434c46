// The source that a command works on: a .cu or .ptx file, or standard input.
#pragma once

#include <string>
#include <string_view>

#include "heddle/compile.hpp"

namespace heddle::cli {

// Whether this is -, standard input.
bool is_standard_input(std::string_view file);

struct Source {
  std::string text;
  std::string name;     // for messages
  bool is_ptx = false;  // else it is CUDA C++
};
// All of standard input. PTX is recognised by its first directive.
Source read_standard_source();

// The PTX of `source`, which is compiled where it is CUDA C++.
std::string ptx_of(const Source& source, const CompileOptions& options);

}  // namespace heddle::cli
