// What placement takes the machine's links to have, measured on first need and kept on disk.
//
// A file for each machine and list of devices, in the folder `links` of the cache. It is text, to be read and written
// by people too:
//
//   heddle links 1
//   machine <name>
//   memory cuda:0 NVIDIA H200, PCI 0000:1b:00
//   memory host
//   <bytes per second from the first memory to each, 0 to itself>
//   ...
#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "device/device.hpp"
#include "sched/links.hpp"

namespace heddle::runtime {

using MeasuredLinks = std::vector<std::vector<double>>;  // bytes per second, by [from][to]

// What such a file says. `memories`: its lines of that kind, in order. Nothing where it is of another machine or other
// memories, or damaged.
std::string links_text(std::string_view machine, const std::vector<std::string>& memories,
                       const MeasuredLinks& measured);
std::optional<MeasuredLinks> read_links(std::string_view text, std::string_view machine,
                                        const std::vector<std::string>& memories);

class LinkStore {
 public:
  // The devices outlive it. `clock` times the wait for another process.
  LinkStore(std::vector<device::Device*> devices, const base::Clock& clock)
      : devices_(std::move(devices)), clock_(clock) {}
  LinkStore(const LinkStore&) = delete;
  LinkStore& operator=(const LinkStore&) = delete;

  // Of all memories: the devices, and the host after them. The first call reads the file, or measures: it waits for
  // another process that is measuring the same, as each would slow down the other. Where measuring fails all links
  // count as alike, with a warning. Never throws but bad_alloc. Any thread, without the core's lock.
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

}  // namespace heddle::runtime
