// The bytes of an array: copies of them on devices and on the host, which of those are current, and who uses them.
//
// Coherence is by whole buffers: a launch that needs the bytes on a device copies them there first, and one that writes
// makes the other copies stale. On devices whose memory the host can reach, the host uses that memory itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "device/memory.hpp"
#include "runtime/in_use.hpp"

namespace heddle::runtime {

class Core;

class Buffer : public std::enable_shared_from_this<Buffer> {
 public:
  Buffer(std::shared_ptr<Core> core, std::size_t bytes);
  ~Buffer();  // waits for its users
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  const std::shared_ptr<Core>& core() const { return core_; }
  std::size_t bytes() const { return bytes_; }

  // Makes the bytes current on a place for commands submitted to its queue from now on. When `writes`, other copies are
  // stale afterwards. Needs the core's lock. Throws out_of_memory.
  void acquire(std::size_t place, bool writes);
  // Where they lie there, once acquired.
  std::uint64_t address(std::size_t place) const { return replicas_[place].memory->span().address; }
  // Says that the command before `event` on the place uses the bytes. Needs the lock.
  void used(std::size_t place, const std::shared_ptr<device::Event>& event, bool writes) {
    in_use_.add(place, event, writes);
  }

  // For the host; without the lock. Throw the Error of a launch that failed, once.
  const void* read();
  void* write();
  // Keeps the bytes current on the place for all launches from now on; see Core::pin.
  std::uint64_t pin(std::size_t place);

 private:
  struct Replica {
    std::unique_ptr<device::Memory> memory;
    bool current = false;
  };

  void wait_for(bool writers_only);
  void* host_copy();
  void* allocated_host();
  void* reachable(std::size_t place) const;
  device::Span source(std::size_t place) const;
  void fill_or_copy(std::size_t place);
  void fetch(std::size_t from, std::size_t place);
  void only_current(std::size_t place);
  Replica& allocated(std::size_t place);

  std::shared_ptr<Core> core_;
  std::size_t bytes_;
  std::vector<Replica> replicas_;         // by place; none current: the bytes are zeros that nobody needed yet
  std::unique_ptr<device::Memory> host_;  // where no device's memory can be reached by the host
  bool host_current_ = false;
  InUse in_use_;
};

}  // namespace heddle::runtime
