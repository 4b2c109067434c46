// The bandwidths of the machine's links that placement uses. They are measured on first use and kept on disk, in the
// database `links/links.sqlite` of the cache: one row for each direction of a link.
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
  // The devices and `clock` outlive it. `clock` times the wait for another process.
  LinkStore(std::vector<device::Device*> devices, const base::Clock& clock)
      : devices_(std::move(devices)), clock_(clock) {}
  LinkStore(const LinkStore&) = delete;
  LinkStore& operator=(const LinkStore&) = delete;

  // The table of all memories: those of the devices, then the host's. The first call reads the file or measures. It
  // waits for another process that is measuring, as two measurements would slow each other down. If measuring fails, a
  // warning is logged and all links count as equal. Throws nothing but bad_alloc. Any thread, without the core's lock.
  const sched::LinkTable& table();
  // The table if table() or set() has made it, else null. Any thread.
  const sched::LinkTable* known() const { return known_.load(std::memory_order_acquire); }
  // Sets these instead of measured ones, if none are known yet.
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
