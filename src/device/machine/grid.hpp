// A launch as its blocks see it.
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
  // null: it may touch everything.
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
  std::uint64_t instructions = 0;  // thread instructions executed so far: %clock

  const std::byte* parameters() const { return parameters_; }
  // The memory that a cooperative grid meets in; 0 for others.
  std::uint64_t workspace() const;

 private:
  std::vector<std::byte> storage_;
  std::byte* parameters_ = nullptr;  // in it, aligned
  alignas(16) std::array<std::byte, grid_workspace_bytes> workspace_{};
};

}  // namespace heddle::device::machine
