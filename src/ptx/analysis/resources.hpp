// What a kernel needs of a processor, as far as its PTX says.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "ptx/analysis/flow/liveness.hpp"
#include "ptx/analysis/waiting/waiting.hpp"
#include "ptx/ir.hpp"

namespace heddle::ptx::analysis {

struct Resources {
  RegisterPressure pressure;             // of the function and, for `registers`, those that it calls
  std::uint32_t registers = 0;           // 32-bit registers a thread needs at its worst point, by an estimate
  std::uint32_t declared_registers = 0;  // registers that the text names
  std::uint32_t maximum_registers = 0;   // .maxnreg; 0: none
  std::uint64_t static_shared = 0;       // bytes, laid out in order of declaration
  bool dynamic_shared = false;           // uses an .extern .shared array or %dynamic_smem_size
  std::uint64_t local = 0;               // bytes a thread, of the function and the deepest chain of calls
  std::uint32_t barriers = 0;            // barrier instructions of the block
  std::uint32_t barrier_numbers = 0;     // highest barrier number used plus one; 16 when one is not a constant
  std::uint32_t atomics = 0;             // atomic and reduction instructions on memory
  std::uint32_t instructions = 0;
  std::array<std::uint32_t, 3> required_block{}, maximum_block{};  // .reqntid, .maxntid; 0: not given
  std::vector<SpecialRegister> special_registers;                  // that are read, ascending
};

// For each function of the module, with the functions that it may call.
std::vector<Resources> find_resources(const Module& module, const std::vector<FunctionWaiting>& waiting);

}  // namespace heddle::ptx::analysis
