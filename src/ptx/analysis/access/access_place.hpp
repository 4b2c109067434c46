// Instructions that findings about accesses refer to.
#pragma once

#include <cstdint>
#include <string>

namespace heddle::ptx::analysis {

// Where a finding rests: an instruction of a function of the module.
struct AccessReason {
  std::uint32_t function = 0xffffffffu;  // into Module::functions; ~0: there is no reason to give
  std::uint32_t instruction = 0;
  std::string text;  // "the pointer is stored to memory"
  bool present() const { return function != 0xffffffffu; }
};

// One instruction that does it, of all that do.
struct AccessWitness {
  std::uint32_t function = 0xffffffffu;  // into Module::functions; ~0: none
  std::uint32_t instruction = 0;
  bool present() const { return function != 0xffffffffu; }
};

}  // namespace heddle::ptx::analysis
