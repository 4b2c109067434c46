#include "device/sim/policies/resources.hpp"

#include <algorithm>

#include "device/sim/policies/registry.hpp"

namespace heddle::device::sim {

SmResources resources_of(const MachineDescription& machine) {
  const Pipes& pipes = machine.pipes;
  const auto lanes = [&](const Pipe& pipe) {
    return static_cast<double>(machine.warp_size) * pipe.count / std::max(pipe.interval, 1u);
  };
  SmResources resources;
  resources.threads = machine.residency.threads;
  resources.fma = lanes(pipes.fma);
  resources.alu = lanes(pipes.alu);
  resources.fp64 = lanes(pipes.fp64);
  resources.sfu = lanes(pipes.sfu);
  resources.lsu = lanes(pipes.lsu);
  const auto issue = make_issue(machine.policies.issue);
  const Interweaving* const together = issue->interweaving();
  if (together) {
    resources.instructions = together->branches || together->warps ? 2 : 1;
  } else {
    const unsigned each = machine.policies.issue == "dual" ? 2 : 1;
    resources.instructions = machine.front.schedulers * each;
  }
  return resources;
}

}  // namespace heddle::device::sim
