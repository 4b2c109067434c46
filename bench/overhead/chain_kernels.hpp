// The kernels of overhead_chains, and who runs a shape of them.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "gpu.hpp"
#include "heddle/heddle.hpp"
#include "shapes.hpp"

namespace heddle::bench {

// `small` modifies `own` and reads `other`, and `look` reads `other`, as far as PTX tells. Neither does, since
// `nanoseconds`, for which they keep their warp busy, is never 2^32 - 1.
extern const char* const chain_kernels;

struct Took {
  double host = 0;       // seconds until the host has handed over the last launch
  double completed = 0;  // seconds until the GPU is done
};

// Launches alone, or with the shape's order by streams and events, written by hand; straight to the driver.
class Bare {
 public:
  // With the streams that the shape needs.
  Bare(Gpu& gpu, const Shape& shape);
  ~Bare();
  Bare(const Bare&) = delete;
  Bare& operator=(const Bare&) = delete;
  Took run(const Shape& shape, unsigned nanoseconds);           // in order
  Took run_launches(const Shape& shape, unsigned nanoseconds);  // as many launches in one stream: no events, no waits

 private:
  void round(const Shape& shape, unsigned nanoseconds);
  void follow(const Shape& shape, unsigned follower, unsigned nanoseconds);
  void launch(device::cuda::driver::FunctionHandle kernel, unsigned stream, unsigned array, unsigned nanoseconds);

  Gpu& gpu_;
  const device::cuda::Driver& cuda_;
  device::cuda::driver::ModuleHandle loaded_ = nullptr;
  device::cuda::driver::FunctionHandle small_ = nullptr, look_ = nullptr;
  device::cuda::driver::Stream streams_[shape_arrays] = {};  // null: not needed
  device::cuda::driver::EventHandle events_[shape_arrays] = {};
  std::unique_ptr<device::Memory> memory_;
};

// Written serially; Heddle finds the order.
class Ours {
 public:
  Ours(const std::string& device, bool replay);
  Took run(const Shape& shape, unsigned nanoseconds);

 private:
  Runtime runtime_;
  Module module_;
  Kernel small_, look_;
  std::vector<Array<std::uint32_t>> arrays_;
};

}  // namespace heddle::bench
