// Kernels of bench/cpu with their grids and data, the same for every device.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "arrays.hpp"
#include "device/device.hpp"

namespace heddle::bench::comparison {

struct Kernel {
  std::string file, name;  // of the PTX, without ending; of the function
  std::array<unsigned, 2> grid = {1, 1}, block = {256, 1};
  // Allocates and fills what the kernel needs. The packed arguments, as `function` places them.
  std::function<std::vector<std::byte>(Arrays&, const device::Function&)> arguments;

  device::LaunchConfig config() const;
};

// `small`: sizes for simulators that are slow.
enum class Sizes { full, small };
std::vector<Kernel> kernel_list(Sizes sizes = Sizes::full);

// A kernel that does nothing, named `nothing`: what a launch costs.
extern const char* const nothing;

}  // namespace heddle::bench::comparison
