// Runs cases (support/ptx_case.hpp) on an NVIDIA GPU through the driver, which is loaded at run time. For recording and
// checking expectations only; it is no device of Heddle.
#pragma once

#include <memory>
#include <string>

#include "support/ptx_test.hpp"

namespace heddle::test {

class CudaRunner {
 public:
  // Throws Error(not_found) when there is no driver or no GPU.
  CudaRunner();
  ~CudaRunner();
  CudaRunner(const CudaRunner&) = delete;
  CudaRunner& operator=(const CudaRunner&) = delete;
  // The driver's compiler optimises as much as it does by default at 4, and not at all at 0.
  CaseResult run(const PtxCase& c, int optimization = 4);

 private:
  struct Driver;
  std::unique_ptr<Driver> driver_;
};

}  // namespace heddle::test
