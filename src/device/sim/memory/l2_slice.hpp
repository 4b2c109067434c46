// One slice of the L2 in time: requests of all SMs in the order of their arrival, a port, tags, MSHRs, and the unit
// that executes atomic operations. Lines are allocated when their data arrive. Without an L2 (l2.bytes = 0) every
// request goes on to DRAM.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "device/sim/machine_file/description.hpp"
#include "device/sim/memory/counters.hpp"
#include "device/sim/memory/dram_channel.hpp"
#include "device/sim/memory/mshrs.hpp"
#include "device/sim/memory/packet.hpp"
#include "device/sim/memory/tag_array.hpp"

namespace heddle::device::sim {

// A response with its SM.
struct Outgoing {
  Response response;
  std::uint16_t sm = 0;
};

class L2Slice {
 public:
  static constexpr Ticks none = DramChannel::none;

  // `index` among all slices, `of_channel` among those of its channel.
  L2Slice(const MachineDescription& machine, unsigned index, unsigned of_channel);

  // Requests for this slice, to be sorted by sort_requests() before time goes on.
  void add(const Request& request) { inbox_.push_back(request); }
  void sort_requests();

  // The next time at which a request can be looked at; `none` while it waits for DRAM.
  Ticks next_event() const;
  // Looks at it.
  void step(DramChannel& channel, std::vector<Outgoing>& out);
  // The channel has got room, or data for this slice have come: what waited may go on.
  void unblock(Ticks now);
  void arrived(Ticks now, std::uint32_t id, DramChannel& channel, std::vector<Outgoing>& out);

  bool idle() const { return next_ == inbox_.size() && mshrs_.used() == 0; }
  const L2Counters& counters() const { return counters_; }
  void reset_counters() { counters_ = {}; }

 private:
  struct Waiter {
    std::uint32_t id;
    std::uint16_t sm;
    SectorMask sectors;  // that it still needs
    SectorMask wanted;   // that it asked for
    RequestKind kind;
    std::uint8_t operations, at_one_word;
  };

  bool take(const Request& request, Ticks now, DramChannel& channel, std::vector<Outgoing>& out);
  bool take_read(const Request& request, Ticks now, DramChannel& channel, std::vector<Outgoing>& out);
  bool take_write(const Request& request, Ticks now, DramChannel& channel, std::vector<Outgoing>& out);
  bool fetch(std::uint64_t number, const Request& request, SectorMask missing, Ticks now, DramChannel& channel,
             const Waiter* waiter);
  TagArray::Line* allocate(std::uint64_t number, Ticks now, DramChannel& channel);
  void write_back_row(std::uint64_t number, Ticks now, DramChannel& channel);
  void answer(const Waiter& waiter, Ticks now, std::vector<Outgoing>& out);
  Ticks atomic(const Waiter& waiter, Ticks now);
  void respond(const Waiter& waiter, Ticks departure, unsigned bytes, std::vector<Outgoing>& out);
  void write_to_dram(std::uint64_t chunk, SectorMask sectors, Ticks now, DramChannel& channel) const;
  std::uint64_t channel_address(std::uint64_t chunk) const;
  SectorMask fetched(SectorMask sectors) const;
  std::uint64_t chunk_of(std::uint64_t number) const { return number * line_ & ~std::uint64_t{chunk_bytes - 1}; }

  unsigned index_, of_channel_, slices_of_channel_, interleave_shift_, line_, sector_, burst_;
  std::uint64_t row_lines_;  // of this slice in a DRAM row; 1: lines are written back alone
  bool fetch_partial_;
  Ticks latency_, atomic_at_one_;
  PortRate port_;
  double atomic_ticks_;  // of an operation, at different addresses
  TagArray tags_;
  Mshrs<Waiter> mshrs_;
  std::vector<Request> inbox_;  // a queue: those before next_ have been taken
  std::size_t next_ = 0;
  Ticks free_ = 0, atomic_free_ = 0, blocked_since_ = 0;
  bool blocked_ = false;
  std::uint32_t responses_ = 0;
  L2Counters counters_;
};

}  // namespace heddle::device::sim
