// Which kernel of a module a name from the source means.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace heddle::base {

// The place in `kernels`, mangled names, of the one that is `wanted`, or of the only one that has this name in the
// source (source_name_matches). Throws not_found if no kernel has it, or if several have it. `module`: its name.
std::size_t find_kernel(std::span<const std::string> kernels, std::string_view wanted, std::string_view module);

// Throws not_found: the module has no such kernel, but these.
[[noreturn]] void fail_without_kernel(std::span<const std::string> kernels, std::string_view wanted,
                                      std::string_view module);

// "_Z5scalePffi (scale(float*, float, int)), one", or "no kernels at all".
std::string list_of_kernels(std::span<const std::string> kernels);

}  // namespace heddle::base
