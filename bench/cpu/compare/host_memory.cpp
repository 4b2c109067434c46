#include "compare/host_memory.hpp"

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <new>

namespace heddle::bench {
namespace {

constexpr std::size_t huge_page = 2 << 20, page = 4096;

}  // namespace

void HostMemory::Free::operator()(std::byte* bytes) const { std::free(bytes); }

HostMemory::HostMemory(const Case& test) {
  for (const ArraySpec& spec : test.arrays) {
    const std::size_t bytes = spec.initial.size();
    const bool large = bytes >= 2 * huge_page;
    const std::size_t alignment = large ? huge_page : page;
    void* memory = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
    if (memory == nullptr) throw std::bad_alloc();
    if (large) ::madvise(memory, bytes, MADV_HUGEPAGE);
    std::memcpy(memory, spec.initial.data(), bytes);
    arrays_.emplace_back(static_cast<std::byte*>(memory));
  }
}

void HostMemory::reset(const Case& test) {
  for (std::size_t i = 0; i < arrays_.size(); ++i) {
    const ArraySpec& spec = test.arrays[i];
    if (spec.role == Role::changed) std::memcpy(arrays_[i].get(), spec.initial.data(), spec.initial.size());
  }
}

std::vector<std::byte*> HostMemory::all() const {
  std::vector<std::byte*> all;
  for (const auto& array : arrays_) all.push_back(array.get());
  return all;
}

}  // namespace heddle::bench
