#include "ptx/semantics/mbarrier.hpp"

#include <gtest/gtest.h>

#include <string_view>

#include "ptx/parser.hpp"

namespace heddle::ptx::semantics::test {
namespace {

using Operation = MbarrierOperation;
using Misuse = MbarrierMisuse;

// A barrier, and what operations on it give.
struct Barrier {
  std::uint64_t word = 0xdeadbeefdeadbeef;
  std::uint64_t operator()(Operation operation, std::uint64_t argument = 0) {
    const MbarrierResult result = mbarrier(operation, word, argument);
    EXPECT_EQ(result.misuse, Misuse::none);
    word = result.word;
    return result.value;
  }
  Misuse misuse(Operation operation, std::uint64_t argument) const {
    const MbarrierResult result = mbarrier(operation, word, argument);
    if (result.misuse != Misuse::none) {
      EXPECT_EQ(result.word, word);
    }
    return result.misuse;
  }
};

TEST(Mbarrier, TheLargestCountAndTheMostBytes) {
  Barrier b;
  b(Operation::init, 0xfffff);
  b(Operation::expect_tx, 0xfffff);
  EXPECT_EQ(b.misuse(Operation::expect_tx, 1), Misuse::bytes);
  const std::uint64_t state = b(Operation::arrive, 0xfffff);
  EXPECT_EQ(mbarrier_pending_count(state), 0xfffffu);
  EXPECT_EQ(b(Operation::test_state, state), 0u);
  b(Operation::complete_tx, 0xffffe);
  EXPECT_EQ(b(Operation::test_state, state), 0u);
  b(Operation::complete_tx, 1);
  EXPECT_EQ(b(Operation::test_state, state), 1u);
  EXPECT_EQ(b.misuse(Operation::init, 0x100000), Misuse::count);
  EXPECT_EQ(b.misuse(Operation::init, 0), Misuse::count);
}

// Bytes may be there before somebody expects them.
TEST(Mbarrier, BytesMayBeEarly) {
  Barrier b;
  b(Operation::init, 2);
  b(Operation::complete_tx, 0xfffff);
  EXPECT_EQ(b.misuse(Operation::complete_tx, 1), Misuse::bytes);
  const std::uint64_t state = b(Operation::arrive_expect, 0xffff0);
  b(Operation::arrive, 1);
  EXPECT_EQ(b(Operation::test_state, state), 0u);
  b(Operation::expect_tx, 0xf);
  // Expecting completes nothing: the next operation that counts would.
  EXPECT_EQ(b(Operation::test_state, state), 0u);
  b(Operation::complete_tx, 0);
  EXPECT_EQ(b(Operation::test_state, state), 1u);
}

TEST(Mbarrier, PhasesGoRound) {
  Barrier b;
  b(Operation::init, 1);
  for (unsigned phase = 0; phase < 20; ++phase) {
    EXPECT_EQ(b(Operation::test_parity, phase & 1), 0u);
    EXPECT_EQ(b(Operation::test_parity, ~phase & 1), 1u);
    const std::uint64_t state = b(Operation::arrive, 1);
    EXPECT_EQ(mbarrier_pending_count(state), 1u);
    EXPECT_EQ(b(Operation::test_state, state), 1u);
  }
}

TEST(Mbarrier, ThoseWhoLeave) {
  Barrier b;
  b(Operation::init, 4);
  b(Operation::drop, 1);
  b(Operation::drop_expect, 8);
  b(Operation::complete_tx, 8);
  const std::uint64_t first = b(Operation::drop_keep, 1);
  EXPECT_EQ(mbarrier_pending_count(first), 2u);
  b(Operation::arrive, 1);
  EXPECT_EQ(b(Operation::test_state, first), 1u);
  EXPECT_EQ(mbarrier_pending_count(b(Operation::drop, 1)), 1u);
  EXPECT_EQ(b.misuse(Operation::arrive, 1), Misuse::arrivals);  // nobody is left
}

TEST(Mbarrier, Misuse) {
  Barrier b;
  b(Operation::init, 2);
  EXPECT_EQ(b.misuse(Operation::arrive, 3), Misuse::arrivals);
  EXPECT_EQ(b.misuse(Operation::arrive, 0), Misuse::count);
  EXPECT_EQ(b.misuse(Operation::arrive_keep, 2), Misuse::completes);
  EXPECT_EQ(b.misuse(Operation::drop_keep, 2), Misuse::completes);
  b(Operation::inval);
  EXPECT_EQ(b.misuse(Operation::arrive, 1), Misuse::arrivals);
}

MbarrierUse use_of(const std::string& text) {
  const Module module = parse(
      ".version 8.0\n.target sm_90\n.address_size 64\n.entry k() { .shared .align 8 .b64 a; "
      ".reg .b64 %s; .reg .pred %p; .reg .b32 %r; " +
          text + " }",
      "t");
  return mbarrier_use(module.functions[0].body[0]);
}

TEST(Mbarrier, InstructionsAreOperations) {
  EXPECT_EQ(use_of("mbarrier.init.b64 [%s], 3;").operation, Operation::init);
  EXPECT_EQ(use_of("mbarrier.inval.shared.b64 [a];").operation, Operation::inval);
  EXPECT_EQ(use_of("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [a], 8;").operation, Operation::expect_tx);
  EXPECT_EQ(use_of("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [a], 8;").operation, Operation::complete_tx);
  EXPECT_EQ(use_of("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 %s, [a], 8;").operation,
            Operation::arrive_expect);
  EXPECT_EQ(use_of("mbarrier.arrive_drop.expect_tx.shared.b64 %s, [a], 8;").operation, Operation::drop_expect);
  EXPECT_EQ(use_of("mbarrier.arrive.noComplete.shared.b64 %s, [a], 8;").operation, Operation::arrive_keep);
  EXPECT_EQ(use_of("mbarrier.arrive_drop.noComplete.shared.b64 %s, [a], 8;").operation, Operation::drop_keep);
  EXPECT_EQ(use_of("mbarrier.test_wait.shared.b64 %p, [a], %s;").operation, Operation::test_state);
  EXPECT_EQ(use_of("mbarrier.try_wait.parity.shared.b64 %p, [a], %r, 100;").operation, Operation::test_parity);
  const MbarrierUse drop = use_of("mbarrier.arrive_drop.shared.b64 _, [a];");
  EXPECT_EQ(drop.operation, Operation::drop);
  EXPECT_EQ(drop.address, 1u);
  EXPECT_EQ(drop.otherwise, 1u);
  const MbarrierUse copied = use_of("cp.async.mbarrier.arrive.noinc.shared.b64 [a];");
  EXPECT_EQ(copied.operation, Operation::arrive);
  EXPECT_EQ(copied.address, 0u);
}

}  // namespace
}  // namespace heddle::ptx::semantics::test
