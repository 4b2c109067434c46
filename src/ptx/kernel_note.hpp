// What Heddle's compiler knows of kernels from their source and PTX does not say: the names and types of parameters. It
// follows the PTX, a line of comment for each kernel:
//
//   // heddle: saxpy(n: int, a: float, x: const float*, y: float*)
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heddle::ptx {

struct KernelNote {
  struct Parameter {
    std::string name = {};  // empty: unknown
    std::string type = {};
    friend bool operator==(const Parameter&, const Parameter&) = default;
  };
  std::string kernel = {};  // in the source, without namespaces
  std::vector<Parameter> parameters = {};
  friend bool operator==(const KernelNote&, const KernelNote&) = default;
};

// With the end of the line.
std::string to_text(const KernelNote& note);
// Those at the end of the PTX, from the first to the last. Lines that are not as to_text() writes them are passed over.
std::vector<KernelNote> read_kernel_notes(std::string_view ptx);

}  // namespace heddle::ptx
