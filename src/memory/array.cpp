#include "memory/array.hpp"

#include <algorithm>

#include "base/ids.hpp"

namespace heddle::memory {

Array::Array(std::size_t spaces, std::size_t bytes, Changes& changes)
    : changes_(changes), bytes_(bytes), id_(base::next_id()), copies_(spaces), residence_(bytes) {}

bool Array::allocated_anywhere() const {
  return std::any_of(copies_.begin(), copies_.end(), [](const Copy& copy) { return copy.memory != nullptr; });
}

void Array::install(Space space, std::unique_ptr<device::Memory> memory, graph::ObjectId object) {
  ++changes_.count;
  const std::uint64_t address = memory->span().address;
  copies_[space] = {std::move(memory), object, address};
}

device::Span Array::span(Space space, std::uint64_t begin, std::uint64_t end) const {
  if (void* const host = reachable(space))
    return device::Span::host(static_cast<std::byte*>(host) + begin, static_cast<std::size_t>(end - begin));
  return device_span(space, begin, end);
}

std::uint64_t Array::dirty_bytes(Space space) const {
  std::uint64_t dirty = 0;
  residence_.each(0, bytes_, [&](std::uint64_t bytes, Spaces spaces) {
    if (spaces == only(space)) dirty += bytes;
  });
  return dirty;
}

void Array::let_host(Space space, bool write) {
  ++changes_.count;
  space_of_pointer_ = space;
  host_pointer_.store(static_cast<std::byte*>(reachable(space)), std::memory_order_relaxed);
  host_may_.store(write ? may_write : may_read, std::memory_order_release);
}

void Array::host_modified(Space space, std::uint64_t begin, std::uint64_t end) {
  ++changes_.count;
  residence_.modified(space, begin, end);
  if (space_of_pointer_ != space) host_may_.store(may_nothing, std::memory_order_release);
}

}  // namespace heddle::memory
