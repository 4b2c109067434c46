// The checks of one launch that need to know what was before: races, memory that nobody has written, barriers and warp
// operations that not all of their threads reach.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>

#include "device/cpu/abi.hpp"
#include "device/cpu/checker/block_clock.hpp"
#include "device/cpu/checker/finding.hpp"
#include "device/cpu/checker/shadow.hpp"
#include "device/cpu/checker/written_memory.hpp"
#include "device/cpu/memory.hpp"
#include "heddle/checks.hpp"

namespace heddle::device::cpu {

// The part of a warp that makes a call of the runtime.
struct CheckedWarp {
  BlockClock& clock;
  std::uint32_t first_thread = 0, line = 0;
  std::uint32_t width = 0;  // lanes of the code
  std::uint8_t* shared = nullptr;
  std::uint32_t shared_bytes = 0;
};

// What RuntimeTable::check_marked is called with.
struct CheckedLanes {
  const std::uint64_t* addresses = nullptr;
  const std::uint32_t* sizes = nullptr;
  const std::uint8_t* values = nullptr;
  std::uint32_t mask = 0, size = 0, space = 0, access = 0;
};

// What RuntimeTable::check_run is called with.
struct CheckedRun {
  std::uint64_t address = 0;  // of lane 0
  std::int64_t step = 0;      // bytes from lane to lane
  const std::uint8_t* values = nullptr;
  std::uint32_t mask = 0, size = 0, space = 0, access = 0;
};

// Whether threads that are at these two instructions, by their numbers, may execute them as one operation.
using IsOneOperation = std::function<bool(std::uint32_t, std::uint32_t)>;

// Any thread; the calls for one block come from one thread at a time. Without memory for what is to be recorded, calls
// throw std::bad_alloc; those that do not throw leave the findings incomplete.
class LaunchChecker {
 public:
  // `number`: of the launch, no other of the device has it. `is_one`: of two different instructions; null: not known.
  LaunchChecker(const Checks& checks, std::uint64_t number, std::uint64_t first_block, std::uint64_t blocks,
                WrittenMemory written, IsOneOperation is_one = nullptr);

  const Checks& checks() const { return checks_; }
  const Findings& findings() const { return findings_; }

  // Makes the clock that of a block, if it is another's.
  void enter(BlockClock& clock, std::uint64_t block, std::uint32_t threads, std::uint32_t shared_bytes);
  // The block is over: operations that lanes were waited for in are reported.
  void leave(BlockClock& clock) noexcept;

  // Accesses that are within memory, before they are made.
  void access(const CheckedWarp& warp, const CheckedLanes& lanes, const AllocationMap& allocations);
  // The same where the distance from lane to lane is known.
  void access_run(const CheckedWarp& warp, const CheckedRun& run, const AllocationMap& allocations);
  // The part of an allocation that the launch's accesses need no record in, from now on: it has been written and, where
  // races are looked for, the launch does not write it. Only for accesses that may_be_exempt() in the code.
  struct Part {
    std::uint64_t begin = 0, end = 0;
  };
  Part exempt(const AllocationMap::Range& range, const AllocationMap& allocations);
  // The same of a block's shared memory, in bytes from its start. Not once its threads came to different barriers.
  std::uint64_t exempt_shared(BlockClock& clock, std::uint32_t shared_bytes) const;
  // Whether, since the last call, the launch has written to memory that it was not expected to write to, so that what
  // exempt() gave is void.
  bool take_stray() { return has_stray_.load(std::memory_order_relaxed) && has_stray_.exchange(false); }
  void order(const CheckedWarp& warp, const std::uint32_t* members, std::uint32_t mask, OrderKind kind);

  // Barriers of the block, and lanes that really wait for each other.
  void arrive(const CheckedWarp& warp, unsigned barrier, bool counted, bool waits);
  void complete(BlockClock& clock, unsigned barrier, std::uint32_t exited) noexcept;
  // Lanes come to where others of their warp wait. Whether that is the same operation; else it is reported.
  bool join_lanes(const BlockClock& clock, const BlockClock::Arrival& first, const BlockClock::Arrival& now) const;
  void lanes_met(BlockClock& clock, unsigned warp, std::uint32_t members, std::uint32_t arrived, std::uint32_t there,
                 std::uint32_t line) noexcept;

 private:
  using Time = BlockClock::Time;
  struct Step;  // one lane's access

  Time now() const { return time_.load(std::memory_order_relaxed); }
  Time tick() { return time_.fetch_add(1) + 1; }
  void apply_acquires(BlockClock& clock);
  void note_orders(const CheckedWarp& warp, std::uint32_t access);
  Step begin(const CheckedWarp& warp, const CheckedLanes& lanes) const;
  void check_written(const CheckedWarp& warp, const CheckedLanes& lanes, int lane, std::uint64_t address,
                     std::uint32_t size, WrittenBytes& written, std::uint64_t offset, bool shared);
  // `offset`: of the bytes in what the lane accesses.
  void visit_bytes(const Step& step, AccessCells& cells, std::uint64_t word, std::uint64_t address, std::uint32_t size,
                   std::uint32_t offset = 0) const;
  template <class Cell>
  void visit(const Step& step, Cell cell, std::uint32_t offset, std::uint32_t bytes) const;
  template <class Cell>
  void note_read(const Step& step, Cell& cell) const;
  bool is_ordered(const Step& step, const AccessMark& before) const;
  // The same of a read that comes before a write.
  bool is_read_ordered(const Step& step, const AccessMark& read) const;
  void note_store(const CheckedWarp& warp, std::uint32_t access);
  void report(const Step& step, const AccessMark& before, Finding::Hazard hazard) const;
  // Where a run lies.
  struct Target;
  bool find(const CheckedWarp& warp, const CheckedRun& run, const AllocationMap& allocations, Target& target);
  void note_consecutive(Step& step, const CheckedRun& run, const Target& target);
  bool note_broadcast(Step& step, const CheckedRun& run, const Target& target);
  bool is_plain(const BlockClock& clock) const {
    return clock.is_plain() && !has_released_.load(std::memory_order_relaxed);
  }
  // `named`: of an aligned barrier.
  void gather(const CheckedWarp& warp, std::uint32_t members, std::uint32_t arrived, OrderKind kind,
              std::uint32_t named = 0);
  void gather_at_barrier(const CheckedWarp& warp, const std::uint32_t* named, std::uint32_t mask);
  bool join_gathering(const CheckedWarp& warp, const BlockClock::Gathering& gathering, std::uint32_t thread,
                      std::uint32_t named) const;
  void report_divergent(const BlockClock& clock, Finding::Kind kind, const BlockClock::Arrival& first,
                        const BlockClock::Arrival& now) const;
  void report_numbers(const BlockClock& clock, const BlockClock::Gathering& first, const BlockClock::Arrival& now,
                      std::uint32_t named) const;
  void report_absent(BlockClock& clock, const BlockClock::Gathering& gathering) const;
  std::uint32_t there(const BlockClock& clock, unsigned warp) const;
  bool may_write(const AllocationMap::Range& range, const AllocationMap& allocations);
  void expect_write(const AllocationMap::Range& range, const AllocationMap& allocations);

  const Checks checks_;
  const std::uint64_t number_, first_block_;
  const std::uint32_t stamp_;
  std::atomic<Time> time_{1};
  std::atomic<bool> has_released_{false};  // some block has used a fence
  std::atomic<bool> has_stored_{false};    // some block has stored what may be a flag
  // By block: when it last used a fence for the device, when it last read what may have been a flag behind one, and
  // when it last stored what may be a flag, with a fence before it or without.
  struct Order {
    std::atomic<Time> released, acquired, stored;
  };
  // In larger grids blocks share entries: of a race that the fence of another one seems to order, nothing is said.
  static constexpr std::uint64_t most_orders = 1 << 24;
  Order& order_of(std::uint64_t block) const {
    return static_cast<Order*>(orders_.get(std::min(blocks_, most_orders) * sizeof(Order)))[block % most_orders];
  }
  const std::uint64_t blocks_;
  mutable ZeroPages orders_;
  std::mutex written_mutex_;
  WrittenMemory written_;
  std::atomic<bool> has_stray_{false};
  const IsOneOperation is_one_;
  mutable Findings findings_;
};

}  // namespace heddle::device::cpu
