// The cases of tests/data/run on the interpreter.
#include "device/interp/interp.hpp"
#include "support/ptx_test.hpp"
#include "support/short_patience.hpp"

int main(int argc, char** argv) {
  return heddle::test::run_ptx_tests(argc, argv, "interp", [](const heddle::test::TestDeviceOptions& options) {
    return heddle::device::interp::make_interp_device(
        {.poison = options.poison, .deadlock_timeout = heddle::test::short_patience, .print = options.print});
  });
}
