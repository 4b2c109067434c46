#include "device/cpu/arenas.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <iterator>

namespace heddle::device::cpu {
namespace {

constexpr std::size_t usual_bytes = 32 << 20, small_bytes = 1 << 20;

}  // namespace

Arenas::~Arenas() {
  for (const Mapping& mapping : mappings_) ::munmap(mapping.start, mapping.bytes);
}

Arenas::Piece Arenas::take(std::size_t bytes) {
  Piece piece;
  auto best = free_by_size_.lower_bound({bytes, 0});
  if (best == free_by_size_.end()) {
    if (!add(bytes)) return piece;
    best = free_by_size_.lower_bound({bytes, 0});
  }
  const auto [size, address] = *best;
  if (size > bytes) add_free(address + bytes, size - bytes);
  piece.by_size_ = free_by_size_.extract(best);
  piece.by_address_ = free_.extract(address);
  piece.by_address_.mapped() = bytes;
  return piece;
}

// Joins free neighbours. Mappings have guards between them, so ranges of two of them never touch.
void Arenas::give_back(Piece piece) noexcept {
  std::uint64_t& address = piece.by_address_.key();
  std::size_t& bytes = piece.by_address_.mapped();
  auto next = free_.lower_bound(address);
  if (next != free_.end() && address + bytes == next->first) {
    bytes += next->second;
    free_by_size_.erase({next->second, next->first});
    next = free_.erase(next);
  }
  if (next != free_.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second == address) {
      free_by_size_.erase({before->second, before->first});
      address = before->first;
      bytes += before->second;
      free_.erase(before);
    }
  }
  piece.by_size_.value() = {bytes, address};
  free_.insert(std::move(piece.by_address_));
  free_by_size_.insert(std::move(piece.by_size_));
}

// False when the system gives no memory.
bool Arenas::add(std::size_t at_least) {
  const std::size_t least = round_up(at_least, page_bytes);
  const std::size_t data = std::max(usual_bytes, least), small = std::max(small_bytes, least);
  // Under a limit of the process there may be room for a small one.
  return map(data) || (small < data && map(small));
}

// A limit of the address space refuses the mapping, a limit of data that it is opened for writing.
bool Arenas::map(std::size_t data) {
  mappings_.reserve(mappings_.size() + 1);
  Mapping mapping{nullptr, data + 2 * guard_bytes};
  mapping.start = ::mmap(nullptr, mapping.bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping.start == MAP_FAILED) return false;
  void* const start = static_cast<std::byte*>(mapping.start) + guard_bytes;
  const bool opened = ::mprotect(start, data, PROT_READ | PROT_WRITE) == 0;
  try {
    if (opened) add_free(reinterpret_cast<std::uint64_t>(start), data);
  } catch (...) {
    ::munmap(mapping.start, mapping.bytes);
    throw;
  }
  if (opened)
    mappings_.push_back(mapping);
  else
    ::munmap(mapping.start, mapping.bytes);
  return opened;
}

void Arenas::add_free(std::uint64_t address, std::size_t bytes) {
  const auto range = free_.emplace(address, bytes).first;
  try {
    free_by_size_.emplace(bytes, address);
  } catch (...) {
    free_.erase(range);
    throw;
  }
}

}  // namespace heddle::device::cpu
