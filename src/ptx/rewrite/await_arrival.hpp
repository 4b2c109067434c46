// Kernels that begin before what they read has arrived.
//
// A copy to the device writes an array from its first byte to its last, and writes its progress to a word of
// memory. The rewritten kernel polls that word before it reads, and waits where it is ahead of the copy; so it overlaps
// with the copy and completes soon after it. Its results are the same.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ptx/ir.hpp"

namespace heddle::ptx {

struct AwaitingKernel {
  Module module;  // with this kernel alone, under its name
  // Parameters, by index, that may point to memory that is still arriving. For each of them there is one more
  // parameter after the kernel's own, in this order: the address of a 64-bit word in device memory that holds an
  // address. All bytes of the array below that have arrived; it only grows, and is ~0 once all have.
  std::vector<std::uint32_t> parameters;
  std::uint32_t words_offset = 0, parameter_bytes = 0;  // of those words, and of all parameters, as packed
};

// The kernel (an entry with a body, by index) of a module that verifies; nothing, and why not, where it reads no array
// in a way that can wait. Threads that find all words at ~0 when they begin run the kernel as it was. Pure.
std::optional<AwaitingKernel> await_arrival(const Module& module, std::uint32_t entry, std::string& why);

}  // namespace heddle::ptx
