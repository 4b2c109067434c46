// The part of the CUDA driver's interface that Heddle uses, declared here so that neither building nor running needs a
// CUDA toolkit. Names follow the driver's, without its prefixes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::device::cuda::driver {

using Result = int;
using DeviceNumber = int;
using Address = std::uint64_t;

using Context = struct ContextObject*;
using ModuleHandle = struct ModuleObject*;
using FunctionHandle = struct FunctionObject*;
using Stream = struct StreamObject*;
using EventHandle = struct EventObject*;
using GreenContext = struct GreenContextObject*;
using ResourceDescriptor = struct ResourceDescriptorObject*;
using MemoryPool = struct MemoryPoolObject*;
using Graph = struct GraphObject*;
using GraphNode = struct GraphNodeObject*;
using GraphExec = struct GraphExecObject*;

// Results that Heddle distinguishes.
inline constexpr Result success = 0, error_invalid_value = 1, error_out_of_memory = 2, error_deinitialized = 4,
                        error_no_device = 100, error_not_found = 500, error_not_ready = 600,
                        error_illegal_address = 700, error_launch_out_of_resources = 701, error_launch_timeout = 702,
                        error_peer_access_already_enabled = 704, error_host_memory_registered = 712, error_assert = 710,
                        error_hardware_stack = 714, error_illegal_instruction = 715, error_misaligned_address = 716,
                        error_invalid_address_space = 717, error_invalid_pc = 718, error_launch_failed = 719,
                        error_cooperative_launch_too_large = 720, error_not_supported = 801,
                        error_ecc_uncorrectable = 214, error_nvlink_uncorrectable = 220, error_contained = 226,
                        error_no_binary_for_gpu = 209, error_invalid_ptx = 218, error_unsupported_ptx_version = 222,
                        error_jit_compiler_not_found = 221, error_invalid_image = 200;

enum class DeviceAttribute : int {
  max_threads_per_block = 1,
  max_block_x = 2,
  max_block_y = 3,
  max_block_z = 4,
  max_grid_x = 5,
  max_grid_y = 6,
  max_grid_z = 7,
  warp_size = 10,
  multiprocessors = 16,
  cooperative_launch = 95,
  max_threads_per_multiprocessor = 39,
  copy_engines = 40,
  capability_major = 75,
  capability_minor = 76,
  max_shared_per_multiprocessor = 81,
  max_shared_per_block = 97,  // with the kernel's leave
  reserved_shared_per_block = 111,
};

// One end of a copy of a box, as the driver has it (CUDA_MEMCPY3D).
struct BoxEnd {
  std::size_t x = 0, y = 0, z = 0, level = 0;  // level is always 0
  int memory_type = 0;                         // memory_of_host, memory_of_device
  const void* host = nullptr;
  Address device = 0;
  void* array = nullptr;
  void* reserved = nullptr;
  std::size_t row = 0;   // bytes between rows
  std::size_t rows = 0;  // rows between planes
};
struct BoxCopy {
  BoxEnd source, destination;
  std::size_t width = 0, height = 0, depth = 0;
};
static_assert(sizeof(BoxCopy) == 200);
inline constexpr int memory_of_host = 1, memory_of_device = 2;

enum class FunctionAttribute : int {
  max_threads_per_block = 0,
  static_shared_bytes = 1,
  local_bytes = 3,
  registers = 4,
  max_dynamic_shared_bytes = 8,
};

enum class JitOption : int {
  info_log = 3,
  info_log_bytes = 4,
  error_log = 5,
  error_log_bytes = 6,
};

inline constexpr unsigned stream_non_blocking = 1, event_default = 0, event_blocking = 1, event_no_timing = 2,
                          host_portable = 1, host_device_mapped = 2, green_default_stream = 1,
                          split_ignore_coscheduling = 1;
inline constexpr int pool_release_threshold = 4, pool_reserved_bytes = 5, pool_used_bytes = 7, p2p_access_supported = 2,
                     p2p_native_atomics = 3, access_read_write = 3, location_device = 1, resource_sm = 1;

// cuLaunchKernel's `extra`.
inline void* const launch_buffer = reinterpret_cast<void*>(1);
inline void* const launch_buffer_size = reinterpret_cast<void*>(2);
inline void* const launch_end = nullptr;

// CUdevResource: what it is, room of the driver's own, and for SMs how many.
struct Resource {
  int type = 0;
  unsigned char own[92] = {};
  struct {
    unsigned count;
    unsigned smallest_partition;
    unsigned coscheduled_alignment;
    unsigned char unused[36];
  } sm = {};
};
static_assert(sizeof(Resource) == 144);

// CUlaunchAttribute and CUlaunchConfig.
struct LaunchAttribute {
  int id = 0;
  unsigned char unused[4] = {};
  union {
    int number;
    unsigned char all[64] = {};
  };
};
static_assert(sizeof(LaunchAttribute) == 72);
inline constexpr int programmatic_stream_serialization = 6;

struct LaunchSettings {
  unsigned grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes;
  Stream stream;
  LaunchAttribute* attributes;
  unsigned attribute_count;
};

// CUDA_KERNEL_NODE_PARAMS of CUDA 12.
struct KernelNode {
  FunctionHandle function = nullptr;
  unsigned grid_x = 1, grid_y = 1, grid_z = 1, block_x = 1, block_y = 1, block_z = 1, shared_bytes = 0;
  void** parameters = nullptr;
  void** extra = nullptr;
  void* kernel = nullptr;
  Context context = nullptr;
};
static_assert(sizeof(KernelNode) == 72);

// CUgraphEdgeData: how a node of a graph depends on another.
struct GraphEdge {
  unsigned char from_port = 0, to_port = 0, type = 0, reserved[5] = {};
};
static_assert(sizeof(GraphEdge) == 8);
// From the other's trigger (griddepcontrol), not from its end.
inline constexpr unsigned char graph_port_programmatic = 1, graph_edge_programmatic = 1;

struct MemoryAccess {
  int location_type;
  int location_id;
  int flags;
};

// CUmemAllocationProp: what memory without an address is to be.
struct PhysicalKind {
  int type = 0;  // physical_pinned
  int handle_types = 0;
  int location_type = 0, location_id = 0;
  void* windows = nullptr;
  unsigned char compression = 0;  // 1: any
  unsigned char rdma = 0;
  unsigned short usage = 0;
  unsigned char reserved[4] = {};
};
static_assert(sizeof(PhysicalKind) == 32);
inline constexpr int physical_pinned = 1, granularity_minimum = 0, access_none = 0, access_read = 1;

struct Uuid {
  unsigned char bytes[16];
};

}  // namespace heddle::device::cuda::driver
