// Where a value in a buffer comes from, by the interpreter.
#pragma once

#include <string>

namespace heddle::test::random_kernel {

// The lines that led to `element` ("out32[169]") of the first launch of a text in the notation of
// support/ptx_case.hpp, as its last writer executed them: each with the values that it gave. They go back through
// registers, guards included, as far as loads, parameters and calls; branches are not among them. Throws
// heddle::Error(invalid_argument) for an element that is not there, (not_found) for one that nobody writes.
std::string slice(const std::string& text, const std::string& element);

}  // namespace heddle::test::random_kernel
