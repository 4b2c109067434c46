#include <atomic>
#include <cmath>
#include <mutex>
#include <set>

#include "skeleton/fixture.hpp"

namespace heddle::tests {
namespace {

using namespace skeleton;
using testing::HasSubstr;

class LoopTest : public TreeTest {
 protected:
  // All parts read all of argument 0 and write their part of 1, then these change places.
  Tree means(std::size_t iterations) const {
    return loop(skeleton::kernel(kernel("mean"), {.block = 64}, skeleton::size, total, arg(0).copy(), arg(1)),
                {.iterations = iterations, .swap = {{0, 1}}, .global_sync = true});
  }
};

TEST_F(LoopTest, SynchronisedIterationsSeeAllParts) {
  std::vector<float> values(256);
  std::iota(values.begin(), values.end(), 0.0f);
  for (const double share : {0.0, 0.5, 1.0}) {
    auto a = runtime.array(values), b = runtime.array<float>(256);
    Executor executor(runtime, options(share));
    const Report report = means(3).run(executor, a, b).get();
    EXPECT_EQ(report.barriers, 3u);
    for (const float value : b.read()) ASSERT_EQ(value, 127.5f + 3) << share;
  }
}

TEST_F(LoopTest, OneTwoAndThreeDevicesGiveTheSame) {
  std::vector<float> values(768);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 7);
  std::vector<float> expected;
  for (const char* devices : {"cpu", "cpu,sim:fermi-gtx480", "cpu,interp,sim:fermi-gtx480"}) {
    Runtime own({.devices = devices});
    const Module compiled = own.compile(tree_kernels, "trees.cu");
    ExecutorOptions options{.knowledge = "none"};
    for (const DeviceInfo& device : own.devices()) options.speeds.emplace_back(device.id, 1);
    auto a = own.array(values), b = own.array<float>(768);
    Executor executor(own, options);
    const Tree tree =
        loop(skeleton::kernel(compiled.kernel("mean"), {.block = 64}, skeleton::size, total, arg(0).copy(), arg(1)),
             {.iterations = 2, .swap = {{0, 1}}, .global_sync = true});
    const Report report = tree.run(executor, a, b).get();
    EXPECT_EQ(report.parts.size(), own.devices().size());
    const auto result = a.read();
    if (expected.empty()) expected.assign(result.begin(), result.end());
    EXPECT_EQ(std::vector<float>(result.begin(), result.end()), expected) << devices;
  }
}

TEST_F(LoopTest, IndependentPartsUpdateTheirOwnState) {
  auto a = runtime.array(std::vector<float>(4096, 1));
  Executor executor(runtime, options());
  std::atomic<int> updates{0};
  const Tree tree = loop(skeleton::kernel(kernel("scale"), {}, total, arg(1), arg(0), arg(0)),
                         {.condition =
                              [](LoopView& view) {
                                const auto part = view.read<float>(0);
                                return part[part.size() - 1] < 100;
                              },
                          .update =
                              [&](LoopView& view) {
                                ++updates;
                                view.set(1, 3.0f);  // from the second iteration on
                              }});
  const Report report = tree.run(executor, a, 2.0f).get();
  EXPECT_EQ(report.barriers, 0u);
  EXPECT_EQ(report.parts.size(), 2u);
  EXPECT_EQ(a[0], 162);  // 2, 6, 18, 54, 162
  EXPECT_EQ(a[4095], 162);
  EXPECT_EQ(updates, 10);
}

TEST_F(LoopTest, AWhileLoopWithGlobalStateRunsItsFunctionsOnceForAll) {
  auto a = runtime.array(std::vector<float>(4096, 1));
  Executor executor(runtime, options());
  int conditions = 0;
  const Tree tree = loop(skeleton::kernel(kernel("scale"), {}, total, arg(1), arg(0), arg(0)),
                         {.condition =
                              [&](LoopView& view) {
                                ++conditions;
                                return view.read<float>(0).size() == 4096 && view.read<float>(0)[4095] < 10;
                              },
                          .update = [](LoopView& view) { view.set(1, static_cast<float>(view.iteration() + 2)); },
                          .global_sync = true});
  const Report report = tree.run(executor, a, 2.0f).get();
  EXPECT_EQ(conditions, 4);
  EXPECT_EQ(report.barriers, 7u);
  EXPECT_EQ(a[0], 24);  // 2, 6, 24
  EXPECT_EQ(a[4095], 24);
}

TEST_F(LoopTest, AnErrorOfTheHostsFunctionStopsAllParts) {
  auto a = runtime.array(std::vector<float>(4096, 1));
  Executor executor(runtime, options());
  const Tree tree = loop(
      skeleton::kernel(kernel("scale"), {}, total, 2.0f, arg(0), arg(0)),
      {.iterations = 1000, .update = [](LoopView&) { throw std::runtime_error("no further"); }, .global_sync = true});
  std::future<Report> run = tree.run(executor, a);
  EXPECT_THROW(run.get(), std::runtime_error);
  EXPECT_NO_THROW(saxpy().run(executor, a, a));
}

TEST_F(LoopTest, ResultsOfOtherPartsNeedSynchronisation) {
  auto a = runtime.array<float>(256), b = runtime.array<float>(256);
  Executor executor(runtime, options());
  const auto mean = [&](unsigned from, unsigned to) {
    return skeleton::kernel(kernel("mean"), {}, skeleton::size, total, arg(from).copy(), arg(to));
  };
  EXPECT_THROW(pipeline(mean(0, 1), mean(1, 0)).run(executor, a, b), Error);
  EXPECT_THROW(loop(mean(0, 1), {}), Error);
}

TEST_F(LoopTest, WhatCannotChangePlacesIsNamedWithWhatItHasToBe) {
  Executor executor(runtime, options(std::nullopt));
  auto a = runtime.array<float>(256), b = runtime.array<float>(256), longer = runtime.array<float>(512),
       none = runtime.array<float>(0);
  auto doubles = runtime.array<double>(256);
  auto integers = runtime.array<int>(256);
  const auto refused = [&](unsigned with, auto&... more) {
    try {
      loop(skeleton::kernel(kernel("scale"), {}, total, 2.0f, arg(0), arg(1)), {.iterations = 2, .swap = {{0, with}}})
          .run(executor, a, b, more...)
          .get();
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_EQ(refused(2, none),
            "a loop swaps arguments 0 and 2, but argument 2 has no elements; arrays that a loop swaps have one element "
            "or more");
  float number = 3;
  EXPECT_EQ(refused(2, number), "a loop swaps arguments 0 and 2, but argument 2 is a number; it swaps arrays");
  EXPECT_EQ(refused(3),
            "a loop swaps arguments 0 and 3, but run() got 2 arguments; it swaps arrays that run() is given");
  EXPECT_EQ(
      refused(2, longer),
      "a loop swaps arguments 0 and 2, but argument 0 has 256 elements and argument 2 has 512; arrays that a loop "
      "swaps have as many elements, of the same type");
  EXPECT_THAT(refused(2, doubles), HasSubstr("argument 0 is an array of float and argument 2 of double; arrays"));
  EXPECT_THAT(refused(2, integers), HasSubstr("argument 0 is an array of float and argument 2 of 32-bit integers;"));
  EXPECT_EQ(refused(1), "no error");
}

TEST_F(LoopTest, WhatAFunctionCannotReadOrSetIsNamedWithWhatItHasToBe) {
  Executor executor(runtime, options());
  auto a = runtime.array<float>(4096);
  const auto refused = [&](const std::function<void(LoopView&)>& update) {
    try {
      loop(skeleton::kernel(kernel("scale"), {}, total, arg(1), arg(0), arg(0)), {.iterations = 1, .update = update})
          .run(executor, a, 2.0f)
          .get();
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_EQ(refused([](LoopView& view) { view.read<float>(7); }),
            "a loop's function reads argument 7, but run() got 2 arguments");
  EXPECT_EQ(refused([](LoopView& view) { view.read<float>(1); }),
            "a loop's function reads argument 1, which is a number; it reads arrays");
  EXPECT_EQ(refused([](LoopView& view) { view.read<double>(0); }),
            "a loop's function reads argument 0 as elements of 8 bytes, but the elements of that array have 4");
  EXPECT_EQ(refused([](LoopView& view) { view.set(2, 1.0f); }),
            "a loop's function sets argument 2, but run() got 2 arguments");
  EXPECT_EQ(refused([](LoopView& view) { view.set(0, 1.0f); }),
            "a loop's function sets argument 0, which is an array; it sets numbers");
  EXPECT_EQ(refused([](LoopView& view) { view.set(1, std::int64_t{1}); }),
            "a loop's function sets argument 1 to an integer of 8 bytes, but run() got a floating-point number of 4 "
            "bytes there");
}

}  // namespace
}  // namespace heddle::tests
