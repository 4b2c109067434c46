// The product of two matrices on a simulated GPU: the kernel that the benchmarks of the simulator run.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "device/sim/sim.hpp"
#include "ptx/ir.hpp"

namespace heddle::bench {

// bench/cpu/kernels/gemm_tiled.cu, compiled.
std::shared_ptr<const ptx::Module> product_module();

struct ProductRun {
  device::sim::KernelStatistics statistics;
  double seconds = 0;            // of the launch, on a clock
  double processor_seconds = 0;  // of all threads of this process meanwhile
  // While the launch ran: the most on the heap beside the module, the arrays, and the registers and shared memory of
  // the threads that the machine can hold.
  double simulator_bytes = 0;
  std::uint64_t resident_threads = 0;
};

// C = A B of n x n floats in blocks of 16 x 16 threads, n a multiple of 16, on `machine` as for --device. Throws
// internal if the product is wrong.
ProductRun run_product(const std::shared_ptr<const ptx::Module>& module, const std::string& machine, std::uint32_t n);

}  // namespace heddle::bench
