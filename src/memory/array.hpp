// The bytes of an array: its copies on devices and on the host, and which of them are current.
//
// This is bookkeeping only: it determines what has to be copied, and the scheduler copies it (sched/transfers.hpp). On
// devices whose memory the host can access, the host uses that memory itself.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "device/memory.hpp"
#include "graph/access.hpp"
#include "memory/read_back.hpp"
#include "memory/residence.hpp"

namespace heddle::memory {

// A copy of an array. Each copy is an object of the DAG, so tasks that use different copies do not conflict.
struct Copy {
  std::unique_ptr<device::Memory> memory;  // null: there is no copy
  graph::ObjectId object = 0;
  std::uint64_t address = 0;   // the memory's
  std::uint64_t last_use = 0;  // a number that grows with every use of any copy
};

// Counts what happens to the arrays of a runtime. As long as the count is the same, all of them are as they were. Needs
// the core's lock.
struct Changes {
  std::uint64_t count = 1;
};

// Needs the core's lock, unless a function states otherwise.
class Array {
 public:
  // `spaces`: their number, one for each device, and the host's as the last. `changes` outlives the array.
  Array(std::size_t spaces, std::size_t bytes, Changes& changes);
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;

  std::size_t bytes() const { return bytes_; }  // any thread
  std::uint64_t id() const { return id_; }      // unique, never reused; any thread
  std::size_t spaces() const { return copies_.size(); }
  Space host() const { return static_cast<Space>(copies_.size() - 1); }

  bool allocated(Space space) const { return copies_[space].memory != nullptr; }
  bool allocated_anywhere() const;
  void install(Space space, std::unique_ptr<device::Memory> memory, graph::ObjectId object);
  // Removes a copy; the caller removes its object.
  Copy release(Space space) {
    ++changes_.count;
    return std::exchange(copies_[space], {});
  }
  std::uint64_t address(Space space) const { return copies_[space].address; }
  // The host's pointer to the copy; null if the host cannot access it, or if there is no copy.
  void* reachable(Space space) const { return copies_[space].memory ? copies_[space].memory->host() : nullptr; }
  // Bytes of a copy as queues take them: a span of host memory if the host can access them.
  device::Span span(Space space, std::uint64_t begin, std::uint64_t end) const;
  // The same as a span of the device.
  device::Span device_span(Space space, std::uint64_t begin, std::uint64_t end) const {
    return copies_[space].memory->span().sub(begin, end - begin);
  }
  graph::ObjectId object(Space space) const { return copies_[space].object; }
  graph::Access access(Space space, graph::Mode mode, std::uint64_t begin, std::uint64_t end) const {
    return {copies_[space].object, mode, begin, end};
  }

  const Residence& residence() const { return residence_; }
  // Whether a task can use the bytes there without a copy before it.
  bool is_there(Space space, std::uint64_t begin, std::uint64_t end, graph::Mode mode) const {
    return allocated(space) && (mode == graph::Mode::write || residence_.current(space, begin, end));
  }
  // Records that a task which copies the bytes there, or modifies them there, is about to be submitted. For later tasks
  // they are current.
  void copied(Space space, std::uint64_t begin, std::uint64_t end) {
    ++changes_.count;
    residence_.copied(space, begin, end);
  }
  void modified(Space space, std::uint64_t begin, std::uint64_t end) {
    ++changes_.count;
    residence_.modified(space, begin, end);
  }
  // Records that the copy is evicted. Its bytes are no longer current, and the host must ask before its next access.
  void dropped(Space space) {
    ++changes_.count;
    residence_.dropped(space, 0, bytes_);
    if (space_of_pointer_ == space) host_may_.store(may_nothing, std::memory_order_release);
  }
  std::uint64_t last_use(Space space) const { return copies_[space].last_use; }
  // Bytes of the copy there that are current nowhere else.
  std::uint64_t dirty_bytes(Space space) const;

  // The number of open calls that use the array: they are still submitting work to a device (sched/open_calls.hpp). No
  // other task may use the array until they are closed. Each has used the array before it counts here.
  unsigned open_uses = 0;
  // The number of held launches that use the array and of which some blocks are submitted. Its copies must stay where
  // they are.
  unsigned partial_uses = 0;
  // The number of threads that evict the array without the lock. The array must not be destroyed meanwhile.
  unsigned needed_by_eviction = 0;
  // Why a held launch that modifies the array was not submitted. The host's next access reports it, once.
  std::exception_ptr failure;
  // Its object in the DAG of held tasks (managed mode), once it has one.
  std::optional<graph::ObjectId> logical;
  // Records that a task which uses the bytes is about to be submitted. The bytes that it needs are there. With
  // Mode::write, the bytes are current only after modified(). `now`: see Copy::last_use.
  void use(Space space, std::uint64_t begin, std::uint64_t end, graph::Mode mode, std::uint64_t now) {
    ++changes_.count;
    note_use(space, begin, end, mode, now);
  }

  // The copy there, after use(), if the bytes that the mode needs are there and no open call uses the array. Null, and
  // nothing is recorded: they are not.
  const Copy* use_if_there(Space space, std::uint64_t begin, std::uint64_t end, graph::Mode mode, std::uint64_t now) {
    if (open_uses > 0 || !is_there(space, begin, end, mode)) return nullptr;
    use(space, begin, end, mode, now);
    return &copies_[space];
  }

  // The same in two steps, while no call is open: the copy there, null if the bytes are not there; then the use. The
  // caller counts all uses of a launch as one change (Changes).
  const Copy* copy_if_there(Space space, std::uint64_t begin, std::uint64_t end) const {
    const Copy& copy = copies_[space];
    return copy.memory && residence_.current(space, begin, end) ? &copy : nullptr;
  }
  void use_there(Space space, const graph::Access& access, std::uint64_t now) {
    note_use(space, access.begin, access.end, access.mode, now);
  }

  // For launches that are made in every period of a repetition (sched/replay_plan.hpp): use_if_there(), and modified()
  // for Mode::write. It does not count as a change. In the next period, the same launches find everything as these have
  // left it, so that they change nothing but what repeat() records.
  const Copy* use_repeatedly(Space space, std::uint64_t begin, std::uint64_t end, graph::Mode mode, std::uint64_t now) {
    if (open_uses > 0 || !is_there(space, begin, end, mode)) return nullptr;
    note_use(space, begin, end, mode, now);
    if (mode == graph::Mode::write) residence_.modified(space, begin, end);
    return &copies_[space];
  }
  // Records uses that were all recorded before by use_repeatedly(), since when nothing has changed. `modifications`:
  // how many of them modify the array. Not while the host is expected to read it.
  void repeat(Space space, unsigned modifications, std::uint64_t now) {
    copies_[space].last_use = now;
    read_back_.modify_unexpected(modifications);
  }

  // Records that a task which uses the bytes is held. The host must ask before an access that conflicts with it.
  void restrict_host(graph::Mode mode) {
    ++changes_.count;
    if (graph::modifies(mode))
      host_may_.store(may_nothing, std::memory_order_release);
    else
      restrict_host_to_reads();
  }

  // Pointers to all bytes, through which the host may read or write them without asking; null: it must ask. Any thread,
  // without the lock.
  const std::byte* host_readable() const {
    return host_may_.load(std::memory_order_acquire) >= may_read ? host_pointer_.load(std::memory_order_relaxed)
                                                                 : nullptr;
  }
  std::byte* host_writable() const {
    return host_may_.load(std::memory_order_acquire) == may_write ? host_pointer_.load(std::memory_order_relaxed)
                                                                  : nullptr;
  }
  // Permits the host to use the copy in this space from now on: to read it, and with `write` to write it.
  void let_host(Space space, bool write);
  // Records that the host modifies bytes of the copy in this space. Its permission for another copy ends.
  void host_modified(Space space, std::uint64_t begin, std::uint64_t end);

  // Records that the host is about to read bytes.
  void host_reads(std::uint64_t begin, std::uint64_t end) {
    ++changes_.count;
    read_back_.read(begin, end);
  }
  ReadBack& read_back() { return read_back_; }

 private:
  enum HostMay : int { may_nothing, may_read, may_write };
  void note_use(Space space, std::uint64_t begin, std::uint64_t end, graph::Mode mode, std::uint64_t now) {
    copies_[space].last_use = now;
    if (!graph::modifies(mode)) return restrict_host_to_reads();
    host_may_.store(may_nothing, std::memory_order_release);
    if (mode != graph::Mode::write) residence_.modified(space, begin, end);
    read_back_.modify();
  }
  void restrict_host_to_reads() {
    if (host_may_.load(std::memory_order_relaxed) == may_write) host_may_.store(may_read, std::memory_order_release);
  }

  Changes& changes_;
  const std::size_t bytes_;
  const std::uint64_t id_;
  std::vector<Copy> copies_;  // by space
  Residence residence_;
  std::atomic<int> host_may_{may_nothing};
  std::atomic<std::byte*> host_pointer_{nullptr};
  Space space_of_pointer_ = 0;
  ReadBack read_back_;
};

}  // namespace heddle::memory
