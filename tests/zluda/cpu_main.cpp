#include "support/cpu_factory.hpp"
#include "zluda/zluda_test.hpp"

int main(int argc, char** argv) { return heddle::test::run_zluda_tests(argc, argv, heddle::test::CpuFactory()); }
