#include "random/comparison.hpp"
#include "support/cpu_factory.hpp"

namespace heddle::test::random_kernel {

CaseResult run_on_cpu(const PtxCase& c) { return run_case(c, CpuFactory()); }

}  // namespace heddle::test::random_kernel
