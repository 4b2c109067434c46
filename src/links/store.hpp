// What placement takes the machine's links to have, measured on first need and kept on disk: in the database
// `links/links.sqlite` of the cache, a row for each way from one memory to another.
#pragma once

#include <atomic>
#include <mutex>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "device/device.hpp"
#include "sched/links.hpp"

namespace heddle::links {

using MeasuredLinks = std::vector<std::vector<double>>;  // bytes per second, by [from][to]

class LinkStore {
 public:
  // The devices outlive it. `clock` times the wait for another process.
  LinkStore(std::vector<device::Device*> devices, const base::Clock& clock)
      : devices_(std::move(devices)), clock_(clock) {}
  LinkStore(const LinkStore&) = delete;
  LinkStore& operator=(const LinkStore&) = delete;

  // Of all memories: the devices, and the host after them. The first call reads the file, or measures: it waits for
  // another process that is measuring, as each would slow down the other. Where measuring fails all links count as
  // alike, with a warning. Never throws but bad_alloc. Any thread, without the core's lock.
  const sched::LinkTable& table();
  // Null before somebody has wanted it. Any thread.
  const sched::LinkTable* known() const { return known_.load(std::memory_order_acquire); }
  // In the place of measured ones, where none are known yet.
  void set(const MeasuredLinks& links);

 private:
  MeasuredLinks read_or_measure();

  const std::vector<device::Device*> devices_;
  const base::Clock& clock_;
  std::once_flag once_;
  sched::LinkTable table_;
  std::atomic<const sched::LinkTable*> known_{nullptr};
};

}  // namespace heddle::links
