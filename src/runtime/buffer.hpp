// What stands behind heddle::Array: the bytes of an array, and the host's access to them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/thread_safety.hpp"
#include "memory/array.hpp"

namespace heddle::runtime {

class Core;

// Any thread, without the core's lock.
class Buffer {
 public:
  Buffer(std::shared_ptr<Core> core, std::size_t bytes);
  ~Buffer();  // waits for its users
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  Core& core() const { return *core_; }
  std::size_t bytes() const { return array_.bytes(); }
  memory::Array& array() { return array_; }  // needs the core's lock

  // Pointers to all bytes, for the host. Throw the Error of a launch that failed, once.
  const void* read() {
    const std::byte* const known = array_.host_readable();
    return known != nullptr ? known : access(false, 0, bytes());
  }
  void* write() {
    std::byte* const known = array_.host_writable();
    return known != nullptr ? known : access(true, 0, bytes());
  }
  // Bytes [begin, end) only: others are neither waited for nor copied.
  const void* read(std::uint64_t begin, std::uint64_t end) {
    const std::byte* const known = array_.host_readable();
    return known != nullptr ? known + begin : access(false, begin, end);
  }
  void* write(std::uint64_t begin, std::uint64_t end) {
    std::byte* const known = array_.host_writable();
    return known != nullptr ? known + begin : access(true, begin, end);
  }
  // The same, and what lies around them on pages of 64 KiB is copied too, where nothing uses it: for a host that reads
  // element by element.
  const void* read_near(std::uint64_t begin, std::uint64_t end) {
    const std::byte* const known = array_.host_readable();
    return known != nullptr ? known + begin : read_page(begin, end);
  }
  // Keeps the bytes current on the place for all launches from now on, and returns their address there
  // (sched/pinned_arrays.hpp).
  std::uint64_t pin(std::size_t place);

 private:
  memory::Space make_space_for_host(std::uint64_t begin, std::uint64_t end, bool reaches_first, base::Lock& lock);
  std::byte* access(bool writes, std::uint64_t begin, std::uint64_t end);
  const void* read_page(std::uint64_t begin, std::uint64_t end);

  const std::shared_ptr<Core> core_;
  memory::Array array_;
};

}  // namespace heddle::runtime
