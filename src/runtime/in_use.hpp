// Which commands in flight may still touch something.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "device/event.hpp"
#include "device/queue.hpp"

namespace heddle::runtime {

// An event of a place's queue.
struct Pending {
  std::size_t place = 0;
  std::shared_ptr<device::Event> event;
};

// For each place the last command that uses the thing, and the last that writes it: a queue is in order, so these stand
// for all before them. Guarded by Core::mutex().
class InUse {
 public:
  void add(std::size_t place, std::shared_ptr<device::Event> event, bool writes);
  // Makes commands submitted to `queue` of `place` from now on wait for the uses on other places.
  void order_after(device::Queue& queue, std::size_t place) const;
  std::vector<Pending> all() const { return collect(false); }
  std::vector<Pending> writers() const { return collect(true); }
  // Forgets an event that is done; later ones stay.
  void forget(const Pending& pending);

 private:
  std::vector<Pending> collect(bool writers) const;

  struct Last {
    std::shared_ptr<device::Event> use, write;
  };
  std::vector<Last> last_;  // by place
};

}  // namespace heddle::runtime
