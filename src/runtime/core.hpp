// What a Runtime owns: its devices, one queue on each, and the lock over the bookkeeping of arrays and modules.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "device/device.hpp"
#include "runtime/trace_file.hpp"

namespace heddle::runtime {

class Buffer;

// A device with its queue, which ends before the partitions that it used. Places are numbered in order of preference.
struct Place {
  std::unique_ptr<device::Device> device;
  // The rest is guarded by Core::mutex().
  std::map<std::vector<unsigned>, std::unique_ptr<device::Partition>> partitions;  // by processors; all that were used
  const device::Partition* partition = nullptr;                                    // that the queue is set to
  std::unique_ptr<device::Queue> queue;
  std::deque<std::shared_ptr<device::Event>>
      in_flight;                                      // in the queue's order: it must find them when it comes to them
  std::vector<std::shared_ptr<device::Event>> spare;  // done, and nobody refers to them
};

class Core {
 public:
  // `check`: modules are loaded so that every access is verified. `slice`: queues of the explicit level cut launches
  // into ranges of so many blocks where those are independent; 0: not.
  // `trace`: what the devices tell of themselves goes there; null: nowhere.
  Core(std::vector<std::unique_ptr<device::Device>> devices, bool check, std::uint64_t slice = 0,
       std::unique_ptr<TraceFile> trace = nullptr);
  ~Core();
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;

  std::size_t places() const { return places_.size(); }
  Place& place(std::size_t index) { return places_[index]; }
  bool check() const { return check_; }
  std::uint64_t slice() const { return slice_; }
  TraceFile* trace() const { return trace_.get(); }
  // The place of a device id; 0 for an empty one. Throws not_found with the ids there are.
  std::size_t find(std::string_view id) const;

  // Guards queues, buffers' replicas and modules' loaded forms. Never held while waiting for a device.
  std::mutex& mutex() { return mutex_; }

  // The partition of these processors, made once. Needs the lock. Throws invalid_argument.
  const device::Partition& partition(std::size_t place, const std::vector<unsigned>& processors);
  // Launches on the place run on these processors from now on; empty: on all. Needs the lock. Throws invalid_argument.
  void use_processors(std::size_t place, const std::vector<unsigned>& processors);

  // Records an event on a place's queue. Needs the lock.
  std::shared_ptr<device::Event> record(std::size_t index);
  // Blocks until the event is done. When it failed, makes the queue usable again and throws the Error. Without the
  // lock.
  void wait(device::Event& event, std::size_t place);
  // Waits for all places; throws the first Error.
  void synchronize();

  // Buffers whose address the program has taken: every launch on the place uses them. Need the lock.
  void pin(std::size_t place, const std::shared_ptr<Buffer>& buffer);
  std::vector<std::shared_ptr<Buffer>> pinned(std::size_t place);

 private:
  std::unique_ptr<TraceFile> trace_;  // outlives the devices
  std::vector<Place> places_;
  std::vector<std::vector<std::weak_ptr<Buffer>>> pinned_;
  std::mutex mutex_;
  bool check_;
  std::uint64_t slice_;
};

}  // namespace heddle::runtime
