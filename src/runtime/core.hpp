// What a Runtime owns: its devices, what is in flight on them, and the lock over the bookkeeping of arrays and modules.
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
#include "runtime/engine.hpp"
#include "runtime/in_call.hpp"
#include "runtime/link_store.hpp"
#include "runtime/placer.hpp"
#include "runtime/replayer.hpp"
#include "runtime/trace_file.hpp"

namespace heddle::runtime {

class Buffer;

// A device and the partitions that were used, which its queues (Engine) must not outlive. Places are numbered in order
// of preference.
struct Place {
  std::unique_ptr<device::Device> device;
  bool verifies = false;  // every access of a kernel
  // By processors. Guarded by Core::mutex().
  std::map<std::vector<unsigned>, std::unique_ptr<device::Partition>> partitions;
};

class Core {
 public:
  // `check`: modules are loaded so that every access is verified. `slice`: queues of the explicit level cut launches
  // into ranges of so many blocks where those are independent; 0: not.
  // `ranges`: launches of a part of a grid are possible.
  // `trace`: what the devices tell of themselves goes there; null: nowhere.
  Core(std::vector<std::unique_ptr<device::Device>> devices, bool check, std::uint64_t slice = 0,
       std::unique_ptr<TraceFile> trace = nullptr, const Scheduling& policy = {}, bool ranges = true);
  ~Core();
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;

  std::size_t places() const { return places_.size(); }
  Place& place(std::size_t index) { return places_[index]; }
  bool check() const { return check_; }
  // Launches there have footprints (runtime/footprint.hpp).
  bool verifies(std::size_t place) const { return places_[place].verifies; }
  std::uint64_t slice() const { return slice_; }
  bool ranges() const { return ranges_ || slice_ != 0; }
  TraceFile* trace() const { return trace_.get(); }
  // The place of a device id; 0 for an empty one. Throws not_found with the ids there are.
  std::size_t find(std::string_view id) const;

  // Guards queues, buffers' replicas and modules' loaded forms. Never held while waiting for a device. Throws
  // invalid_argument in a function that is being called as a task of this core.
  std::mutex& mutex() {
    InCall::refuse(*this);
    return mutex_;
  }
  // The same for destructors, which cannot say so.
  std::mutex& mutex_at_end() { return mutex_; }

  // The partition of these processors, made once. Needs the lock. Throws invalid_argument.
  const device::Partition& partition(std::size_t place, const std::vector<unsigned>& processors);
  // What is in flight.
  Engine& engine() { return *engine_; }
  Replayer& replayer() { return *replayer_; }
  // Whether all tasks are known to be done. Takes the lock.
  bool idle();
  // Who chooses a place for launches that name no device; null: they go to the first place.
  Placer* placer() { return placer_.get(); }
  LinkStore& links() { return links_; }
  // Waits for everything; throws the first Error.
  void synchronize();

  // Buffers whose address the program has taken: every launch on the place uses them. Need the lock.
  void pin(std::size_t place, const std::shared_ptr<Buffer>& buffer);
  std::vector<std::shared_ptr<Buffer>> pinned(std::size_t place);
  bool pinned_none(std::size_t place) const { return pinned_[place].empty(); }
  // The same, once those that are gone are left out.
  bool pins_none(std::size_t place);

 private:
  std::unique_ptr<TraceFile> trace_;  // outlives the devices
  std::deque<Place> places_;
  std::unique_ptr<Engine> engine_;  // its queues end before devices and partitions
  std::vector<std::vector<std::weak_ptr<Buffer>>> pinned_;
  std::mutex mutex_;
  bool check_;
  std::uint64_t slice_;
  bool ranges_;
  LinkStore links_{*this};
  std::unique_ptr<Placer> placer_;
  std::unique_ptr<Replayer> replayer_;  // its graphs end before the devices
};

}  // namespace heddle::runtime
