// What NVIDIA's assembler says of each kernel of a module.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace heddle::test {

struct KernelRegisters {
  unsigned registers = 0, barriers = 0;
  unsigned stack_bytes = 0, spill_bytes = 0;  // of a thread; what is spilled: stores and loads
};

struct PtxasReport {
  bool accepted = false;
  std::string messages;
  std::map<std::string, KernelRegisters> kernels;  // by name
};

// Assembles the text for its own target, with optimisation. `text` must have a target that ptxas knows (lift_target).
PtxasReport report_registers(const std::string& ptxas, std::string_view text);

}  // namespace heddle::test
