// Virtual Thread on a simulated SM: blocks that wait give way, results stay, and kernels that capacity limits see
// nothing of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "device/sim/sim.hpp"
#include "heddle/error.hpp"
#include "ptx/parser.hpp"

namespace heddle::device::sim {
namespace {

struct Ran {
  KernelStatistics figures;
  std::vector<std::uint32_t> words;
};

// A launch of `k` on one SM of Fermi's kind, whose parameter is an array of words that lead to others.
Ran run(const std::string& policies, const std::string& body, unsigned threads, unsigned blocks,
        bool cooperative = false) {
  Ran ran;
  SimOptions options = parse_sim_options("sim:fermi-gtx480" + policies);
  options.machine.sms = 1;
  options.on_launch = [&](const std::string&, const KernelStatistics& figures) { ran.figures = figures; };
  const auto device = make_sim_device(std::move(options));
  const std::string text =
      ".version 6.0\n.target sm_30\n.address_size 64\n.visible .entry k(.param .u64 a)\n{\n"
      ".reg .u64 %p, %q; .reg .u32 %t, %i, %b, %n, %r<80>; .reg .pred %c;\n.shared .align 4 .b8 s[64];\n"
      "ld.param.u64 %p, [a];\nmov.u32 %t, %tid.x;\nmov.u32 %b, %ctaid.x;\nmov.u32 %n, %ntid.x;\n"
      "mad.lo.u32 %i, %b, %n, %t;\n" +
      body + "ret;\n}\n";
  const auto module = device->load(std::make_shared<const ptx::Module>(ptx::parse(text, "k")), {});
  constexpr unsigned count = 1 << 15;
  ran.words.resize(count);
  for (unsigned i = 0; i < count; ++i) ran.words[i] = (i * 7919u + 12345u) % count;
  const auto memory = device->allocate(count * sizeof ran.words[0]);
  const auto queue = device->queue({});
  const Span host = Span::host(ran.words.data(), count * sizeof ran.words[0]);
  queue->copy(memory->span(), host);
  const std::uint64_t address = memory->span().address;
  std::vector<std::byte> arguments(sizeof address);
  std::memcpy(arguments.data(), &address, sizeof address);
  queue->launch(module->function("k"), {.grid = {blocks}, .block = {threads}, .cooperative = cooperative}, {0, blocks},
                arguments);
  queue->copy(host, memory->span());
  queue->synchronize();
  return ran;
}

// Loads of which each reads the address of the next, one word for a warp: latency is the limit, not bandwidth.
const std::string chase = R"(
shr.u32 %r0, %i, 5;
mul.lo.u32 %r0, %r0, 997;
mov.u32 %r1, 0;
L:
and.b32 %r0, %r0, 32767;
mul.wide.u32 %q, %r0, 4;
add.u64 %q, %p, %q;
ld.global.u32 %r0, [%q];
add.u32 %r1, %r1, 1;
setp.lt.u32 %c, %r1, 6;
@%c bra L;
and.b32 %r2, %r0, 1;
)";

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
