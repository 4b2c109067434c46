// The host as an LLVM target: IR to object code.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include "device/cpu/codegen/arithmetic_types.hpp"

namespace heddle::device::cpu {

struct HostTarget {
  std::string cpu;
  std::string features;  // LLVM's "+avx512f,-..." list
  HostFeatures arithmetic;
  unsigned vector_bits = 128;
};

// What this machine is; HEDDLE_CPU_FEATURES="-avx512f,..." takes features away, for tests.
const HostTarget& host_target();

// One target machine for one thread and module.
std::unique_ptr<llvm::TargetMachine> make_target_machine(const HostTarget& host);

// Runs Heddle's pass pipeline over the module (in place). `phases`: it has a coroutine (phases.hpp).
void optimize(llvm::Module& module, llvm::TargetMachine& machine, bool phases);

// Machine code as an ELF relocatable object.
std::vector<char> emit_object(llvm::Module& module, llvm::TargetMachine& machine);

}  // namespace heddle::device::cpu
