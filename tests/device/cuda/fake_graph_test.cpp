// What graphs of launches ask of a driver.
#include <pthread.h>

#include <atomic>
#include <chrono>

#include "device/cuda/fake_gpu.hpp"
#include "device/launch_graph.hpp"
#include "support/flag_event.hpp"
#include "support/wait_until.hpp"

namespace heddle::device::cuda {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::StartsWith;

// `total` is a variable of the module, which `counts` uses.
const std::string source = with_header(R"(
.visible .global .align 4 .u32 total;
.visible .entry adds(.param .u64 x) {
  .reg .b32 %r<2>; .reg .b64 %d<2>;
  ld.param.u64 %d1, [x];
  ld.global.u32 %r1, [%d1];
  add.u32 %r1, %r1, 1;
  st.global.u32 [%d1], %r1;
  ret;
}
.visible .entry many_registers(.param .u64 x) { ret; }
.visible .entry faults_meanwhile(.param .u64 x) { ret; }
.visible .entry counts(.param .u64 x) { red.global.add.u32 [total], 1; ret; }
)");

class FakeGraph : public FakeGpu {
 protected:
  void SetUp() override {
    FakeGpu::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    module_ = load(source);
    log();
  }
  GraphLaunch small(const char* kernel, std::vector<unsigned> parents, unsigned blocks = 4,
                    unsigned threads = 32) const {
    return {&module_->function(kernel),
            {.grid = {blocks}, .block = {threads}},
            std::vector<std::byte>(8),
            std::move(parents)};
  }
  // Launches the graph until nothing changes any more; what the driver was asked for when it was made again, with the
  // first launch of that.
  std::vector<std::string> made_again(LaunchGraph& graph) {
    log();
    for (int i = 0; i < 17; ++i) graph.launch(*queue_);
    std::vector<std::string> made;
    int turns = 0;
    const auto is_made_again = [&] {
      const std::vector<std::string> lines = log();
      const auto is_node = [](const std::string& line) { return line.starts_with("node "); };
      made.assign(std::find_if(lines.begin(), lines.end(), is_node), lines.end());
      if (made.empty()) graph.launch(*queue_);
      return !made.empty() || ++turns == 1000;  // some are never made again
    };
    EXPECT_TRUE(tests::wait_until(is_made_again));
    return made;
  }

  std::shared_ptr<Module> module_;
};

TEST_F(FakeGraph, SmallLaunchesInLineAreLinkedOnceItIsWorthIt) {
  const auto graph = device_->launch_graph(std::vector{small("adds", {}), small("adds", {0}), small("adds", {1})});
  EXPECT_THAT(log(),
              ElementsAre("node adds behind 0", "node adds behind 1", "node adds behind 1", StartsWith("graph")));
  for (int i = 0; i < 16; ++i) graph->launch(*queue_);
  EXPECT_THAT(log(), Each(StartsWith("launch graph"))) << "nothing is compiled for it yet";
  const std::vector<std::string> lines = made_again(*graph);
  ASSERT_GE(lines.size(), 7u);
  EXPECT_THAT(std::vector(lines.begin(), lines.begin() + 5),
              ElementsAre("node adds behind 0", "node adds behind 0", "edge from port 1, of type 1",
                          "node adds behind 0", "edge from port 1, of type 1"));
  const std::string linked = lines[5].substr(lines[5].find(' ') + 1);
  EXPECT_EQ(lines[6], "launch graph " + linked);
  graph->set_arguments(1, std::vector<std::byte>(8));
  graph->launch(*queue_);
  EXPECT_THAT(log(), ElementsAre("change " + linked, "launch graph " + linked));
}

TEST_F(FakeGraph, OtherLaunchesAreNot) {
  // Forks, large grids, kernels whose variables would be others.
  for (const std::vector<GraphLaunch>& launches :
       {std::vector{small("adds", {}), small("adds", {0}), small("adds", {0})},
        std::vector{small("adds", {}), small("adds", {})},
        std::vector{small("adds", {}), small("adds", {0}, 1'000'000)},
        std::vector{small("counts", {}), small("counts", {0})}}) {
    const auto graph = device_->launch_graph(launches);
    EXPECT_THAT(made_again(*graph), testing::IsEmpty());
  }
}

TEST_F(FakeGraph, BlocksForWhichTheFormHasTooManyRegistersAreNotLinked) {
  const auto of = [&](unsigned threads) {
    return device_->launch_graph(
        std::vector{small("many_registers", {}, 4, threads), small("many_registers", {0}, 4, threads)});
  };
  EXPECT_THAT(made_again(*of(256)), testing::Not(testing::IsEmpty()));
  EXPECT_THAT(made_again(*of(512)), testing::IsEmpty());
}

TEST_F(FakeGraph, FaultsOfKernelsAreLeftToWhoWaitsForThese) {
  const auto graph = device_->launch_graph(std::vector{small("faults_meanwhile", {}), small("faults_meanwhile", {0})});
  EXPECT_THAT(made_again(*graph), testing::IsEmpty());
  EXPECT_NO_THROW(graph->launch(*queue_)) << "the device is lost, and nobody was told which kernel did it";
}

TEST_F(FakeGraph, WithoutThreadsNothingIsLinked) {
  const auto graph = device_->launch_graph(std::vector{small("adds", {}), small("adds", {0})});
  constexpr std::size_t too_much = std::size_t{1} << 46;  // of stack: no thread can be had
  pthread_attr_t usual, none;
  ASSERT_EQ(pthread_getattr_default_np(&usual), 0);
  ASSERT_EQ(pthread_getattr_default_np(&none), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&none, too_much), 0);
  ASSERT_EQ(pthread_setattr_default_np(&none), 0);
  EXPECT_NO_THROW(made_again(*graph));
  ASSERT_EQ(pthread_setattr_default_np(&usual), 0);
  EXPECT_NO_THROW(graph->launch(*queue_));
}

TEST_F(FakeGraph, LaunchesThatAreHeldBackKeepWhatTheyWereGiven) {
  const auto graph = device_->launch_graph(std::vector{small("counts", {})});
  const auto number = [](unsigned value) { return std::vector<std::byte>(8, std::byte(value)); };
  log();
  tests::FlagEvent of_another_device;
  const auto point = of_another_device.record();
  queue_->wait(of_another_device);
  for (unsigned i = 0; i < 3; ++i) {
    graph->set_arguments(0, number(i + 1));
    graph->launch(*queue_);
  }
  point->reached = true;
  queue_->synchronize();
  graph->launch(*queue_);
  graph->set_arguments(0, number(4));
  graph->launch(*queue_);
  std::vector<std::string> lines = log();
  for (std::string& line : lines) line = line.substr(0, line.rfind(' '));
  EXPECT_THAT(lines, ElementsAre("change", "launch graph", "change", "launch graph", "change", "launch graph",
                                 "launch graph", "change", "launch graph"));
}

TEST_F(FakeGraph, LaunchesBesideOthersAreNotLinked) {
  // 0 -> 1 -> 2, 3 -> 4 -> 5
  const auto graph = device_->launch_graph(std::vector{small("adds", {}), small("adds", {0}), small("adds", {1}),
                                                       small("adds", {1}), small("adds", {2, 3}), small("adds", {4})});
  const std::vector<std::string> lines = made_again(*graph);
  ASSERT_GE(lines.size(), 8u);
  EXPECT_THAT(
      std::vector(lines.begin(), lines.begin() + 8),
      ElementsAre("node adds behind 0", "node adds behind 0", "edge from port 1, of type 1", "node adds behind 1",
                  "node adds behind 1", "node adds behind 2", "node adds behind 0", "edge from port 1, of type 1"));
}

}  // namespace
}  // namespace heddle::device::cuda
