// The cases of tests/data/run on the CPU device.
#include "support/cpu_factory.hpp"

int main(int argc, char** argv) { return heddle::test::run_ptx_tests(argc, argv, "cpu", heddle::test::CpuFactory()); }
