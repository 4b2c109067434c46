// The cases of tests/data/run on a simulated GPU of today's size.
#include "device/sim/sim.hpp"
#include "support/ptx_test.hpp"
#include "support/short_patience.hpp"

int main(int argc, char** argv) {
  return heddle::test::run_ptx_tests(argc, argv, "sim", [](const heddle::test::TestDeviceOptions& options) {
    auto chosen = heddle::device::sim::parse_sim_options("sim:hopper-h100");
    chosen.machine.sms = 4;
    chosen.poison = options.poison;
    chosen.deadlock_timeout = heddle::test::short_patience;
    chosen.print = options.print;
    return heddle::device::sim::make_sim_device(std::move(chosen));
  });
}
