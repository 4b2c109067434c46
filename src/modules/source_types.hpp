// The parameters of kernels as the source has them, from what is known: debug information in the PTX, mangled names,
// and what Heddle's compiler noted (ptx/kernel_note.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/element.hpp"
#include "ptx/debug/functions.hpp"
#include "ptx/ir.hpp"
#include "ptx/kernel_note.hpp"

namespace heddle::modules {

// A type's name, and what arguments are compared with.
struct SourceType {
  std::string text = {};                       // "const float*"; empty: not known
  ElementType element = ElementType::unknown;  // of what a pointer points to
  Number number = Number::unknown;             // of a number
  std::uint32_t bytes = 0;                     // 0: not known
};
// `text` as in C++ or from a mangled name ("float const*"). `actual`: the same without typedefs, where that is known.
SourceType source_type(std::string_view text, std::string_view actual = {});

struct SourceParameter {
  std::string name = {};  // empty: not known
  SourceType type = {};
};

// What is known of a module's kernels. Immutable.
class SourceTypes {
 public:
  // `text`: the PTX that `module` was read from.
  SourceTypes(const ptx::Module& module, std::string_view text);
  // One for each parameter of the kernel. What does not agree with the PTX in number and sizes is left out.
  std::vector<SourceParameter> parameters(const ptx::Function& kernel) const;

 private:
  std::map<std::string, ptx::DebugFunction, std::less<>> debug_;
  std::map<std::string, ptx::KernelNote, std::less<>> notes_;
};

}  // namespace heddle::modules
