// One DRAM channel in time: a controller that chooses among waiting requests, banks with rows, and a data bus.
//
// The controller decides on one request after the other, so early that the activation of a row is hidden if other
// requests fill the data bus meanwhile: tRP + tRCD + tCL before the bus is free. A decision fixes the request's
// commands and its place on the bus. Writes wait until there are `write_high` of them or no reads.
#pragma once

#include <cstdint>
#include <vector>

#include "device/sim/machine_file/description.hpp"
#include "device/sim/memory/counters.hpp"
#include "device/sim/memory/fifo.hpp"
#include "device/sim/memory/ticks.hpp"

namespace heddle::device::sim {

class DramChannel {
 public:
  static constexpr Ticks none = ~Ticks{0};
  // A read whose data have come back.
  struct Done {
    Ticks time;
    std::uint32_t slice, id;
  };

  explicit DramChannel(const MachineDescription& machine);

  // Requests of slices. They come in any order of `arrival`, but none before the time of an event that has happened.
  void read(Ticks arrival, std::uint64_t address, unsigned bytes, std::uint32_t slice, std::uint32_t id);
  void write(Ticks arrival, std::uint64_t address, unsigned bytes);
  // Places for more requests. Those of lines that must leave a cache may exceed it.
  unsigned room() const { return waiting() < limit_ ? limit_ - waiting() : 0; }
  unsigned waiting() const { return static_cast<unsigned>(reads_.size() + writes_.size()); }

  // The next time at which something happens, and what: a decision, or a read that is done.
  Ticks next_decision() const;
  Ticks next_done() const { return done_.empty() ? none : done_.front().time; }
  void decide();
  Done take_done() { return done_.pop(); }
  bool idle() const { return waiting() == 0 && done_.empty(); }

  const DramCounters& counters() const { return counters_; }
  void reset_counters() { counters_ = {}; }

 private:
  struct Waiting {
    Ticks arrival;
    std::uint64_t row;  // counted over all banks: row * banks + bank
    std::uint32_t bytes, slice, id;
  };
  struct Bank {
    std::uint64_t row = closed;
    Ticks activate = 0, precharge = 0;  // when the next of these may be issued
  };
  static constexpr std::uint64_t closed = ~std::uint64_t{0};
  struct Timing {
    Ticks cl, rp, rc, ras, rcd, rrd, wr, wtr, rfc, refi;
  };

  bool serves_writes(Ticks now);
  std::size_t choose(const std::vector<Waiting>& from, Ticks now) const;
  Ticks open_row(Bank& bank, std::uint64_t row, Ticks now);
  void refresh(Ticks& now);
  void transfer(const Waiting& request, bool is_write, Ticks now);
  bool row_is_wanted(std::uint64_t row) const;
  void add(std::vector<Waiting>& to, Ticks arrival, std::uint64_t address, unsigned bytes, std::uint32_t slice,
           std::uint32_t id);

  Dram dram_;
  unsigned limit_, row_shift_, bank_mask_;
  Timing timing_{};
  Ticks lookahead_ = 0, latency_ = 0;
  std::uint64_t byte_256_ = 0;  // ticks of a byte on the data bus, in 1/256

  std::vector<Waiting> reads_, writes_;  // in the order of arrival
  std::vector<Bank> banks_;
  Fifo<Done> done_;
  bool draining_ = false;
  Ticks free_ = 0;  // of the data bus
  Ticks decided_ = 0, last_activation_ = 0, last_write_ = 0, next_refresh_ = none;
  bool any_activation_ = false, any_write_ = false;
  DramCounters counters_;
};

}  // namespace heddle::device::sim
