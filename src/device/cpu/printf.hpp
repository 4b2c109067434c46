// printf of kernels: CUDA's rules for format strings (CUDA C++ Programming Guide, "Formatted Output").
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace heddle::device::cpu {

// Formats as a kernel's vprintf: arguments lie in the buffer one after the other, each aligned to its size (int 4, long
// long, double and pointers 8). At most 32 are taken; what follows a conversion that does not exist is copied as it
// stands. Appends to `out` and returns the number of arguments taken, or -1 when the format is null. Reads the kernel's
// memory, so it may fault: `out` is the only state.
// `before_read` (empty: nobody) is told of every byte of the format and of strings before it is read, and need not
// return.
using BeforeRead = std::function<void(const char*)>;
int format_kernel_printf(std::string& out, const char* format, const std::byte* arguments,
                         const BeforeRead& before_read = {});

}  // namespace heddle::device::cpu
