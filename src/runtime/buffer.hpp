// Implements heddle::Array: the bytes of an array, and the host's access to them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "base/thread_safety.hpp"
#include "memory/array.hpp"

namespace heddle::core {
class Core;
}

namespace heddle::sched {
class Turn;
}

namespace heddle::runtime {

// Any thread, without the core's lock.
class Buffer {
 public:
  Buffer(std::shared_ptr<core::Core> core, std::size_t bytes);
  ~Buffer();  // waits for the tasks that use it
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  core::Core& core() const { return *core_; }
  std::size_t bytes() const { return array_.bytes(); }
  memory::Array& array() { return array_; }  // needs the core's lock

  // Pointers to all bytes, for the host. If a launch failed, its Error is thrown once.
  const void* read() {
    const std::byte* const known = array_.host_readable();
    return known != nullptr ? known : access(false, 0, bytes());
  }
  void* write() {
    std::byte* const known = array_.host_writable();
    return known != nullptr ? known : access(true, 0, bytes());
  }
  // Bytes [begin, end) only. The host does not wait for other bytes, and they are not copied.
  const void* read(std::uint64_t begin, std::uint64_t end) {
    const std::byte* const known = array_.host_readable();
    return known != nullptr ? known + begin : access(false, begin, end);
  }
  void* write(std::uint64_t begin, std::uint64_t end) {
    std::byte* const known = array_.host_writable();
    return known != nullptr ? known + begin : access(true, begin, end);
  }
  // The same, for a host that reads element by element: the rest of the 64 KiB pages around the bytes is copied too, if
  // no task uses it.
  const void* read_near(std::uint64_t begin, std::uint64_t end) {
    const std::byte* const known = array_.host_readable();
    return known != nullptr ? known + begin : read_page(begin, end);
  }
  // Submits the copies that read() would wait for: see Array::prefetch().
  void prefetch(std::uint64_t begin, std::uint64_t end);
  // Whether all current bytes are in memory that the host reaches.
  bool host_only();
  // Returns the address of the bytes on the place. From now on they are kept current there for all launches
  // (sched/pinned_arrays.hpp).
  std::uint64_t pin(std::size_t place);

 private:
  memory::Space make_space_for_host(std::uint64_t begin, std::uint64_t end, bool reaches_first, base::Lock& lock);
  void take_turn(std::optional<sched::Turn>& turn, graph::Mode mode, std::uint64_t begin, std::uint64_t end,
                 base::Lock& lock);
  std::byte* access(bool writes, std::uint64_t begin, std::uint64_t end);
  const void* read_page(std::uint64_t begin, std::uint64_t end);

  const std::shared_ptr<core::Core> core_;
  memory::Array array_;
};

}  // namespace heddle::runtime
