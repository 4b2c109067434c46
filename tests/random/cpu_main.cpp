#include "random/comparison.hpp"

int main(int argc, char** argv) {
  using namespace heddle::test::random_kernel;
  return tool_main(argc, argv, run_on_cpu);
}
