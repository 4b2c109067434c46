// The memory of one SM in time: load/store unit, shared memory, L1, constant cache and their way to the crossbar. It
// holds no data.
//
// A pipeline uses it so, with cycles that never decrease:
//   memory.advance(now);                                       // when memory.next_event() <= now
//   for (const Completion& done : memory.completions()) ...;   // then memory.clear_completions()
//   const Admission answer = memory.access(now, access, tag);
// An accepted access has one completion: `ready` of the answer, or one of completions(). An access with n transactions
// occupies the L1's port for n cycles (with l1.banks fewer), one with n passes the shared memory for n intervals;
// accesses of global and local memory that come meanwhile wait in the queue (lsu.queue), are served in their order, and
// are refused when it is full. Shared memory and the constant cache have ports of their own, which refuse while they
// are busy.
//
// Threads: one at a time. Different SMs may be simulated by different threads between two exchanges of MemorySystem.
// No function allocates memory in a steady state.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "device/sim/machine_file/description.hpp"
#include "device/sim/memory/access.hpp"
#include "device/sim/memory/address_map.hpp"
#include "device/sim/memory/coalescer.hpp"
#include "device/sim/memory/counters.hpp"
#include "device/sim/memory/fifo.hpp"
#include "device/sim/memory/memory_port.hpp"
#include "device/sim/memory/mshrs.hpp"
#include "device/sim/memory/packet.hpp"
#include "device/sim/memory/tag_array.hpp"

namespace heddle::device::sim {

class SmMemory final : public MemoryPort {
 public:
  SmMemory(const MachineDescription& machine, unsigned sm);

  // Takes the access or refuses it. Does advance(now) first. At least one lane takes part. The bytes of a lane must be
  // aligned as PTX demands.
  Admission access(Cycle now, const WarpAccess& access, AccessTag tag) override;
  // Lets happen what happens up to and in cycle `now`.
  void advance(Cycle now) override;
  // The first cycle in which advance() would do something; `never`: nothing before the next exchange.
  Cycle next_event() const override;
  // Why an access of global or local memory would be refused in the cycle of the last call; `none`: it would not.
  MemoryStall refusal() const;

  std::span<const Completion> completions() const override { return completions_; }
  void clear_completions() override { completions_.clear(); }

  // Drops all lines of the L1 and the constant cache, as between kernels. Written lines are sent on.
  void invalidate(Cycle now) override;
  // Accesses that have not completed: none when a kernel's memory operations are complete.
  unsigned in_flight() const override { return in_flight_; }
  Cycle shared_free() const override { return shared_free_; }
  std::span<const std::uint32_t> replays() const override {
    return replayed_ ? std::span<const std::uint32_t>(replays_) : std::span<const std::uint32_t>();
  }
  void clear_replays() override {
    replays_.fill(0);
    replayed_ = false;
  }
  const SmMemoryCounters& counters() const { return counters_; }
  void reset_counters() { counters_ = {}; }

  // For MemorySystem: what has been sent since clear_sent(), in order; what has come. After receive() calls, settle()
  // puts all responses that left their slices before `bound` on the SM's port, when all of these have been received.
  std::span<const Request> sent() const { return sent_; }
  void clear_sent() { sent_.clear(); }
  void receive(const Response& response) { incoming_.push_back(response); }
  void settle(Ticks bound);
  bool idle() const { return in_flight_ == 0 && arriving_.empty() && incoming_.empty(); }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  // An access until it has completed.
  struct Flight {
    AccessTag tag = 0;
    std::uint32_t left = 0;  // transactions
    Cycle ready = 0;
    std::uint32_t next_free = none;
  };
  // One whose transactions have not all been looked up.
  struct Queued {
    std::uint32_t flight = 0;
    unsigned next = 0;  // transaction
    std::uint8_t scheduler = 0;
    MemoryOperation operation = MemoryOperation::load;
    bool cached = false;
    WritePolicy write = WritePolicy::through;
    Transactions transactions;
  };
  struct Waiter {
    std::uint32_t flight = 0;
    SectorMask sectors = 0;
  };
  struct Arriving {
    Cycle cycle = 0;
    std::uint32_t id = 0;
    SectorMask sectors = 0;
  };
  // What a response is for, in the upper bits of its id.
  enum Target : std::uint32_t { to_l1 = 0, to_constant = 1, to_store = 2, target_shift = 30 };

  Admission access_shared(Cycle now, const WarpAccess& access);
  Admission access_constant(Cycle now, const WarpAccess& access, AccessTag tag);
  Admission access_global(Cycle now, const WarpAccess& access, AccessTag tag);
  Admission refuse(MemoryStall stall, Cycle retry);
  void count_global(const WarpAccess& access, const Transactions& transactions);
  bool can_look_up() const { return waiting_ != 0 && blocked_ == MemoryStall::none; }
  void look_up(Cycle now);
  void note_replays(unsigned scheduler, unsigned passes);
  void unblock(Cycle now);

  MemoryStall serve(const Queued& access, const Transaction& transaction, Cycle now);
  MemoryStall load(const Queued& access, const Transaction& transaction, Cycle now);
  MemoryStall load_cached(const Queued& access, const Transaction& transaction, Cycle now);
  MemoryStall store(const Queued& access, const Transaction& transaction, Cycle now);
  MemoryStall keep(const Queued& access, const Transaction& transaction, Cycle now);
  MemoryStall atomic(const Queued& access, const Transaction& transaction, Cycle now);
  void drop_copy(const Transaction& transaction);
  std::uint32_t allocate_mshr(std::uint64_t line, bool findable, Cycle now);
  void write_back(const TagArray::Line& line, Cycle now);
  void send(RequestKind kind, const Transaction& transaction, SectorMask sectors, std::uint32_t id, Cycle now);
  std::uint64_t line_of(const Transaction& transaction) const;

  void arrive(const Arriving& arrived);
  void fill(std::uint32_t mshr, SectorMask sectors, Cycle now);
  void fill_constant(std::uint32_t mshr, SectorMask sectors, Cycle now);

  std::uint32_t begin_flight(AccessTag tag, std::uint32_t transactions);
  void finish(std::uint32_t flight, Cycle ready);
  void count_mshrs(Cycle now);

  // The description's parts that are needed in every access.
  SharedMemory shared_;
  L1Cache l1_;
  LoadStoreUnit lsu_;
  ConstantCache constant_;
  unsigned header_bytes_;
  Ticks crossbar_latency_;
  PortRate request_rate_, response_rate_;
  AddressMap map_;
  Coalescer coalescer_;
  std::uint16_t sm_;

  TagArray tags_, constant_tags_;
  Mshrs<Waiter> mshrs_, constant_mshrs_;
  std::vector<Queued> queued_;               // a ring of lsu.queue places: one access is served after the other
  std::size_t head_ = 0, waiting_ = 0;       // place of the first, and how many
  MemoryStall blocked_ = MemoryStall::none;  // why the first cannot go on until data arrive
  Cycle blocked_since_ = 0;
  Cycle port_free_ = 0, shared_free_ = 0, constant_free_ = 0;
  unsigned stores_ = 0;  // that no slice has accepted
  std::array<std::uint32_t, most_schedulers> replays_{};
  bool replayed_ = false;  // since they were cleared

  std::vector<Flight> flights_;
  std::uint32_t free_flight_ = none;
  unsigned in_flight_ = 0;
  std::uint32_t direct_ = none;  // the flight of the access that is being taken
  Cycle direct_ready_ = never;
  std::vector<Completion> completions_;

  std::vector<Request> sent_;
  std::vector<Response> incoming_;
  Fifo<Arriving> arriving_;
  Ticks request_port_ = 0, response_port_ = 0;  // free from then on
  std::uint32_t sequence_ = 0;
  Cycle mshrs_counted_ = 0;
  SmMemoryCounters counters_;
};

}  // namespace heddle::device::sim
