// The state of a launch that its blocks share.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "device/footprint.hpp"
#include "device/machine/program.hpp"
#include "device/queue.hpp"

namespace heddle::device::machine {

class Grid {
 public:
  // `arguments` is the packed parameter buffer, which is copied. `id`: %gridid. `footprint`: Queue::set_footprint();
  // null: every access is permitted.
  Grid(const Kernel& its_kernel, const LaunchConfig& its_config, std::span<const std::byte> arguments, std::uint64_t id,
       const Footprint* its_footprint);
  ~Grid();
  Grid(const Grid&) = delete;
  Grid& operator=(const Grid&) = delete;

  const Kernel& kernel;
  Machine& machine;
  const LaunchConfig config;
  const std::uint64_t grid_id;
  const Footprint* const footprint;

  const std::byte* parameters() const { return parameters_; }
  // The address of a cooperative grid's workspace (grid_workspace_bytes); 0 for other grids.
  std::uint64_t workspace() const;

 private:
  std::vector<std::byte> storage_;
  std::byte* parameters_ = nullptr;  // in storage_, aligned
  alignas(16) std::array<std::byte, grid_workspace_bytes> workspace_{};
};

}  // namespace heddle::device::machine
