#include "device/machine/grid.hpp"

#include <cstring>

namespace heddle::device::machine {
namespace {

constexpr std::uint64_t parameter_alignment = 256;

}  // namespace

Grid::Grid(const Kernel& its_kernel, const LaunchConfig& its_config, std::span<const std::byte> arguments,
           std::uint64_t id, const Footprint* its_footprint)
    : kernel(its_kernel),
      machine(its_kernel.program().machine()),
      config(its_config),
      grid_id(id),
      footprint(its_footprint),
      storage_(arguments.size() + parameter_alignment) {
  parameters_ =
      reinterpret_cast<std::byte*>(align_up(reinterpret_cast<std::uint64_t>(storage_.data()), parameter_alignment));
  if (!arguments.empty()) std::memcpy(parameters_, arguments.data(), arguments.size());
  if (config.cooperative)
    machine.memory.add({Allocation::Kind::variable, workspace(), grid_workspace_bytes, "grid workspace"});
}

Grid::~Grid() {
  if (config.cooperative) machine.memory.remove(workspace());
}

std::uint64_t Grid::workspace() const {
  return config.cooperative ? reinterpret_cast<std::uint64_t>(workspace_.data()) : 0;
}

}  // namespace heddle::device::machine
