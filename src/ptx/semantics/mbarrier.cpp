#include "ptx/semantics/mbarrier.hpp"

namespace heddle::ptx::semantics {
namespace {

using Operation = MbarrierOperation;
using Misuse = MbarrierMisuse;

constexpr std::uint64_t count_limit = std::uint64_t{1} << 20;

struct Parts {
  std::uint64_t pending = 0, expected = 0;
  std::int64_t bytes = 0;
  std::uint64_t phase = 0;
};

Parts parts_of(std::uint64_t word) {
  Parts parts;
  parts.pending = word & (count_limit - 1);
  parts.expected = word >> 20 & (count_limit - 1);
  parts.bytes = static_cast<std::int64_t>(word << 3) >> 43;
  parts.phase = word >> 61;
  return parts;
}

std::uint64_t word_of(const Parts& parts) {
  const std::uint64_t bytes = static_cast<std::uint64_t>(parts.bytes) & (2 * count_limit - 1);
  return parts.pending | parts.expected << 20 | bytes << 40 | (parts.phase & 7) << 61;
}

bool is_count(std::uint64_t n) { return n != 0 && n < count_limit; }

Misuse change_bytes(Parts& parts, std::int64_t by) {
  const std::int64_t limit = static_cast<std::int64_t>(count_limit);
  parts.bytes += by;
  return parts.bytes > -limit && parts.bytes < limit ? Misuse::none : Misuse::bytes;
}

// The next phase begins when nothing is pending any more.
bool completes(const Parts& parts) { return parts.pending == 0 && parts.bytes == 0; }
void move_on(Parts& parts) {
  if (!completes(parts)) return;
  parts.pending = parts.expected;
  ++parts.phase;
}

Misuse arrive(Parts& parts, std::uint64_t count, bool drops, bool keeps) {
  if (!is_count(count)) return Misuse::count;
  if (count > parts.pending || (drops && count > parts.expected)) return Misuse::arrivals;
  if (drops) parts.expected -= count;
  parts.pending -= count;
  if (keeps && completes(parts)) return Misuse::completes;
  move_on(parts);
  return Misuse::none;
}

Misuse change(Parts& parts, Operation operation, std::uint64_t argument) {
  const auto bytes = static_cast<std::int64_t>(argument);
  switch (operation) {
    case Operation::init: parts = {argument, argument, 0, 0}; return is_count(argument) ? Misuse::none : Misuse::count;
    case Operation::inval: parts = {}; return Misuse::none;
    case Operation::expect_tx: return change_bytes(parts, bytes);
    case Operation::complete_tx: {
      const Misuse misuse = change_bytes(parts, -bytes);
      move_on(parts);
      return misuse;
    }
    case Operation::arrive_expect:
    case Operation::drop_expect: {
      const Misuse misuse = change_bytes(parts, bytes);
      return misuse != Misuse::none ? misuse : arrive(parts, 1, operation == Operation::drop_expect, false);
    }
    case Operation::arrive: return arrive(parts, argument, false, false);
    case Operation::arrive_keep: return arrive(parts, argument, false, true);
    case Operation::drop: return arrive(parts, argument, true, false);
    case Operation::drop_keep: return arrive(parts, argument, true, true);
    case Operation::test_state:
    case Operation::test_parity: break;
  }
  return Misuse::none;
}

Operation arrival(const Instruction& inst) {
  const bool drops = inst.has(Modifier::arrive_drop);
  if (inst.has(Modifier::expect_tx)) return drops ? Operation::drop_expect : Operation::arrive_expect;
  if (inst.has(Modifier::no_complete)) return drops ? Operation::drop_keep : Operation::arrive_keep;
  return drops ? Operation::drop : Operation::arrive;
}

}  // namespace

MbarrierResult mbarrier(MbarrierOperation operation, std::uint64_t word, std::uint64_t argument) {
  Parts parts = parts_of(word);
  if (operation == Operation::test_state) return {word, (argument >> 61) != parts.phase ? 1u : 0u, Misuse::none};
  if (operation == Operation::test_parity) return {word, (argument & 1) != (parts.phase & 1) ? 1u : 0u, Misuse::none};
  const Misuse misuse = change(parts, operation, argument);
  return {misuse == Misuse::none ? word_of(parts) : word, word, misuse};
}

std::uint32_t mbarrier_pending_count(std::uint64_t state) {
  return static_cast<std::uint32_t>(parts_of(state).pending);
}

MbarrierUse mbarrier_use(const Instruction& inst) {
  if (inst.opcode == Opcode::cp) return {Operation::arrive, 0, 1, 1, false};
  if (inst.has(Modifier::init)) return {Operation::init, 0, 1, 0, false};
  if (inst.has(Modifier::inval)) return {Operation::inval, 0, 1, 0, false};
  if (inst.has(Modifier::test_wait) || inst.has(Modifier::try_wait))
    return {inst.has(Modifier::parity) ? Operation::test_parity : Operation::test_state, 1, 2, 0, true};
  if (inst.has(Modifier::arrive) || inst.has(Modifier::arrive_drop)) return {arrival(inst), 1, 2, 1, true};
  return {inst.has(Modifier::expect_tx) ? Operation::expect_tx : Operation::complete_tx, 0, 1, 0, false};
}

const char* text_of(MbarrierMisuse misuse) {
  switch (misuse) {
    case Misuse::none: break;
    case Misuse::count: return "a barrier takes 1 to 1048575 arrivals";
    case Misuse::arrivals: return "it has fewer arrivals pending; or it was not initialised, or is no longer valid";
    case Misuse::completes: return "the arrival completes the phase, in spite of .noComplete";
    case Misuse::bytes: return "more than 1048575 bytes are under way";
  }
  return "";
}

}  // namespace heddle::ptx::semantics
