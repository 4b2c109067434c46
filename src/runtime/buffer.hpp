// The bytes of an array: copies of them on devices and on the host, and which of those are current.
//
// A launch that needs bytes on a device has them copied there first, and one that modifies them makes the other copies
// of these bytes stale; moves are tasks of the DAG like launches. On devices whose memory the host can reach, the host
// uses that memory itself.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "device/memory.hpp"
#include "graph/dag.hpp"
#include "memory/residence.hpp"

namespace heddle::runtime {

class Core;

// What bytes that must come from the host to a device are brought for.
enum class Arriving : std::uint8_t {
  before,   // a launch behind the copy
  timed,    // the same, with times of the copy's begin and end
  telling,  // a launch that may begin while they arrive: the copy is timed, and tells how far it is
};

class Buffer : public std::enable_shared_from_this<Buffer> {
 public:
  Buffer(std::shared_ptr<Core> core, std::size_t bytes);
  ~Buffer();  // waits for its users
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  const std::shared_ptr<Core>& core() const { return core_; }
  std::size_t bytes() const { return bytes_; }
  std::uint64_t id() const { return id_; }  // of no other, also of later ones
  // Whether acquire() would find nothing to bring. Needs the core's lock.
  bool is_there(std::size_t place, std::uint64_t begin, std::uint64_t end, graph::Mode mode) const {
    return copies_[place].memory &&
           (mode == graph::Mode::write || residence_.current(static_cast<memory::Space>(place), begin, end));
  }

  // Calls f(bytes, spaces) for the pieces of [begin, end) that lie somewhere. Needs the core's lock.
  template <class F>
  void whereabouts(std::uint64_t begin, std::uint64_t end, F&& f) const {
    residence_.each(begin, end, std::forward<F>(f));
  }

  // Has bytes [begin, end) brought to a place, for a task that is submitted next, and tells what that task does to them
  // there. With Mode::write nothing is brought, and what lies elsewhere counts until overwritten(). Needs the core's
  // lock. Throws out_of_memory.
  graph::Access acquire(std::size_t place, std::uint64_t begin, std::uint64_t end, graph::Mode mode,
                        Arriving arriving = Arriving::before);
  // Whether the host is about to ask for what the task that was acquired for last has modified, as far as it does what
  // it did before; if so, copy_back() is to be called once that task is submitted. Need the core's lock.
  bool is_read_back() const { return read_back_.due; }
  void copy_back();
  // A task that was acquired for with Mode::write is submitted: from here on the bytes that it leaves count. Needs the
  // core's lock.
  void overwritten(std::size_t place, std::uint64_t begin, std::uint64_t end) {
    residence_.modified(static_cast<memory::Space>(place), begin, end);
  }
  // Where they lie there, once acquired.
  std::uint64_t address(std::size_t place) const { return copies_[place].address; }

  // For the host; without the lock. Throw the Error of a launch that failed, once.
  const void* read() {
    if (host_may_.load(std::memory_order_acquire) >= may_read) return host_pointer_.load(std::memory_order_relaxed);
    return host_access(false, 0, bytes_);
  }
  void* write() {
    if (host_may_.load(std::memory_order_acquire) == may_write) return host_pointer_.load(std::memory_order_relaxed);
    return host_access(true, 0, bytes_);
  }
  // Bytes [begin, end) only: others are neither waited for nor brought.
  const void* read(std::uint64_t begin, std::uint64_t end) {
    if (host_may_.load(std::memory_order_acquire) >= may_read) return host_bytes() + begin;
    return host_access(false, begin, end);
  }
  void* write(std::uint64_t begin, std::uint64_t end) {
    if (host_may_.load(std::memory_order_acquire) == may_write) return host_bytes() + begin;
    return host_access(true, begin, end);
  }
  // The same, and what lies around them on pages of 64 KiB is brought too, where nobody uses it: for who reads on.
  const void* read_near(std::uint64_t begin, std::uint64_t end) {
    if (host_may_.load(std::memory_order_acquire) >= may_read) return host_bytes() + begin;
    return read_page(begin, end);
  }
  // Keeps the bytes current on the place for all launches from now on; see Core::pin.
  std::uint64_t pin(std::size_t place);

 private:
  struct Copy {
    std::unique_ptr<device::Memory> memory;
    graph::ObjectId object = 0;
    std::uint64_t address = 0;  // the memory's
  };
  // What the host may do with all bytes at once, at host_pointer_, without asking: nobody else uses them so.
  enum HostMay : int { may_nothing, may_read, may_write };

  // When the host reads what launches have written: the same number of launches before it, twice in a row, and it is
  // taken to go on so.
  struct ReadBack {
    std::uint64_t begin = 0, end = 0;                // what it read
    unsigned modified = 0, usual = 0;                // launches that modified the array, since it read; and before that
    bool agreed = false, due = false, made = false;  // made: copied, and not read yet
    void modify();
    void read(std::uint64_t first, std::uint64_t last);
  };

  memory::Space host_space() const { return static_cast<memory::Space>(copies_.size() - 1); }
  void* reachable(memory::Space space) const;
  device::Span span(memory::Space space, std::uint64_t begin, std::uint64_t end) const;
  Copy& allocated(memory::Space space) {
    Copy& copy = copies_[space];
    if (!copy.memory) [[unlikely]]
      allocate(space);
    return copy;
  }
  void allocate(memory::Space space);
  void release(memory::Space space);
  graph::Access access(memory::Space space, graph::Mode mode, std::uint64_t begin, std::uint64_t end) const;
  memory::Space source(memory::Spaces spaces, memory::Space to) const;
  void bring(memory::Space space, std::uint64_t begin, std::uint64_t end, bool for_host = false,
             Arriving arriving = Arriving::before) {
    if (!residence_.current(space, begin, end)) [[unlikely]]
      bring_missing(space, begin, end, for_host, arriving);
  }
  void bring_missing(memory::Space space, std::uint64_t begin, std::uint64_t end, bool for_host, Arriving arriving);
  void fill(memory::Space space, std::uint64_t begin, std::uint64_t end, bool by_host);
  void move(memory::Space from, memory::Space to, std::uint64_t begin, std::uint64_t end, Arriving arriving);
  std::byte* host_bytes() const { return static_cast<std::byte*>(host_pointer_.load(std::memory_order_relaxed)); }
  memory::Space space_for_host(std::uint64_t begin, std::uint64_t end) const;
  void* host_access(bool writes, std::uint64_t begin, std::uint64_t end);
  const void* read_page(std::uint64_t begin, std::uint64_t end);
  std::size_t place_for_host_memory() const;

  std::shared_ptr<Core> core_;
  std::size_t bytes_;
  std::uint64_t id_;
  std::vector<Copy> copies_;  // by place; the host's is the last
  memory::Residence residence_;
  std::atomic<int> host_may_{may_nothing};
  std::atomic<void*> host_pointer_{nullptr};
  memory::Space space_of_pointer_ = 0;
  ReadBack read_back_;
};

}  // namespace heddle::runtime
