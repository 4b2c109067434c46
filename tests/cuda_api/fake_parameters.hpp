// Where the machine code of a GPU of capability 9.0 has the parameters of kernels: it aligns their addresses in the
// bank of constants, where the first is at 0x210. (ptxas says so of what it compiles: EIATTR_KPARAM_INFO.)
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

struct FakeParameter {
  std::size_t offset, size;  // from the first parameter on
};
using FakeParameters = std::map<std::string, std::vector<FakeParameter>>;  // by kernel

// Reads PTX that a printer has written: all of a kernel's header in one line.
FakeParameters fake_parameters(const std::string& ptx);

// The bytes that the kernel sees as its parameters, one behind the other: of what a launch hands over, whole or as
// pointers.
std::string seen_parameters(const std::vector<FakeParameter>& parameters, const void* packed, std::size_t size,
                            void* const* pointers);
