// printf in kernels, with CUDA's rules for format strings (CUDA C++ Programming Guide, "Formatted Output").
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace heddle::device {

// Reads the kernel's memory for its device. The functions may throw if the access is a fault.
class KernelPrintfSource {
 public:
  virtual char character(std::uint64_t address) = 0;
  // `bytes` bytes of the argument buffer, 4 or 8.
  virtual std::uint64_t argument(std::uint64_t offset, unsigned bytes) = 0;

 protected:
  ~KernelPrintfSource() = default;
};

// Formats like a kernel's vprintf. Arguments follow each other in the buffer, each aligned to its size (int 4; long
// long, double and pointers 8). At most 32 are read; further ones are 0. Text that is not a conversion is copied
// unchanged. Appends to `out` and has no other state. Returns the number of arguments read, or -1 if the format is
// null.
int format_kernel_printf(std::string& out, std::uint64_t format, KernelPrintfSource& source);

// Writes what a kernel has printed, in one piece. Returns the system's error number if the disk has no room for it,
// else 0. Output that the process has closed is dropped, as a GPU's driver drops it.
int write_kernel_output(std::FILE* file, std::string_view text);

}  // namespace heddle::device
