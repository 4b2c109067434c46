#include "device/interp/interp.hpp"
#include "support/short_patience.hpp"
#include "zluda/zluda_test.hpp"

int main(int argc, char** argv) {
  return heddle::test::run_zluda_tests(argc, argv, [](const heddle::test::TestDeviceOptions& options) {
    return heddle::device::interp::make_interp_device(
        {.poison = options.poison, .deadlock_timeout = heddle::test::short_patience, .print = options.print});
  });
}
