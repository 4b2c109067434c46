// Trees on a CPU and a simulated GPU.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "skeleton/fixture.hpp"

namespace heddle::tests {
namespace {

using namespace skeleton;
using testing::Each;
using testing::ElementsAre;

class RunTest : public TreeTest {};

TEST_F(RunTest, AMapRunsItsHalvesOnBothDevices) {
  std::vector<float> values(4096);
  std::iota(values.begin(), values.end(), 0.0f);
  auto x = runtime.array(values), y = runtime.array(values);
  Executor executor(runtime, options());
  const Report report = saxpy().run(executor, x, y).get();
  for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(y[i], 3.0f * static_cast<float>(i));
  ASSERT_EQ(report.parts.size(), 2u);
  EXPECT_EQ(report.parts[0].count, 2048u);
  EXPECT_EQ(report.parts[1].first, 2048u);
  EXPECT_NE(report.parts[0].device, report.parts[1].device);
  EXPECT_GT(report.parts[0].seconds, 0);
}

TEST_F(RunTest, SizeAndOffsetAreEachPartsOwn) {
  auto to = runtime.array<int>(10'000);
  Executor executor(runtime, options(0.3));
  const Tree tree =
      skeleton::kernel(kernel("number"), {.block = 64, .per_thread = 2}, skeleton::size, offset, arg<int>(0));
  const Report report = tree.run(executor, to).get();
  EXPECT_EQ(report.parts.size(), 2u);
  const auto values = to.read();
  for (int i = 0; i < 10'000; ++i) ASSERT_EQ(values[static_cast<std::size_t>(i)], i);
}

// H1: the same image whatever the split, blocks of 192 and 256 threads, two elements for each thread.
TEST_F(RunTest, APipelineOverLinesIsThatOfOneDevice) {
  constexpr int width = 144, height = 90;
  const auto result = [&](double share) {
    auto image = runtime.array<int>(width * height), out = runtime.array<int>(width * height);
    Executor executor(runtime, options(share));
    const KernelOptions two{.block = 192, .cpu_block = 256, .per_thread = 2};
    const KernelOptions one{.block = 192, .cpu_block = 256};
    const auto line = arg(0).unit(width), line_out = arg(1).unit(width);
    const Tree tree = pipeline(skeleton::kernel(kernel("number"), two, skeleton::size, offset, line),
                               skeleton::kernel(kernel("mirror"), one, units, width, line, line_out));
    const Report report = tree.run(executor, image, out).get();
    EXPECT_THAT(report.kernels, ElementsAre("number", "mirror"));
    const auto values = out.read();
    return std::vector<int>(values.begin(), values.end());
  };
  const std::vector<int> alone = result(0);
  EXPECT_EQ(alone[0], width - 1);
  EXPECT_EQ(result(1), alone);
  EXPECT_EQ(result(0.7), alone);
}

TEST_F(RunTest, PartialResultsAreMergedByEachOperation) {
  std::vector<int> values(6000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int>(i * i);
  std::vector<unsigned> expected(16, 5);
  for (const int value : values) ++expected[static_cast<unsigned>(value) & 15];
  auto x = runtime.array(values);
  for (const double share : {0.0, 0.4, 1.0}) {
    auto bins = runtime.array(std::vector<unsigned>(16, 5));
    Executor executor(runtime, options(share));
    const Tree tree = map(skeleton::kernel(kernel("histogram"), {}, total, arg(0), arg(1).merge(Merge::add)));
    tree.run(executor, x, bins).get();
    const auto merged = bins.read();
    EXPECT_EQ(std::vector<unsigned>(merged.begin(), merged.end()), expected) << share;
  }
  const auto fours = [&](Slot slot, float start) {
    auto twos = runtime.array(std::vector<float>(2048, 1)), result = runtime.array(std::vector<float>{start});
    Executor executor(runtime, options(0.5));
    map(skeleton::kernel(kernel("product"), {}, skeleton::size, arg(0).unit(1024), slot))
        .run(executor, twos, result)
        .get();
    return result[0];
  };
  EXPECT_EQ(fours(arg(1).merge(Merge::multiply), 3), 3);
  EXPECT_EQ(fours(arg(1).merge(Merge::divide), 8), 8);
  EXPECT_EQ(fours(arg(1).merge(Merge::subtract), 5), 5);
  EXPECT_EQ(fours(arg(1).merge<float>(4, [](float a, float b) { return std::max(a, b); }), 1), 4);
}

TEST_F(RunTest, AReductionOnTheHostAndOneOnTheDevices) {
  std::vector<float> values(4096, 0.5f);
  auto x = runtime.array(values), y = runtime.array<float>(4096);
  Executor executor(runtime, options());
  const auto scaled = skeleton::kernel(kernel("scale"), {}, total, 4.0f, arg(0), arg(1));
  const auto sum = map_reduce<float>(
      scaled, [](std::span<const float> all) { return std::accumulate(all.begin(), all.end(), 0.0f); }, {1});
  std::future<float> result = sum.run(executor, x, y);
  EXPECT_EQ(result.get(), 8192);
  EXPECT_THROW(map_reduce(scaled, skeleton::kernel(kernel("histogram"), {}, total, arg(0), arg(1))), Error);
}

// A unit that is stated of one array holds for the others that have none.
TEST_F(RunTest, ArraysWithoutAUnitAreCutWhereTheOthersAre) {
  constexpr int width = 128, lines = 64;
  auto image = runtime.array<int>(width * lines), out = runtime.array<int>(width * lines);
  Executor executor(runtime, options(0.4));
  const Tree tree =
      pipeline(skeleton::kernel(kernel("number"), {.block = 64, .per_thread = 2}, skeleton::size, offset, arg(0)),
               skeleton::kernel(kernel("mirror"), {.block = 64}, units, width, arg(0), arg(1).unit(width)));
  const Report report = tree.run(executor, image, out).get();
  ASSERT_EQ(report.parts.size(), 2u);
  EXPECT_EQ(report.parts[0].count + report.parts[1].count, static_cast<std::uint64_t>(lines));
  for (int line : {0, 25, 26, 63}) EXPECT_EQ(out[static_cast<std::size_t>(line * width)], line * width + width - 1);
}

// `pipeline(k1, loop(pipeline(k2, k3)), map_reduce)`: kernels run depth first.
TEST_F(RunTest, TreesNestAndRunDepthFirst) {
  std::vector<int> zeros(4096);
  auto a = runtime.array<float>(4096), b = runtime.array<float>(4096);
  for (float& value : a.write()) value = 1;
  auto ints = runtime.array(zeros);
  auto bins = runtime.array<unsigned>(16);
  Executor executor(runtime, options());
  const auto twice = [&](unsigned from, unsigned to) {
    return skeleton::kernel(kernel("scale"), {}, total, 2.0f, arg(from), arg(to));
  };
  const Tree tree =
      pipeline(twice(0, 1), loop(pipeline(twice(1, 0), twice(0, 1)), {.iterations = 3}),
               map_reduce(map(skeleton::kernel(kernel("saxpy"), {}, total, 1.0f, arg(0), arg(1))),
                          skeleton::kernel(kernel("histogram"), {}, total, arg(2), arg(3).merge(Merge::add))));
  const Report report = tree.run(executor, a, b, ints, bins).get();
  EXPECT_THAT(report.kernels,
              ElementsAre("scale", "scale", "scale", "scale", "scale", "scale", "scale", "saxpy", "histogram"));
  EXPECT_EQ(b[0], 128 + 64);
  EXPECT_EQ(b[4095], 128 + 64);
  EXPECT_EQ(bins[0], 4096u);
}

TEST_F(RunTest, RunsAreServedInTheirOrderAndCallersDoNotWait) {
  constexpr std::size_t n = 1 << 16;
  auto x = runtime.array(std::vector<float>(n, 1)), y = runtime.array<float>(n);
  Executor executor(runtime, options());
  std::vector<std::future<Report>> futures;
  for (int i = 0; i < 5; ++i) futures.push_back(saxpy().run(executor, x, y));
  // The first run takes far longer than five calls of run().
  EXPECT_NE(futures.back().wait_for(std::chrono::seconds(0)), std::future_status::ready);
  double waited = -1;
  for (std::size_t i = 0; i < futures.size(); ++i) {
    const Report report = futures[i].get();
    for (std::size_t k = 0; k < i; ++k) EXPECT_FALSE(futures[k].valid());
    EXPECT_GT(report.waited_seconds, waited);  // the later was asked for at nearly the same time
    waited = report.waited_seconds;
  }
  EXPECT_EQ(y[0], 10);
}

TEST_F(RunTest, AnErrorOfAPartIsThrownByTheFuture) {
  auto values = runtime.array<int>(4096);
  auto y = runtime.array<float>(4096);
  Executor executor(runtime, options());
  try {
    map(skeleton::kernel(kernel("scatter"), {}, arg(0), arg(1))).run(executor, values, y);
    FAIL() << "scatter writes anywhere";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("argument 1 cannot be cut"));
  }
}

TEST_F(RunTest, AFixedSplitThatTheSizesForbidIsRefused) {
  auto x = runtime.array<float>(200), y = runtime.array<float>(200);
  Executor executor(runtime, options(0.5));
  std::future<Report> run = saxpy().run(executor, x, y);
  try {
    run.get();
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("too few for 2 parts"));
  }
}

// What simulated GPUs have computed comes back once, at the end: nothing moves between the kernels of a pipeline. Their
// own copies are in no trace, so that uploads are not counted here.
TEST(RunTransfers, APipelineBringsEachPartBackOnce) {
  base::TemporaryFolder folder;
  folder.create("transfers");
  const std::filesystem::path file = folder.path() / "trace.json";
  Runtime runtime({.devices = "cpu,sim:fermi-gtx480", .trace = file.string()});
  const Module module = runtime.compile(tree_kernels, "trees.cu");
  constexpr std::size_t n = 8192;
  auto a = runtime.array(std::vector<float>(n, 1));
  {
    Executor executor(
        runtime,
        {.knowledge = "none", .gpu_share = 0.5, .overlap = 2, .speeds = {{"cpu", 1}, {runtime.devices()[1].id, 1}}});
    const auto step = [&](float factor) {
      return skeleton::kernel(module.kernel("scale"), {}, total, factor, arg(0), arg(0));
    };
    const Report report = pipeline(step(2), step(3), step(4)).run(executor, a).get();
    EXPECT_EQ(report.parts.size(), 3u);
  }
  EXPECT_EQ(a[0], 24);
  EXPECT_EQ(a[n - 1], 24);
  runtime.synchronize();
  runtime.write_trace();
  const nlohmann::json trace = nlohmann::json::parse(std::ifstream(file));
  std::uint64_t copies = 0, bytes = 0;
  const nlohmann::json& events = trace.is_array() ? trace : trace["traceEvents"];
  for (const nlohmann::json& event : events) {
    if (!event.contains("args") || !event["args"].contains("bytes")) continue;
    if (event.value("ph", "") != "X") continue;
    ++copies;
    bytes += event["args"]["bytes"].get<std::uint64_t>();
  }
  EXPECT_GE(copies, 1u);  // parts that are ready at the same time come together
  EXPECT_LE(copies, 2u);
  EXPECT_EQ(bytes, n / 2 * sizeof(float));
}

}  // namespace
}  // namespace heddle::tests
