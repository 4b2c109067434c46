// Whether what is passed to a kernel is what its parameters take: for launches of a runtime, and of a batch.
#pragma once

#include <cstddef>
#include <string>

#include "heddle/kernel.hpp"
#include "heddle/launch.hpp"

namespace heddle::modules {

// What is passed, without its bytes.
struct GivenArgument {
  Argument::Kind kind = Argument::Kind::integer;
  ElementType element = ElementType::unknown;  // of an array
  std::size_t bytes = 0;                       // of a number or a structure
};

// Whether an array or an address can be passed for it.
bool takes_address(const Parameter& parameter);

// Which kinds of values can be passed for it where they have its size: bit k for the kind with the number k.
unsigned value_kinds(const Parameter& parameter);

// Throws invalid_argument, which names kernel and parameter, if the parameter does not take it: an address for a
// number, a number of another kind or size, an array whose elements are of another type. `index` is that of a
// parameter.
void check_argument(const KernelInfo& kernel, std::size_t index, const GivenArgument& given);
// Throws invalid_argument, which lists the parameters.
[[noreturn]] void refuse_count(const KernelInfo& kernel, std::size_t given);

// For messages: "argument 2 of kernel saxpy(int, float), parameter a (float):", and "an integer".
std::string place_of(const KernelInfo& kernel, std::size_t index);
const char* what(Argument::Kind kind);

}  // namespace heddle::modules
