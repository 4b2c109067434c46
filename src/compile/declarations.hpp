// The kernels that a source declares, for messages and checks of their arguments: PTX has neither the names nor the
// types of their parameters.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ptx/kernel_note.hpp"

namespace heddle::compile {

// Reads the tokens of the source, without its includes and macros: __global__, a name, a list of parameters. Left out
// are kernels that are declared in two ways (in both branches of an #if, for example) and those that macros make.
std::vector<ptx::KernelNote> find_kernel_declarations(std::string_view source);

// The PTX with what the source declares of the kernels in it, as lines of comment at its end.
std::string with_kernel_notes(std::string ptx, std::string_view source);

}  // namespace heddle::compile
