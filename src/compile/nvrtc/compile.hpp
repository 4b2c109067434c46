// CUDA C++ to PTX with NVRTC, NVIDIA's compiler for use at run time, and the headers of NVIDIA's SDK.
#pragma once

#include "compile/options.hpp"
#include "compile/unit.hpp"

namespace heddle::compile::nvrtc {

// From the cache where there is an entry that counts, else by NVRTC. `options` have been checked. Throws Error:
// not_found when there is no NVRTC, invalid_argument and unsupported for options that it has not, unsupported where it
// cannot be used, compile_error with its log. Any thread.
CompileResult compile(const Unit& unit, const CompileOptions& options);

}  // namespace heddle::compile::nvrtc
