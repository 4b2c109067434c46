// Structures of launches and kernels, as programs lay them out.
#pragma once

#include <cstddef>

#include "cuda_api/abi/runtime.hpp"

namespace heddle::cuda_api::abi {

// The attributes of launches and of streams share their numbers and values.
enum AttributeId : int {
  ignored = 0,
  access_policy = 1,
  cooperative = 2,
  synchronization_policy = 3,
  cluster_dimension = 4,
  cluster_scheduling = 5,
  programmatic_serialization = 6,
  programmatic_event = 7,
  priority = 8,
  sync_domain_map = 9,
  sync_domain = 10,
  preferred_cluster = 11,
  completion_event = 12,
  updatable_node = 13,
  shared_carveout = 14,
  nvlink_scheduling = 16
};
union AttributeValue {
  char bytes[64];
  int number;
  struct {
    unsigned x, y, z;
  } extent;
};
struct LaunchAttribute {
  int id;
  alignas(8) AttributeValue value;
};
static_assert(sizeof(LaunchAttribute) == 72 && offsetof(LaunchAttribute, value) == 8);

struct LaunchConfig {
  dim3 grid, block;
  std::size_t shared;
  cudaStream_t stream;
  const LaunchAttribute* attributes;
  unsigned count;
};
static_assert(sizeof(LaunchConfig) == 56);

struct FunctionAttributes11 {
  std::size_t shared, constant, local;
  int threads, registers, ptx_version, binary_version, cache_mode, dynamic_shared, carveout;
};
static_assert(sizeof(FunctionAttributes11) == 56);

struct FunctionAttributes12 {
  std::size_t shared, constant, local;
  int threads, registers, ptx_version, binary_version, cache_mode, dynamic_shared, carveout;
  int cluster_required, cluster_width, cluster_height, cluster_depth, cluster_scheduling, cluster_larger, reserved[16];
};
static_assert(sizeof(FunctionAttributes12) == 144);

}  // namespace heddle::cuda_api::abi
