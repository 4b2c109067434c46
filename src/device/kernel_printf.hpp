// printf of kernels: CUDA's rules for format strings (CUDA C++ Programming Guide, "Formatted Output").
#pragma once

#include <cstdint>
#include <string>

namespace heddle::device {

// The kernel's memory, as its device reads it. A device that finds a fault there may throw, and need not return.
class KernelPrintfSource {
 public:
  virtual char character(std::uint64_t address) = 0;
  // So many bytes of the argument buffer, 4 or 8.
  virtual std::uint64_t argument(std::uint64_t offset, unsigned bytes) = 0;

 protected:
  ~KernelPrintfSource() = default;
};

// Formats as a kernel's vprintf: arguments lie in the buffer one after the other, each aligned to its size (int 4, long
// long, double and pointers 8). At most 32 are taken, further ones are 0; what is no conversion is copied as it stands.
// Appends to `out`, which is the only state, and returns the number of arguments taken, or -1 when the format is null.
int format_kernel_printf(std::string& out, std::uint64_t format, KernelPrintfSource& source);

}  // namespace heddle::device
