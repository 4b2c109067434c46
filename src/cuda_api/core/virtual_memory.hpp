// Memory that the program maps: ranges of addresses, memory without an address, and which memory is mapped where. This
// is the bookkeeping of the driver API's virtual memory management, with the errors of programs. The memory is that of
// devices (heddle/address_mapping.hpp), or the host's if the devices use the host's memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "base/thread_safety.hpp"
#include "cuda_api/abi/driver.hpp"
#include "cuda_api/core/contexts.hpp"
#include "cuda_api/core/host_mapping.hpp"
#include "cuda_api/core/memory_table.hpp"
#include "heddle/device.hpp"

namespace heddle::cuda_api {

// All sizes and addresses are multiples of this.
inline constexpr std::size_t virtual_granularity = std::size_t{2} << 20;

// Any thread. Invalid requests throw cudaErrorInvalidValue.
class VirtualMemory {
 public:
  // Memory that is mapped and may be accessed is in the table, for copies and fills.
  VirtualMemory(const Contexts& contexts, MemoryTable& memory) : contexts_(contexts), memory_(memory) {}
  ~VirtualMemory();
  VirtualMemory(const VirtualMemory&) = delete;
  VirtualMemory& operator=(const VirtualMemory&) = delete;

  // A range of addresses at which nothing is mapped. `wanted`: where it should be, if that is free; 0: anywhere.
  // `alignment`: a power of two, or 0.
  std::uint64_t reserve(std::size_t size, std::size_t alignment, std::uint64_t wanted);
  // Throws as long as something is mapped in it.
  void free(std::uint64_t address, std::size_t size);

  // Memory, of zeros; its number is the program's handle. Throws cudaErrorMemoryAllocation.
  std::uint64_t create(std::size_t size, const CUmemAllocationProp& properties);
  // The program releases one of its holds on it. The memory is freed when it is mapped nowhere any more.
  void release(std::uint64_t handle);
  // One more hold on the memory that is mapped at an address.
  std::uint64_t retain(std::uint64_t address);
  CUmemAllocationProp properties(std::uint64_t handle) const;

  // Maps the first `size` bytes of the memory at `address`. Nobody may access them yet.
  void map(std::uint64_t address, std::size_t size, std::uint64_t handle);
  // Unmaps the range. It must consist of whole mappings, without gaps.
  void unmap(std::uint64_t address, std::size_t size);
  // Whether a device may read and write what is mapped in the range: whole mappings.
  void set_access(std::uint64_t address, std::size_t size, int device, CUmemAccess_flags flags);
  CUmemAccess_flags access(std::uint64_t address, int device) const;

  // Whether the device's memory can be mapped in this process. It cannot for GPUs in a process with the CPU device,
  // whose addresses the system assigns.
  bool has(int device) const;
  std::size_t granularity(int device) const;

  // How much of a device's memory the device itself does not count: that of the host.
  std::uint64_t created_bytes(int device) const;

 private:
  struct Physical {
    heddle::AddressMapping* mapping = nullptr;  // where it was made
    std::uint64_t handle = 0;                   // there
    std::size_t size = 0;
    unsigned holds = 1;
    CUmemAllocationProp properties = {};
    Physical() = default;
    Physical(const Physical&) = delete;
    Physical& operator=(const Physical&) = delete;
    ~Physical();
  };
  struct Mapping {
    std::size_t size = 0;
    std::uint64_t handle = 0;
    std::shared_ptr<Physical> memory;
    std::map<int, CUmemAccess_flags> access;
    std::map<int, heddle::Memory> known;  // the host's: to the devices that may access it
    MappedAccess all_access() const;      // of all devices together
  };
  using Mappings = std::map<std::uint64_t, Mapping>;

  // The device's, or the host's. Throws cudaErrorNotSupported if has() is false.
  heddle::AddressMapping& mapping_of(int device) const;
  // The one that assigns addresses.
  heddle::AddressMapping& ranges() const;

  std::pair<Mappings::iterator, Mappings::iterator> whole_mappings(std::uint64_t address, std::size_t size)
      HEDDLE_REQUIRES(mutex_);
  std::uint64_t reservation_of(std::uint64_t address, std::size_t size) const HEDDLE_REQUIRES(mutex_);
  Mappings::const_iterator mapping_at(std::uint64_t address) const HEDDLE_REQUIRES(mutex_);
  void list_blocks(std::uint64_t reservation) HEDDLE_REQUIRES(mutex_);
  std::uint64_t bytes_of(int device) const HEDDLE_REQUIRES(mutex_);

  const Contexts& contexts_;
  MemoryTable& memory_;
  mutable HostMapping host_;
  mutable heddle::base::Mutex mutex_;
  std::map<std::uint64_t, std::size_t> reserved_ HEDDLE_GUARDED_BY(mutex_);
  Mappings mappings_ HEDDLE_GUARDED_BY(mutex_);
  std::map<std::uint64_t, std::shared_ptr<Physical>> created_
      HEDDLE_GUARDED_BY(mutex_);  // by handle, while the program holds it
  std::map<std::uint64_t, std::vector<std::uint64_t>> blocks_
      HEDDLE_GUARDED_BY(mutex_);  // in the memory table, by reservation
  std::uint64_t last_handle_ HEDDLE_GUARDED_BY(mutex_) = 0;
};

}  // namespace heddle::cuda_api
