#include <fmt/format.h>
#include <chrono>
#include "batch/constants.hpp"
#include "batch/profile.hpp"
#include "batch/rates.hpp"
#include "device/sim/sim.hpp"
#include "device/sim/stepped.hpp"
#include "kernelet/workloads.hpp"
using namespace heddle;
int main(int count, char** arguments) {
  const std::string name = count > 1 ? arguments[1] : "fermi-c2050";
  auto device = device::sim::make_sim_device(device::sim::parse_sim_options("sim:" + name));
  const auto start = std::chrono::steady_clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  auto workloads = bench::kernelet::make_workloads(HEDDLE_KERNELS, [](const std::string&) { return 224u; });
  fmt::print("compiled {:.1f}\n", elapsed());
  const auto latency = batch::measure_latency(*device);
  fmt::print("latency base {} per {} unc {}; {:.1f} s\n", latency.base, latency.per_request, latency.uncoalesced_base, elapsed());
  sched::CoRunDevice corun;
  const auto machine = device::sim::SteppedMachine(*device).machine();
  corun.limits = batch::limits_of(machine);
  corun.sm = {.latency = latency, .schedulers = batch::model_schedulers(machine)};
  for (auto& w : workloads) {
    batch::Kernel kernel(*device, w.spec);
    const auto begin = device->clock().now_ns();
    const auto traits = batch::profile(*device, kernel);
    fmt::print("{}", batch::profile_text(kernel, traits, corun.limits));
    const unsigned warps = model::resident_blocks(corun.limits, traits.kernel.needs) * ((traits.kernel.needs.threads + 31) / 32);
    fmt::print("model         {:.4f}; {} us of the device; check {}; {:.1f} s\n\n", model::solo_ipc(corun.sm, traits.kernel.profile, warps), (device->clock().now_ns() - begin) / 1000, w.check(kernel), elapsed());
    std::fflush(stdout);
  }
}
