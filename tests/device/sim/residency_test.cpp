// Virtual Thread on a simulated SM: blocks that wait give way, results stay, and kernels that capacity limits see
// nothing of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "device/sim/kernel_run.hpp"
#include "heddle/error.hpp"

namespace heddle::device::sim {
namespace {

using Ran = KernelRun;

Ran run(const std::string& policies, const std::string& body, unsigned threads, unsigned blocks,
        bool cooperative = false) {
  return run_kernel("fermi-gtx480" + policies, body, {threads, blocks, cooperative});
}

const std::string& chase = pointer_chase;

TEST(VirtualThread, HidesLatencyWithMoreBlocksThanAreActive) {
  const Ran base = run("", chase, 64, 64), other = run(",residency=virtual-thread", chase, 64, 64),
            most = run(",residency=max", chase, 64, 64);
  EXPECT_EQ(base.words, other.words);
  EXPECT_GT(other.figures.sm.policy[PolicyEvent::swaps_out], 20u);
  EXPECT_GT(other.figures.sm.policy[PolicyEvent::swaps_in], 20u);
  EXPECT_GT(other.figures.sm.policy[PolicyEvent::late_writes], 0u);
  EXPECT_LT(other.figures.cycles() * 11, base.figures.cycles() * 10) << "a tenth faster at least";
  EXPECT_LT(most.figures.cycles(), base.figures.cycles());
  EXPECT_EQ(base.figures.sm.policy[PolicyEvent::swaps_out], 0u);
  EXPECT_EQ(other.figures.sm.thread_instructions, base.figures.sm.thread_instructions);
}

// Type C: 60 registers are what limits this kernel's blocks, so that none waits beside the active ones.
TEST(VirtualThread, DoesNothingWhereCapacityIsTheLimit) {
  std::string body = "mul.wide.u32 %q, %i, 4;\nadd.u64 %q, %p, %q;\nld.global.u32 %r0, [%q];\n";
  for (int i = 1; i < 60; ++i)
    body += "add.u32 %r" + std::to_string(i) + ", %r" + std::to_string(i - 1) + ", " + std::to_string(i) + ";\n";
  for (int i = 1; i < 60; ++i) body += "xor.b32 %r0, %r0, %r" + std::to_string(i) + ";\n";
  body += "st.global.u32 [%q], %r0;\n";
  const Ran base = run(",memory=ideal", body, 256, 12),
            other = run(",memory=ideal,residency=virtual-thread", body, 256, 12);
  EXPECT_EQ(base.words, other.words);
  EXPECT_EQ(base.figures.cycles(), other.figures.cycles());
  EXPECT_EQ(other.figures.sm.policy[PolicyEvent::swaps_out], 0u);
}

// Type C again, but while the blocks wait only few of their 60 registers hold values: with finereg others come.
TEST(LiveRegisters, LetMoreBlocksWaitThanTheRegisterFileHolds) {
  std::string body = chase + "mul.wide.u32 %q, %i, 4;\nadd.u64 %q, %p, %q;\nld.global.u32 %r0, [%q];\n";
  for (int i = 1; i < 60; ++i)
    body += "add.u32 %r" + std::to_string(i) + ", %r" + std::to_string(i - 1) + ", " + std::to_string(i) + ";\n";
  for (int i = 1; i < 60; ++i) body += "xor.b32 %r0, %r0, %r" + std::to_string(i) + ";\n";
  body += "st.global.u32 [%q+131072], %r0;\n";  // beyond what the chase reads
  const KernelShape shape{.threads = 64, .blocks = 64, .words = 1 << 16};
  const Ran base = run_kernel("fermi-gtx480", body, shape),
            other = run_kernel("fermi-gtx480,residency=virtual-thread", body, shape),
            live = run_kernel("fermi-gtx480,residency=finereg", body, shape);
  EXPECT_EQ(base.words, live.words);
  EXPECT_EQ(other.figures.sm.policy[PolicyEvent::swaps_out], 0u);
  EXPECT_GT(live.figures.sm.policy[PolicyEvent::swaps_out], 10u);
  EXPECT_LT(live.figures.cycles(), 0.95 * static_cast<double>(base.figures.cycles()));
  EXPECT_EQ(live.figures.sm.thread_instructions, base.figures.sm.thread_instructions);
}

// Blocks wait for the one that comes after all active ones: it gets its turn when the others only repeat themselves.
TEST(VirtualThread, BlocksThatOnlyWaitGiveWay) {
  const std::string body = R"(
setp.ne.u32 %c, %t, 0;
@%c bra D;
setp.eq.u32 %c, %b, 9;
@%c bra S;
W:
ld.volatile.global.u32 %r0, [%p];
setp.ne.u32 %c, %r0, 1;
@%c bra W;
bra.uni D;
S:
mov.u32 %r1, 1;
st.volatile.global.u32 [%p], %r1;
D:
)";
  const Ran ran = run(",residency=virtual-thread", body, 32, 10);
  EXPECT_EQ(ran.words[0], 1u);
  EXPECT_GT(ran.figures.sm.policy[PolicyEvent::swaps_out], 0u);
}

// The blocks of a cooperative launch all run at the same time: as many as can be active.
TEST(VirtualThread, CooperativeLaunchesAreLimitedByActiveBlocks) {
  EXPECT_NO_THROW(run(",residency=virtual-thread", "", 64, 8, true));
  try {
    run(",residency=virtual-thread", "", 64, 9, true);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("8 can be under way at once"));
  }
}

TEST(VirtualThread, QueuesServeActiveBlocksFirst) {
  for (const char* queue : {",memory-queue=mascar", ",memory-queue=active-first"}) {
    const Ran base = run("", chase, 64, 48),
              other = run(std::string(",residency=virtual-thread") + queue, chase, 64, 48);
    EXPECT_EQ(base.words, other.words) << queue;
    EXPECT_GT(other.figures.sm.policy[PolicyEvent::swaps_out], 0u);
  }
}

// V3: a block uses all of the shared memory that it declares; contexts lie elsewhere.
TEST(VirtualThread, ContextsTouchNoSharedMemoryOfBlocks) {
  const std::string body = R"(
mov.u32 %r10, s;
mad.lo.u32 %r11, %t, 16, %r10;
mad.lo.u32 %r12, %i, 2654435, 7;
st.shared.v4.u32 [%r11], {%r12, %r12, %r12, %r12};
)" + chase + R"(
ld.shared.v4.u32 {%r20, %r21, %r22, %r23}, [%r11];
setp.eq.u32 %c, %r20, %r12;
setp.eq.and.u32 %c, %r21, %r12, %c;
setp.eq.and.u32 %c, %r22, %r12, %c;
setp.eq.and.u32 %c, %r23, %r12, %c;
selp.u32 %r2, 1, 2, %c;
mul.wide.u32 %q, %i, 4;
add.u64 %q, %p, %q;
add.u64 %q, %q, 131072;
st.global.u32 [%q], %r2;
)";
  const KernelRun ran =
      run_kernel("fermi-gtx480,residency=virtual-thread", body, {.threads = 64, .blocks = 32, .words = 1 << 16});
  EXPECT_GT(ran.figures.sm.policy[PolicyEvent::swaps_in], 10u);
  for (unsigned i = 0; i < 64 * 32; ++i) ASSERT_EQ(ran.words[32768 + i], 1u) << i;
}

// V9: contexts move in cycles in which no access has the port of the shared memory, and accesses never wait for them.
// Every second block has accesses alone, which use the port all the time: contexts of the others come late, and as many
// accesses are served in a cycle as when contexts are moved at once.
TEST(VirtualThread, ContextsWaitForAccessesOfSharedMemory) {
  std::string accesses;
  for (int i = 0; i < 12; ++i) accesses += "ld.shared.u32 %r" + std::to_string(30 + i) + ", [%r11];\n";
  const std::string body =
      "mov.u32 %r10, s;\nand.b32 %r11, %t, 31;\nmad.lo.u32 %r11, %r11, 32, %r10;\n"  // conflicts of eight lanes
      "and.b32 %r12, %b, 1;\nsetp.eq.u32 %c, %r12, 0;\n@%c bra X;\nmov.u32 %r13, 0;\nM:\n" +
      accesses + "add.u32 %r13, %r13, 1;\nsetp.lt.u32 %d, %r13, 32;\n@%d bra M;\nbra.uni E;\nX:\n" + chase + "E:\n";
  const auto of = [&](const std::string& options) {  // long, and so without the audit
    const KernelShape shape{.threads = 64, .blocks = 64, .audit = false};
    return run_kernel("fermi-gtx480,residency=virtual-thread" + options, body, shape);
  };
  const Ran moved = of(""), free = of(",context-bits=0");
  const auto waits = [](const Ran& ran) { return ran.figures.sm.policy[PolicyEvent::context_waits]; };
  const auto port = [](const Ran& ran) {  // a pass takes two cycles
    return 2.0 * static_cast<double>(ran.figures.memory.sm.shared_passes) / static_cast<double>(ran.figures.cycles());
  };
  const Ran quiet = run(",residency=virtual-thread", chase, 64, 64);
  EXPECT_GT(moved.figures.sm.policy[PolicyEvent::swaps_in], 100u);
  EXPECT_GT(waits(moved), 100 * moved.figures.sm.policy[PolicyEvent::swaps_in]);
  EXPECT_EQ(waits(quiet), 0u);
  EXPECT_EQ(waits(free), 0u);
  EXPECT_GT(port(free), 0.97);
  EXPECT_GT(port(moved), 0.99 * port(free));
}

// Stores that change nothing let the SM look for loops that only wait. This must not count for others: blocks whose
// threads have exited wait for their stores, and are not such loops.
TEST(VirtualThread, CyclesDoNotDependOnWhatStoresChange) {
  const auto cycles = [](unsigned stored) {
    const std::string body = chase + "mov.u32 %r9, " + std::to_string(stored) +
                             ";\nmul.wide.u32 %q, %i, 4;\nadd.u64 %q, %p, %q;\nst.global.u32 [%q+131072], %r9;\n";
    const KernelShape shape{.threads = 128, .blocks = 128, .words = 1 << 16, .zero = true};
    return run_kernel("fermi-gtx480,residency=virtual-thread,context-bits=0", body, shape).figures.cycles();
  };
  EXPECT_EQ(cycles(0), cycles(1));
}

// V11: with any scheduler.
TEST(VirtualThread, RunsWithAllSchedulers) {
  for (const char* scheduler : {"lrr", "gto", "two-level"}) {
    const std::string with = std::string(",scheduler=") + scheduler;
    const Ran base = run(with, chase, 64, 48), other = run(with + ",residency=virtual-thread", chase, 64, 48);
    EXPECT_EQ(base.words, other.words);
    EXPECT_LT(other.figures.cycles(), base.figures.cycles()) << scheduler;
  }
}

// V15: a stack deeper than a context. What is beyond stays in memory.
TEST(VirtualThread, DeepStacksAreSpilled) {
  std::string body = chase, end;
  for (int i = 0; i < 5; ++i) {
    body += "and.b32 %r40, %t, " + std::to_string(1 << i) + ";\nsetp.eq.u32 %c, %r40, 0;\n@%c bra S" +
            std::to_string(i) + ";\n";
    end = "S" + std::to_string(i) + ":\nadd.u32 %r41, %r41, 1;\n" + end;
  }
  body = "mov.u32 %r41, 0;\n" + body +
         "mul.wide.u32 %q, %i, 4;\nadd.u64 %q, %p, %q;\nld.global.u32 %r42, [%q+65536];\n"
         "add.u32 %r41, %r41, %r42;\n" +
         end + "st.global.u32 [%q+196608], %r41;\n";
  const KernelShape shape{.threads = 64, .blocks = 40, .words = 1 << 17};
  const KernelRun base = run_kernel("fermi-gtx480", body, shape),
                  other = run_kernel("fermi-gtx480,residency=virtual-thread,context-entries=2", body, shape);
  EXPECT_EQ(base.words, other.words);
  EXPECT_GT(other.figures.sm.policy[PolicyEvent::spilled_entries], 0u);
}

TEST(Policies, WhatCannotWorkTogetherIsRefused) {
  const auto message = [](const std::string& text) {
    try {
      parse_sim_options(text);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  using testing::HasSubstr;
  EXPECT_THAT(message("sim:sbi-fermi,issue=sbi,divergence=nrec"), HasSubstr("issues the contexts of divergence=tf"));
  EXPECT_THAT(message("sim:dwf-g80,divergence=dwf,issue=dual"), HasSubstr("one instruction in flight"));
  EXPECT_THAT(message("sim:dwf-g80,divergence=dwf,residency=virtual-thread"), HasSubstr("cannot give way"));
  EXPECT_THAT(message("sim:sbi-fermi,issue=swi,residency=virtual-thread"), HasSubstr("stacks of warps of 32"));
  EXPECT_THAT(message("sim:dwf-g80,formation=pc"), HasSubstr("formation=pc is an option of divergence=dwf"));
  EXPECT_THAT(message("sim:dwf-g80,divergence=dwf,formation=best"), HasSubstr("majority, minority, timestamp"));
  EXPECT_THAT(message("sim:dwf-g80,divergence=dwf,pool=1"), HasSubstr("a whole number from 2 to 4096"));
  EXPECT_THROW(make_sim_device(parse_sim_options("sim:hopper-h100,issue=sbi")), Error);  // four schedulers
  EXPECT_EQ(message("sim:sbi-fermi,lanes=xor-rev,issue=sbi+swi"), "no error");
  EXPECT_EQ(message("sim:dwf-g80,formation=pc,divergence=dwf"), "no error");
}

}  // namespace
}  // namespace heddle::device::sim
