// What a CUDA driver is asked for where launches of a kernel are ordered: with the one of tests/cuda_api that does
// nothing.
#include <algorithm>

#include "batch/run.hpp"
#include "batch/watching.hpp"
#include "device/cuda/fake_gpu.hpp"
#include "sched/make_policy.hpp"

namespace heddle::device::cuda {
namespace {

constexpr unsigned blocks = 8, launches = 5;

class Followers : public FakeGpu {
 protected:
  // The log of a batch of one kernel, which reads and writes its array.
  std::vector<std::string> run(const char* policy) {
    const auto module = std::make_shared<ptx::Module>(
        ptx::parse(with_header(".visible .entry step(.param .u64 a)\n{\n  .reg .u64 %p; .reg .u32 %x;\n"
                               "  ld.param.u64 %p, [a];\n  ld.global.u32 %x, [%p];\n  add.u32 %x, %x, 1;\n"
                               "  st.global.u32 [%p], %x;\n  ret;\n}\n"),
                   "fake.ptx"));
    batch::Kernel kernel(
        *device_, {"step", module, "step", {.grid = {blocks}, .block = {32}}, {{std::vector<std::byte>(4), true}}});
    EXPECT_TRUE(kernel.ordered());
    batch::Watching executor(batch::make_queue_executor(*device_, base::process_watcher()));
    log();
    batch::run_batch(executor, std::vector<batch::Job>(launches, {&kernel, 0}), sched::make_policy(policy), nullptr);
    EXPECT_EQ(executor.most, 2u) << "one runs, and one is behind it";
    return log();
  }
};

TEST_F(Followers, AreInOneStream) {
  std::vector<std::string> streams;
  const std::vector<std::string> lines = run("base");
  for (const std::string& line : lines)
    if (line.find("launch") != line.npos) streams.push_back(stream(line));
  ASSERT_EQ(streams.size(), launches) << testing::PrintToString(lines);
  EXPECT_EQ(std::count(streams.begin(), streams.end(), streams.front()), launches) << testing::PrintToString(lines);
}

}  // namespace
}  // namespace heddle::device::cuda
