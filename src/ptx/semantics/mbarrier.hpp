// mbarrier: barriers in memory. PTX leaves their layout open. Here the eight bytes are a word with, from the lowest
// bit, 20 bits of pending arrivals, 20 of arrivals that a phase expects, 21 of bytes that are under way (the tx-count,
// signed) and 3 of the phase's number. A state, as an arrival returns it, is the word as it was before.
#pragma once

#include <cstdint>

#include "ptx/instruction.hpp"

namespace heddle::ptx::semantics {

enum class MbarrierOperation : std::uint32_t {
  init,           // argument: arrivals that each phase expects
  inval,          //
  expect_tx,      // argument: bytes
  complete_tx,    // argument: bytes
  arrive,         // argument: arrivals
  arrive_expect,  // argument: bytes; one arrival
  arrive_keep,    // argument: arrivals; .noComplete
  drop,           // argument: arrivals
  drop_expect,    // argument: bytes; one arrival
  drop_keep,      // argument: arrivals; .noComplete
  test_state,     // argument: state. Result: whether its phase is complete
  test_parity,    // argument: parity. Result: whether the latest phase of that parity is complete
};

// What PTX leaves undefined, and devices report.
enum class MbarrierMisuse : std::uint32_t {
  none,
  count,      // of arrivals that no barrier can have: 0, or more than 2^20 - 1
  arrivals,   // more than are pending, as with a barrier that was not initialised or is no longer valid
  completes,  // .noComplete, and yet the phase is complete
  bytes,      // the tx-count leaves its range, -(2^20 - 1) to 2^20 - 1
};

struct MbarrierResult {
  std::uint64_t word = 0;   // of the barrier afterwards; as before when it was misused
  std::uint64_t value = 0;  // of arrivals the state before; of tests 1 or 0
  MbarrierMisuse misuse = MbarrierMisuse::none;
};

MbarrierResult mbarrier(MbarrierOperation operation, std::uint64_t word, std::uint64_t argument);
// mbarrier.pending_count: arrivals that were pending in a state.
std::uint32_t mbarrier_pending_count(std::uint64_t state);

// How an instruction of the mbarrier family with an address, or cp.async.mbarrier.arrive, is one of those operations.
struct MbarrierUse {
  MbarrierOperation operation = MbarrierOperation::init;
  std::uint16_t address = 0;   // operands
  std::uint16_t argument = 0;  // may be missing: then `otherwise`
  std::uint64_t otherwise = 0;
  bool has_result = false;  // operand 0
};
MbarrierUse mbarrier_use(const Instruction& inst);

// "has no arrival pending for this one", for messages.
const char* text_of(MbarrierMisuse misuse);

}  // namespace heddle::ptx::semantics
