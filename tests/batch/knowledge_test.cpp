#include "batch/knowledge.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <thread>
#include <vector>

#include "support/temporary_folder.hpp"

namespace heddle::batch {
namespace {

class KnowledgeTest : public testing::Test {
 protected:
  KnowledgeTest() { ::setenv("HEDDLE_CACHE_DIR", folder.path().c_str(), 1); }
  ~KnowledgeTest() override { ::unsetenv("HEDDLE_CACHE_DIR"); }

  sched::KernelTraits traits(std::uint64_t id) {
    sched::KernelTraits made;
    made.id = id;
    made.kernel.profile = {.1, .2, 30, 1.5, .6, .7, 1.2, 3};
    made.kernel.needs = {.threads = 256, .registers = 20, .shared = 1024};
    made.kernel.demands.cycles = {1, .5, 2. / 3};
    made.kernel.demands.accesses = .1;
    made.kernel.demands.away = {{8, 16, 48}, {17.3, 20, 2. / 3}};
    made.kernel.block_instructions = 1234;
    made.kernel.pipeline_use = .8;
    made.kernel.memory_use = .09;
    made.kernel.least_blocks = 2;
    made.alone_ipc = .75;
    return made;
  }

  const tests::TemporaryFolder folder;
  const base::SteadyClock clock;
};

TEST_F(KnowledgeTest, MeasuresOnceForADeviceAndCode) {
  int measured = 0;
  const auto measure = [&] {
    ++measured;
    return traits(7);
  };
  const std::uint64_t id = 0xfedcba9876543210u;
  Knowledge(clock).profile("a", id, measure);
  const sched::KernelTraits again = Knowledge(clock).profile("a", id, measure);
  EXPECT_EQ(measured, 1);
  const sched::KernelTraits expected = traits(id);
  EXPECT_EQ(again.id, id);
  EXPECT_EQ(again.kernel.profile.memory_ratio, expected.kernel.profile.memory_ratio);
  EXPECT_EQ(again.kernel.profile.uncoalesced, expected.kernel.profile.uncoalesced);
  EXPECT_EQ(again.kernel.profile.uncoalesced_requests, expected.kernel.profile.uncoalesced_requests);
  EXPECT_EQ(again.kernel.profile.accesses_per_wait, expected.kernel.profile.accesses_per_wait);
  EXPECT_EQ(again.kernel.profile.misses, expected.kernel.profile.misses);
  EXPECT_EQ(again.kernel.profile.far, expected.kernel.profile.far);
  EXPECT_EQ(again.kernel.profile.issue_cycles, expected.kernel.profile.issue_cycles);
  EXPECT_EQ(again.kernel.profile.pipe, expected.kernel.profile.pipe);
  EXPECT_EQ(again.kernel.needs.threads, expected.kernel.needs.threads);
  EXPECT_EQ(again.kernel.needs.registers, expected.kernel.needs.registers);
  EXPECT_EQ(again.kernel.needs.shared, expected.kernel.needs.shared);
  EXPECT_EQ(again.kernel.block_instructions, expected.kernel.block_instructions);
  EXPECT_EQ(again.kernel.pipeline_use, expected.kernel.pipeline_use);
  EXPECT_EQ(again.kernel.memory_use, expected.kernel.memory_use);
  EXPECT_EQ(again.kernel.least_blocks, expected.kernel.least_blocks);
  EXPECT_EQ(again.alone_ipc, expected.alone_ipc);
  EXPECT_EQ(again.kernel.demands.cycles, expected.kernel.demands.cycles);
  EXPECT_EQ(again.kernel.demands.accesses, expected.kernel.demands.accesses);
  EXPECT_EQ(again.kernel.demands.away, expected.kernel.demands.away);
  Knowledge(clock).profile("b", id, measure);
  Knowledge(clock).profile("a", 8, measure);
  Knowledge(clock, false).profile("a", id, measure);
  EXPECT_EQ(measured, 4);
}

TEST_F(KnowledgeTest, KeepsTheConstantsOfADevice) {
  int measured = 0;
  const auto measure = [&] {
    ++measured;
    return model::MemoryLatency{500, 12, 3, 520, 40};
  };
  Knowledge(clock).latency("a", measure);
  const model::MemoryLatency again = Knowledge(clock).latency("a", measure);
  EXPECT_EQ(measured, 1);
  EXPECT_EQ(again.base, 500);
  EXPECT_EQ(again.per_request, 12);
  EXPECT_EQ(again.offset, 3);
  EXPECT_EQ(again.uncoalesced_base, 520);
  EXPECT_EQ(again.hit, 40);
}

TEST_F(KnowledgeTest, SeveralThreadsMayUseIt) {
  std::vector<std::thread> threads;
  for (std::uint64_t i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      for (std::uint64_t j = 0; j < 10; ++j)
        EXPECT_EQ(Knowledge(clock).profile("a", i * 5 + j, [&] { return traits(0); }).alone_ipc, .75);
    });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace heddle::batch
