// How an SM reads operands: banks of the register file, the cache of operands that are used again, and collectors.
//
// Each scheduler has a part of the register file, with the registers of its warps. A bank serves some reads at a time,
// each the register of all threads of a warp. An instruction whose operands are not all read within its window is late.
// With collectors it waits in one, and others go on; without, it holds up its scheduler (Huerta et al., "Dissecting and
// Modeling the Architecture of Modern GPU Cores", MICRO 2025, sections 5.1 and 5.3).
//
// Threads: one at a time.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "device/sim/block_context.hpp"
#include "device/sim/kernel_timing.hpp"
#include "device/sim/machine_file/description.hpp"
#include "device/sim/statistics.hpp"

namespace heddle::device::sim {

class OperandStage {
 public:
  // `warps`: of the SM, at most.
  OperandStage(const MachineDescription& machine, std::size_t warps);

  // Whether operands take time at all.
  bool modelled() const { return banks_ != 0; }
  // The first cycle in which a collector takes an instruction.
  Cycle free_at() const { return collectors_.empty() ? 0 : collectors_[next_collector_]; }
  // Whether a late instruction holds up its scheduler.
  bool holds_up(PipeClass pipe) const {
    return collectors_.empty() && pipe != PipeClass::lsu && pipe != PipeClass::sfu;
  }
  // Reads the operands of an instruction that issues now. Returns by how many cycles it is late.
  Cycle read(const IssueGroup& group, const CodeTiming& code, Cycle now, OperandCounts& counts);

 private:
  static constexpr unsigned cached_slots = 3;  // sources of an instruction that the cache holds
  struct Cached {
    std::uint32_t warp = ~0u, reg = 0;
    std::uint8_t word = 0;
  };

  // A bank, and what it was read for last: instructions that issue together share a read of the same register.
  struct Bank {
    Cycle until = 0;  // until when it is occupied, where it has one port
    Cycle issued = 0, done = 0;
    std::uint32_t warp = ~0u, reg = 0;
    std::uint8_t word = 0;
  };
  // Where the registers of a warp are: its scheduler's first bank, and how far its registers are shifted there.
  struct Home {
    std::uint32_t part = 0, shift = 0;
  };

  std::size_t home_bank(const OperandRead& read, Home home) const {
    const std::uint32_t bank = read.bank + home.shift;
    return home.part + (bank < banks_ ? bank : bank - banks_);
  }
  bool cached(const OperandRead& read, std::uint32_t warp, std::size_t bank);
  void take_collector(Cycle until);
  void forget(std::span<const std::uint32_t> results, std::uint32_t warp);
  Cycle read_static(std::span<const OperandRead> reads, std::uint32_t warp, Cycle now, OperandCounts& counts);
  Cycle read_formed(std::span<const OperandRead> reads, const IssueGroup& group, Cycle now, OperandCounts& counts);
  Cycle occupy(std::size_t bank, unsigned reads, Cycle now);

  const unsigned parts_, banks_, ports_, interval_, window_;
  const bool swizzle_, reuse_, lane_decoders_;
  std::vector<Home> homes_;        // by number of a warp on the SM
  std::vector<Bank> file_;         // by bank
  std::vector<Cycle> until_;       // by bank and port, where a bank has several: until when it is occupied
  std::vector<Cached> cache_;      // by bank and slot
  std::vector<Cycle> collectors_;  // until when each is occupied: a ring, ascending from the next one on
  std::size_t next_collector_ = 0;
  std::vector<unsigned> demand_, lane_demand_;  // by bank: reads of a formed warp
};

}  // namespace heddle::device::sim
