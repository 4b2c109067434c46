// The parameters of the kernels in a CUDA source, read from its text: enough to give each kernel arguments.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::compile::nvrtc::testing {

struct Parameter {
  std::string type;  // "float", "unsigned int", "half2": without const, volatile, __restrict__ and *
  std::string name;
  bool pointer = false;
};

// By the kernel's name in the source. Templates are left out.
std::map<std::string, std::vector<Parameter>> signatures(std::string_view source);

}  // namespace heddle::compile::nvrtc::testing
