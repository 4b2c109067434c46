// Texts about the place and the cause of a fault, shared by all devices.
#pragma once

#include <cstdint>
#include <string>

#include "ptx/ir.hpp"

namespace heddle::device {

// "saxpy.cu:12" for an entry of Function::locs, counted from 1; "near saxpy.cu:12", with the last line before it, for
// code to which the compiler gave line 0, as the loops of memcpy. If the PTX records inlining, ", inlined at
// main.cu:40" follows; else, for code of a header that is not the program's, ", near main.cu:40", its last line before
// that. Empty if nothing is known. Escapes like \303 in the file's name are decoded.
std::string source_place(const ptx::Module& module, const ptx::Function& function, std::uint32_t loc);

// From where the kernel calls a function of the module: "saxpy.cu:8", "saxpy.cu:8 or saxpy.cu:20"; PTX lines if lines
// of the source are not known. Empty for the kernel itself, and if the function is called only through pointers.
std::string call_places(const ptx::Module& module, const ptx::Function& kernel, const ptx::Function& function);

// A possible cause of an access outside shared memory: "; the kernel uses dynamic shared memory, and the launch gave it
// 0 bytes". Empty for kernels without dynamic shared memory.
std::string dynamic_shared_hint(const ptx::Module& module, const ptx::Function& kernel, std::uint32_t given);

}  // namespace heddle::device
