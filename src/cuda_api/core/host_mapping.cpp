#include "cuda_api/core/host_mapping.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/memory_limit.hpp"
#include "base/own_descriptor.hpp"
#include "base/size_limit_signal.hpp"
#include "cuda_api/core/failure.hpp"

namespace heddle::cuda_api {
namespace {

[[noreturn]] void exhausted(std::string what) { throw Failure(cudaErrorMemoryAllocation, std::move(what)); }

void* pointer(std::uint64_t address) { return reinterpret_cast<void*>(address); }
int file(std::uint64_t handle) { return static_cast<int>(handle); }

constexpr int no_access = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

// Takes a range of addresses, and gives back what of it the alignment leaves over.
std::uint64_t take_range(std::size_t size, std::size_t alignment) {
  const std::size_t more = size + alignment;
  void* const found = more < size ? MAP_FAILED : ::mmap(nullptr, more, PROT_NONE, no_access, -1, 0);
  if (found == MAP_FAILED)
    exhausted(fmt::format("there is no range of {} free addresses{}", size, base::memory_limit_note()));
  const auto begin = reinterpret_cast<std::uint64_t>(found);
  const std::uint64_t start = (begin + alignment - 1) / alignment * alignment;
  if (start != begin) ::munmap(found, start - begin);
  if (start + size != begin + more) ::munmap(pointer(start + size), begin + more - start - size);
  return start;
}

}  // namespace

std::uint64_t HostMapping::reserve(std::size_t size, std::size_t alignment, std::uint64_t wanted) {
  if (wanted != 0 && wanted % alignment == 0) {
    void* const there = ::mmap(pointer(wanted), size, PROT_NONE, no_access | MAP_FIXED_NOREPLACE, -1, 0);
    if (there == pointer(wanted)) return wanted;
    if (there != MAP_FAILED) ::munmap(there, size);  // a system that does not know the flag
  }
  return take_range(size, alignment);
}

void HostMapping::free(std::uint64_t address, std::size_t size) { ::munmap(pointer(address), size); }

heddle::AddressMapping::Created HostMapping::create(std::size_t size, bool compressible) {
  const base::WithoutSizeLimitSignal only_fails;
  const int made = base::above_standard_files(::memfd_create("heddle", MFD_CLOEXEC));
  if (made < 0 || ::ftruncate(made, static_cast<off_t>(size)) != 0) {
    if (made >= 0) ::close(made);
    exhausted(fmt::format("the system gives no memory of {} bytes that can be mapped", size));
  }
  return {static_cast<std::uint64_t>(made), compressible};
}

void HostMapping::release(std::uint64_t handle) noexcept { ::close(file(handle)); }

void HostMapping::map(std::uint64_t address, std::size_t size, std::uint64_t handle) {
  if (::mmap(pointer(address), size, PROT_NONE, MAP_SHARED | MAP_FIXED, file(handle), 0) == MAP_FAILED)
    exhausted("the system maps no more memory" + base::memory_limit_note());
}

void HostMapping::unmap(std::uint64_t address, std::size_t size) {
  if (::mmap(pointer(address), size, PROT_NONE, no_access | MAP_FIXED, -1, 0) == MAP_FAILED)
    exhausted("the system takes no mapping back");
}

void HostMapping::set_access(std::uint64_t address, std::size_t size, MappedAccess access) {
  const int protection = access == MappedAccess::none   ? PROT_NONE
                         : access == MappedAccess::read ? PROT_READ
                                                        : PROT_READ | PROT_WRITE;
  if (::mprotect(pointer(address), size, protection) != 0)
    exhausted("the system does not change who may access the memory");
}

}  // namespace heddle::cuda_api
