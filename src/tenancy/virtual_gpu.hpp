// A GPU in virtual time, for policies: how long ranges of blocks take that share it. It executes nothing.
//
// - A range of a stream begins when the one before it has ended.
// - Its blocks are unit-seconds of work. They run on the units that it is restricted to, as many as its blocks fill;
//   then it takes a fixed time.
// - A unit that others use is entered when a block of theirs ends: nothing interrupts a block.
// - On a unit, ranges of higher priority have what they can use; equal ones share the rest.
// - Ranges that want more than the device's bandwidth together slow each other down, each by its part of memory time.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <vector>

#include "tenancy/kernel_model.hpp"

namespace heddle::tenancy {

constexpr std::size_t most_units = 128;
using Units = std::bitset<most_units>;

struct VirtualGpuShape {
  unsigned units = 66;     // TPCs of an H200
  unsigned grain = 2;      // SMs of each
  unsigned set_units = 1;  // sched::DeviceView::set_units
  unsigned highest_mhz = 1410;
  double idle_watts = 100, busy_watts = 300;  // busy: with all units at the highest frequency, on top
};

class VirtualGpu {
 public:
  struct Range {
    std::uint32_t stream = 0;
    const KernelModel* kernel = nullptr;  // outlives the range
    std::uint64_t blocks = 0;
    Units units;
    int priority = 0;
    std::function<void(std::uint64_t end_ns)> ended;
  };
  static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();

  explicit VirtualGpu(const VirtualGpuShape& shape) : shape_(shape), mhz_(shape.highest_mhz) {}
  const VirtualGpuShape& shape() const { return shape_; }
  // At the time of the last advance().
  void submit(Range range);
  // The time of the next change; never: nothing runs.
  std::uint64_t next_ns() const { return next_ns_; }
  // Advances to a time that is at most next_ns(), and calls back for what has ended.
  void advance(std::uint64_t to_ns);

  void set_frequency(unsigned mhz);
  unsigned frequency() const { return mhz_; }
  // Since the beginning.
  double unit_seconds() const { return unit_seconds_; }  // in which units worked
  double joules() const { return joules_; }

 private:
  struct Running {
    Range range;
    double left = 0;    // unit-seconds of work
    double demand = 1;  // of each of its units
    double rate = 0;    // unit-seconds in a second
    double used = 0;    // units that it occupies
    std::uint64_t started_ns = 0;
    std::uint64_t end_ns = never;          // of its fixed time, once its work is done
    std::vector<std::uint64_t> enters_ns;  // by unit
    std::uint64_t phase = 0;
  };
  struct Stream {
    std::deque<Range> waiting;
    std::unique_ptr<Running> running;
  };

  void start(Stream& stream, Range range);
  void enter_units(Running& running);
  std::uint64_t block_end(const Running& running, unsigned unit) const;
  void share();
  void share_unit(unsigned unit);
  void slow_down();
  void find_next();
  bool finish_due();
  double speed(const KernelModel& kernel) const;  // by the frequency, at most 1

  const VirtualGpuShape shape_;
  unsigned mhz_;
  std::uint64_t now_ns_ = 0, next_ns_ = never, started_ = 0;
  std::map<std::uint32_t, Stream> streams_;
  std::vector<Running*> active_;  // in the order of their start
  std::vector<Running*> order_;   // the same by priority
  std::vector<double> share_;     // of the unit at hand, by order_
  bool changed_ = false;
  double unit_seconds_ = 0, joules_ = 0;
};

}  // namespace heddle::tenancy
