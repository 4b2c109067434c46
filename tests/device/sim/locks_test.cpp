// Forward progress: what threads of one warp wait for may be another thread of it, under every policy.
#include <gtest/gtest.h>

#include <string>

#include "device/sim/kernel_run.hpp"

namespace heddle::device::sim {
namespace {

// Each thread takes the lock, adds to the word behind it, and gives the lock back. The loop ends before the lock is
// given back: who stays in it waits for a thread that has left it.
constexpr const char* lock_behind_the_loop = R"(
mov.u64 %q, %p;
W:
atom.global.cas.b32 %r0, [%q], 0, 1;
setp.ne.u32 %c, %r0, 0;
@%c bra W;
ld.volatile.global.u32 %r1, [%q+4];
add.u32 %r1, %r1, 1;
st.volatile.global.u32 [%q+4], %r1;
membar.gl;
atom.global.exch.b32 %r0, [%q], 0;
)";

// The lock is taken and given back within the loop's body, which some threads have to repeat.
constexpr const char* lock_in_the_loop = R"(
mov.u32 %r2, 0;
W:
atom.global.cas.b32 %r0, [%p], 0, 1;
setp.ne.u32 %c, %r0, 0;
@%c bra N;
ld.volatile.global.u32 %r1, [%p+4];
add.u32 %r1, %r1, 1;
st.volatile.global.u32 [%p+4], %r1;
membar.gl;
atom.global.exch.b32 %r0, [%p], 0;
mov.u32 %r2, 1;
N:
setp.eq.u32 %c, %r2, 0;
@%c bra W;
)";

// A thread waits for a flag that another one of its warp sets on the other side of the branch.
constexpr const char* flag_of_the_other_side = R"(
and.b32 %r0, %t, 1;
setp.eq.u32 %c, %r0, 0;
mul.wide.u32 %q, %i, 4;
add.u64 %q, %p, %q;
@%c bra S;
W:
ld.volatile.global.u32 %r1, [%q];
setp.ne.u32 %d, %r1, 1;
@%d bra W;
bra.uni E;
S:
mov.u32 %r1, 1;
st.volatile.global.u32 [%q+4], %r1;
E:
)";

// Warps arrive at a counter in shared memory and poll it with atomics of 32 lanes, which keep the load/store queue
// full.
constexpr const char* polled_counter = R"(
mov.u32 %r0, s;
setp.eq.u32 %c, %t, 0;
@%c st.shared.u32 [%r0], 0;
bar.sync 0;
atom.shared.add.u32 %r1, [%r0], 1;
W:
atom.shared.add.u32 %r1, [%r0], 0;
setp.lt.u32 %c, %r1, %n;
@%c bra W;
mul.wide.u32 %q, %i, 4;
add.u64 %q, %p, %q;
st.global.u32 [%q], %r1;
)";

const char* const machines[] = {"sbi-fermi",
                                "sbi-fermi,divergence=nrec",
                                "sbi-fermi,divergence=mimd",
                                "sbi-fermi,divergence=its",
                                "sbi-fermi,divergence=tf",
                                "sbi-fermi,divergence=tbc",
                                "sbi-fermi,divergence=dwf",
                                "sbi-fermi,divergence=dwf,formation=minority",
                                "sbi-fermi,divergence=dwf,formation=pdom-priority",
                                "sbi-fermi,issue=wide",
                                "sbi-fermi,issue=sbi",
                                "sbi-fermi,issue=sbi,constraints=off",
                                "sbi-fermi,issue=swi",
                                "sbi-fermi,issue=swi,lanes=xor-rev",
                                "sbi-fermi,issue=sbi+swi",
                                "sbi-fermi,issue=sbi+swi,ways=1"};

class Progress : public testing::TestWithParam<const char*> {};

KernelRun run(const std::string& machine, const std::string& body, unsigned threads, unsigned blocks) {
  return run_kernel(machine, body, {.threads = threads, .blocks = blocks, .words = 1024, .zero = true});
}

TEST_P(Progress, OfALockThatIsGivenBackBehindTheLoop) {
  EXPECT_EQ(run(GetParam(), lock_behind_the_loop, 64, 2).words[1], 128u);
}

TEST_P(Progress, OfALockThatIsGivenBackInTheLoop) {
  EXPECT_EQ(run(GetParam(), lock_in_the_loop, 64, 2).words[1], 128u);
}

TEST_P(Progress, OfThreadsOfTheTwoSidesOfABranch) {
  const KernelRun ran = run(GetParam(), flag_of_the_other_side, 96, 2);
  for (unsigned i = 1; i < 96; i += 2) EXPECT_EQ(ran.words[i], 1u);
}

INSTANTIATE_TEST_SUITE_P(Policies, Progress, testing::ValuesIn(machines));

class ProgressOfWarps : public testing::TestWithParam<const char*> {};

TEST_P(ProgressOfWarps, ThatOthersKeepFromTheLoadStoreUnit) {
  for (const unsigned threads : {128u, 160u, 256u, 512u}) {
    const KernelRun ran = run(GetParam(), polled_counter, threads, 1);
    for (unsigned i = 0; i < threads; ++i) ASSERT_EQ(ran.words[i], threads) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Policies, ProgressOfWarps, testing::ValuesIn(machines));
INSTANTIATE_TEST_SUITE_P(Machines, ProgressOfWarps,
                         testing::Values("hopper-h100", "hopper-h100,scheduler=gto", "hopper-h100,scheduler=oldest",
                                         "hopper-h100,scheduler=two-level", "kepler-gtx680",
                                         "kepler-gtx680,scheduler=lrr", "fermi-gtx480", "fermi-gtx480,scheduler=gto",
                                         "fermi-c2050", "hopper-h200"));

}  // namespace
}  // namespace heddle::device::sim
