#include "cuda_api/core/virtual_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "cuda_api/core/failure.hpp"

namespace heddle::cuda_api {
namespace {

[[noreturn]] void invalid(std::string what) { throw Failure(cudaErrorInvalidValue, std::move(what)); }
[[noreturn]] void exhausted(std::string what) { throw Failure(cudaErrorMemoryAllocation, std::move(what)); }

void check_multiple(std::size_t size, const char* what) {
  if (size == 0 || size % virtual_granularity != 0)
    invalid(fmt::format("{} of {} bytes, which is no multiple of {}", what, size, virtual_granularity));
}

MappedAccess access_of(CUmemAccess_flags flags) {
  if (flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE) return MappedAccess::read_write;
  return flags & CU_MEM_ACCESS_FLAGS_PROT_READ ? MappedAccess::read : MappedAccess::none;
}

}  // namespace

VirtualMemory::Physical::~Physical() {
  if (mapping) mapping->release(handle);
}

MappedAccess VirtualMemory::Mapping::all_access() const {
  MappedAccess all = MappedAccess::none;
  for (const auto& [device, flags] : access) all = std::max(all, access_of(flags));
  return all;
}

VirtualMemory::~VirtualMemory() = default;

heddle::AddressMapping& VirtualMemory::ranges() const {
  const auto on_host = [&](int i) { return contexts_.of_device(i).info().host_memory; };
  for (int i = 0; i < contexts_.device_count(); ++i)
    if (on_host(i)) return host_;
  heddle::AddressMapping* const own = contexts_.of_device(0).device().address_mapping();
  if (!own)
    throw Failure(cudaErrorNotSupported, contexts_.of_device(0).info().id +
                                             " has no memory that the program maps (virtual memory management)");
  return *own;
}

bool VirtualMemory::has(int device) const {
  if (contexts_.of_device(device).info().host_memory) return true;
  return contexts_.of_device(device).device().address_mapping() && &ranges() != &host_;
}

heddle::AddressMapping& VirtualMemory::mapping_of(int device) const {
  if (contexts_.of_device(device).info().host_memory) return host_;
  if (!has(device))
    throw Failure(cudaErrorNotSupported, "memory of " + contexts_.of_device(device).info().id +
                                             " that the program maps (virtual memory management), in a process that "
                                             "has the CPU device too: leave one of them out of --device");
  return *contexts_.of_device(device).device().address_mapping();
}

std::size_t VirtualMemory::granularity(int device) const {
  return std::max(virtual_granularity, mapping_of(device).granularity());
}

std::uint64_t VirtualMemory::reserve(std::size_t size, std::size_t alignment, std::uint64_t wanted) {
  check_multiple(size, "a range of addresses");
  if ((alignment & (alignment - 1)) != 0) invalid(fmt::format("an alignment of {}, no power of two", alignment));
  alignment = std::max(alignment, virtual_granularity);
  const base::Lock lock(mutex_);
  const std::uint64_t start = ranges().reserve(size, alignment, wanted);
  reserved_.emplace(start, size);
  return start;
}

void VirtualMemory::free(std::uint64_t address, std::size_t size) {
  const base::Lock lock(mutex_);
  const auto found = reserved_.find(address);
  if (found == reserved_.end() || found->second != size)
    invalid(fmt::format("{} bytes at {:#x} are no range that was reserved", size, address));
  const auto mapped = mappings_.lower_bound(address);
  if (mapped != mappings_.end() && mapped->first < address + size)
    invalid(fmt::format("memory is still mapped at {:#x} in the range", mapped->first));
  ranges().free(address, size);
  reserved_.erase(found);
  blocks_.erase(address);
}

std::uint64_t VirtualMemory::bytes_of(int device) const {
  std::map<const Physical*, std::size_t> all;  // held by the program, or mapped
  const auto note = [&](const Physical& memory) {
    if (memory.mapping == &host_ && memory.properties.location.id == device) all[&memory] = memory.size;
  };
  for (const auto& [handle, memory] : created_) note(*memory);
  for (const auto& [address, mapping] : mappings_) note(*mapping.memory);
  std::uint64_t bytes = 0;
  for (const auto& [memory, size] : all) bytes += size;
  return bytes;
}

std::uint64_t VirtualMemory::created_bytes(int device) const {
  const base::Lock lock(mutex_);
  return bytes_of(device);
}

std::uint64_t VirtualMemory::create(std::size_t size, const CUmemAllocationProp& properties) {
  check_multiple(size, "an allocation");
  const int device = properties.location.id;
  heddle::AddressMapping& mapping = mapping_of(device);
  const std::uint64_t free = contexts_.of_device(device).device().free_memory();
  auto memory = std::make_shared<Physical>();
  memory->size = size;
  memory->properties = properties;
  const base::Lock lock(mutex_);
  const std::uint64_t used = bytes_of(device);
  if (size > free || used > free - size)
    exhausted(
        fmt::format("{} bytes are asked for; {} are free, of which {} are given to other handles", size, free, used));
  const bool compressible = properties.allocFlags.compressionType != 0;
  const heddle::AddressMapping::Created made = mapping.create(size, compressible);
  memory->mapping = &mapping;
  memory->handle = made.handle;
  if (!made.compressible) memory->properties.allocFlags.compressionType = 0;
  created_.emplace(++last_handle_, std::move(memory));
  return last_handle_;
}

void VirtualMemory::release(std::uint64_t handle) {
  const base::Lock lock(mutex_);
  const auto found = created_.find(handle);
  if (found == created_.end()) invalid(fmt::format("{:#x} is no handle, or was released before", handle));
  if (--found->second->holds == 0) created_.erase(found);
}

std::uint64_t VirtualMemory::retain(std::uint64_t address) {
  const base::Lock lock(mutex_);
  const auto found = mapping_at(address);
  if (found == mappings_.end()) invalid(fmt::format("nothing is mapped at {:#x}", address));
  const auto [held, is_new] = created_.emplace(found->second.handle, found->second.memory);
  held->second->holds = is_new ? 1 : held->second->holds + 1;
  return found->second.handle;
}

CUmemAllocationProp VirtualMemory::properties(std::uint64_t handle) const {
  const base::Lock lock(mutex_);
  const auto found = created_.find(handle);
  if (found == created_.end()) invalid(fmt::format("{:#x} is no handle, or was released before", handle));
  return found->second->properties;
}

VirtualMemory::Mappings::const_iterator VirtualMemory::mapping_at(std::uint64_t address) const {
  auto after = mappings_.upper_bound(address);
  if (after == mappings_.begin()) return mappings_.end();
  --after;
  return address - after->first < after->second.size ? after : mappings_.end();
}

std::uint64_t VirtualMemory::reservation_of(std::uint64_t address, std::size_t size) const {
  const auto after = reserved_.upper_bound(address);
  if (after != reserved_.begin()) {
    const auto& [begin, bytes] = *std::prev(after);
    if (address - begin < bytes && size <= bytes - (address - begin)) return begin;
  }
  invalid(fmt::format("{} bytes at {:#x} are not within a range that was reserved", size, address));
}

void VirtualMemory::map(std::uint64_t address, std::size_t size, std::uint64_t handle) {
  check_multiple(size, "a mapping");
  if (address % virtual_granularity != 0)
    invalid(fmt::format("a mapping at {:#x}, which is no multiple of {}", address, virtual_granularity));
  const base::Lock lock(mutex_);
  reservation_of(address, size);
  const auto found = created_.find(handle);
  if (found == created_.end()) invalid(fmt::format("{:#x} is no handle, or was released before", handle));
  if (size > found->second->size)
    invalid(fmt::format("{} bytes are to be mapped of memory that has {}", size, found->second->size));
  const auto next = mappings_.lower_bound(address);
  if (mapping_at(address) != mappings_.end() || (next != mappings_.end() && next->first - address < size))
    invalid(fmt::format("memory is mapped already in the {} bytes at {:#x}", size, address));
  found->second->mapping->map(address, size, found->second->handle);
  mappings_.emplace(address, Mapping{size, handle, found->second, {}, {}});
}

std::pair<VirtualMemory::Mappings::iterator, VirtualMemory::Mappings::iterator> VirtualMemory::whole_mappings(
    std::uint64_t address, std::size_t size) {
  const auto first = mappings_.find(address);
  auto end = first;
  std::uint64_t at = address;
  while (end != mappings_.end() && end->first == at && end->second.size <= address + size - at) {
    at += end->second.size;
    ++end;
  }
  if (size == 0 || at != address + size)
    invalid(fmt::format("the {} bytes at {:#x} are not whole mappings, one behind the other", size, address));
  return {first, end};
}

// Copies and fills know memory by the table: there, what can be accessed and lies in one piece is one block.
void VirtualMemory::list_blocks(std::uint64_t reservation) {
  std::vector<std::uint64_t>& listed = blocks_[reservation];
  for (const std::uint64_t address : listed) memory_.take(address);
  listed.clear();
  const std::uint64_t end = reservation + reserved_.at(reservation);
  for (auto it = mappings_.lower_bound(reservation); it != mappings_.end() && it->first < end;) {
    const std::uint64_t begin = it->first;
    std::uint64_t to = begin;
    const int device = it->second.memory->properties.location.id;
    const bool on_host = it->second.memory->mapping == &host_;
    const auto is_more = [&](const Mapping& mapping) {
      return on_host || mapping.memory->properties.location.id == device;
    };
    for (; it != mappings_.end() && it->first == to && to < end && is_more(it->second) &&
           it->second.all_access() != MappedAccess::none;
         ++it)
      to += it->second.size;
    if (to == begin) {
      ++it;
      continue;
    }
    Block block;
    block.address = begin;
    block.size = to - begin;
    block.device = device;
    block.span = {on_host ? MemorySpan::host : device, begin, to - begin};
    memory_.add(std::move(block));
    listed.push_back(begin);
  }
}

void VirtualMemory::unmap(std::uint64_t address, std::size_t size) {
  for (int i = 0; i < contexts_.device_count(); ++i) contexts_.of_device(i).synchronize();
  const base::Lock lock(mutex_);
  const std::uint64_t reservation = reservation_of(address, size);
  const auto [first, end] = whole_mappings(address, size);
  Mappings gone;
  for (auto it = first; it != end;) gone.insert(mappings_.extract(it++));
  for (auto& [at, mapping] : gone) mapping.known.clear();  // devices forget it before it is gone
  list_blocks(reservation);
  for (const auto& [at, mapping] : gone) mapping.memory->mapping->unmap(at, mapping.size);
}

void VirtualMemory::set_access(std::uint64_t address, std::size_t size, int device, CUmemAccess_flags flags) {
  const heddle::Device& of = contexts_.of_device(device).device();
  heddle::AddressMapping& own = mapping_of(device);
  const base::Lock lock(mutex_);
  const std::uint64_t reservation = reservation_of(address, size);
  const auto [first, end] = whole_mappings(address, size);
  for (auto it = first; it != end; ++it) {
    Mapping& mapping = it->second;
    if (flags == CU_MEM_ACCESS_FLAGS_PROT_NONE) {
      mapping.access.erase(device);
      mapping.known.erase(device);
    } else {
      mapping.access[device] = flags;
    }
    const bool on_host = &own == &host_;
    own.set_access(it->first, mapping.size, on_host ? mapping.all_access() : access_of(flags));
    if (on_host && flags != CU_MEM_ACCESS_FLAGS_PROT_NONE && mapping.known.count(device) == 0)
      mapping.known.emplace(device, of.register_host(reinterpret_cast<void*>(it->first), mapping.size));
  }
  list_blocks(reservation);
}

CUmemAccess_flags VirtualMemory::access(std::uint64_t address, int device) const {
  const base::Lock lock(mutex_);
  const auto found = mapping_at(address);
  if (found == mappings_.end()) invalid(fmt::format("nothing is mapped at {:#x}", address));
  const auto flags = found->second.access.find(device);
  return flags == found->second.access.end() ? CU_MEM_ACCESS_FLAGS_PROT_NONE : flags->second;
}

}  // namespace heddle::cuda_api
