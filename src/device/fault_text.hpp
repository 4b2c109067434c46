// What devices say of the place and the cause of a fault, in the same words.
#pragma once

#include <cstdint>
#include <string>

#include "ptx/ir.hpp"

namespace heddle::device {

// "saxpy.cu:12" for an entry of Function::locs, counted from 1; "near saxpy.cu:12", with the last line before it, for
// code that the compiler made and gave line 0, as the loops of memcpy; ", inlined at main.cu:40" behind it where the
// PTX says so. Empty when nothing is known. Bytes of the file's name that the PTX has as \303 are put back.
std::string source_place(const ptx::Module& module, const ptx::Function& function, std::uint32_t loc);

// Where a function of the module is called from in what `kernel` runs: "saxpy.cu:8", "saxpy.cu:8 or saxpy.cu:20"; PTX
// lines where the source's are not known. Empty for the kernel itself, and when only pointers lead there.
std::string call_places(const ptx::Module& module, const ptx::Function& kernel, const ptx::Function& function);

// "; the kernel uses dynamic shared memory, and the launch gave it 0 bytes" where an access outside shared memory may
// come from that; empty for kernels without.
std::string dynamic_shared_hint(const ptx::Module& module, const ptx::Function& kernel, std::uint32_t given);

}  // namespace heddle::device
