#include <sys/mman.h>

#include "device/cpu/block.hpp"

namespace heddle::device::cpu {
namespace {
constexpr std::size_t page = 4096;
constexpr std::size_t guard_bytes = 64 * 1024;
}  // namespace

GuardedBuffer::~GuardedBuffer() {
  if (data_ != nullptr) ::munmap(data_ - guard_bytes, size_ + 2 * guard_bytes);
}

bool GuardedBuffer::reserve(std::size_t bytes) {
  if (bytes <= size_) return true;
  const std::size_t rounded = (bytes + page - 1) / page * page;
  void* mapping =
      ::mmap(nullptr, rounded + 2 * guard_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED) return false;
  std::uint8_t* data = static_cast<std::uint8_t*>(mapping) + guard_bytes;
  if (::mprotect(data, rounded, PROT_READ | PROT_WRITE) != 0) {
    ::munmap(mapping, rounded + 2 * guard_bytes);
    return false;
  }
  if (data_ != nullptr) ::munmap(data_ - guard_bytes, size_ + 2 * guard_bytes);
  data_ = data;
  size_ = rounded;
  return true;
}

}  // namespace heddle::device::cpu
