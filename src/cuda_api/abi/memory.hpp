// Structures of the runtime API's memory functions, as programs lay them out. The same in CUDA 11 to 13.
#pragma once

#include <cstddef>

#include "cuda_api/abi/runtime.hpp"

namespace heddle::cuda_api::abi {

struct MemLocation {
  enum Type : int { none = 0, device = 1, host = 2, host_numa = 3, host_numa_current = 4 };
  int type = none;
  int id = 0;
};
static_assert(sizeof(MemLocation) == 8);

struct MemPoolProps {
  int allocation_type, handle_types;
  MemLocation location;
  void* security_attributes;
  std::size_t most;
  unsigned short usage;
  unsigned char reserved[54];
};
static_assert(sizeof(MemPoolProps) == 88);

struct MemAccess {
  MemLocation location;
  int flags;  // 0: none, 1: reads, 3: reads and writes
};
static_assert(sizeof(MemAccess) == 12);

struct MemcpyAttributes {
  int source_order;  // 1: as the stream, 2: during the call, 3: any time
  MemLocation source, destination;
  unsigned flags;
};
static_assert(sizeof(MemcpyAttributes) == 24);

struct Memcpy3DPeer {
  cudaArray_t source_array;
  cudaPos source_position;
  cudaPitchedPtr source;
  int source_device;
  cudaArray_t array;
  cudaPos position;
  cudaPitchedPtr destination;
  int device;
  cudaExtent extent;
};
static_assert(sizeof(Memcpy3DPeer) == 168);

struct Memcpy3DOperand {
  int type;  // 1: pointer, 2: array
  union {
    struct {
      void* address;
      std::size_t row, height;  // elements between rows, rows between planes; 0: as the extent
      MemLocation hint;
    } pointer;
    struct {
      cudaArray_t array;
      std::size_t x, y, z;
    } array;
  };
};
static_assert(sizeof(Memcpy3DOperand) == 40);

struct Memcpy3DBatchOp {
  Memcpy3DOperand source, destination;
  cudaExtent extent;
  int source_order;
  unsigned flags;
};
static_assert(sizeof(Memcpy3DBatchOp) == 112);

}  // namespace heddle::cuda_api::abi
