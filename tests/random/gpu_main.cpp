// The same with an NVIDIA GPU instead of the CPU device: is the interpreter right? With --together, since each process
// takes a second to find the GPU. Kernels for targets that the GPU is not, and ranges of blocks, are passed over.
// HEDDLE_JIT_OPTIMIZATION is how much the driver's compiler optimises, 0 to 4. With HEDDLE_JIT_FAULTS, only differences
// count that are not there when it does not optimise at all: those are the compiler's, or the kernel's, and not ours.
#include <dlfcn.h>

#include <cstdlib>
#include <string>

#include "random/comparison.hpp"
#include "tools/cuda_runner.hpp"

namespace {

// Recursive functions need more than the kilobyte that threads get.
void allow_recursion() {
  using SetLimit = int(int, std::size_t);
  constexpr int stack_size = 0;
  void* driver = dlopen("libcuda.so.1", RTLD_NOW);
  if (auto* set_limit = reinterpret_cast<SetLimit*>(dlsym(driver, "cuCtxSetLimit"))) set_limit(stack_size, 16384);
}

}  // namespace

int main(int argc, char** argv) {
  using namespace heddle::test;
  CudaRunner runner;
  allow_recursion();
  const char* level = std::getenv("HEDDLE_JIT_OPTIMIZATION");
  const int optimization = level ? std::atoi(level) : 4;
  const bool jit_faults = std::getenv("HEDDLE_JIT_FAULTS") != nullptr;
  const bool has_sm100 = std::getenv("HEDDLE_SM100") != nullptr;
  return random_kernel::tool_main(argc, argv, [&](const PtxCase& c) {
    const bool skip = c.blocks || (!has_sm100 && c.source.find(".target sm_100") != std::string::npos);
    if (skip) return random_kernel::run_on_interp(c);
    if (jit_faults) {
      const CaseResult want = random_kernel::run_on_interp(c);
      if (random_kernel::compare_results(c, want, runner.run(c, 0)).verdict != random_kernel::Verdict::equal)
        return want;
    }
    return runner.run(c, optimization);
  });
}
