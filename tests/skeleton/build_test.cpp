// What building a tree and calling run() refuse, and how devices become parts.
#include <algorithm>
#include <cmath>
#include <functional>

#include "skeleton/fixture.hpp"

namespace heddle::tests {
namespace {

using namespace skeleton;
using testing::AllOf;
using testing::HasSubstr;

class BuildTest : public TreeTest {
 protected:
  BuildTest() : TreeTest("cpu") {}
  template <class Work>
  static std::string message(const Work& work) {
    try {
      work();
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }
};

TEST_F(BuildTest, WrongArgumentsAreRefusedWhenTheTreeIsBuilt) {
  const auto saxpy_with = [&](auto... bindings) {
    return message([&] { skeleton::kernel(kernel("saxpy"), {}, bindings...); });
  };
  EXPECT_THAT(saxpy_with(1, 2.0f, arg(0)), HasSubstr("has 4 parameters, but 3 are bound"));
  EXPECT_THAT(saxpy_with(1, 2.0f, 3, arg(0)), HasSubstr("is a pointer"));
  EXPECT_THAT(saxpy_with(arg(0).copy(), 2.0f, arg(0), arg(1)), HasSubstr("is a number"));
  EXPECT_THAT(saxpy_with(total, 2.0f, arg<double>(0), arg(1)), HasSubstr("takes"));
  EXPECT_THAT(saxpy_with(total, 2.0f, arg(0), arg(1).copy()), HasSubstr("is written"));
  EXPECT_THAT(saxpy_with(total, 2.0f, arg(0).unit(0), arg(1)), HasSubstr("has no elements"));
  EXPECT_EQ(saxpy_with(total, 2.0f, arg<float>(0), arg<float>(1)), "no error");
  const auto larger = [](auto a, auto b) { return std::max(a, b); };
  EXPECT_THAT(saxpy_with(total, 2.0f, arg(0), arg(1).merge<int>(0, larger)), HasSubstr("argument 1 is of"));
  EXPECT_EQ(saxpy_with(total, 2.0f, arg(0), arg(1).merge<float>(0, larger)), "no error");
}

TEST_F(BuildTest, LevelsHaveALimit) {
  Tree deep = saxpy();
  const std::size_t shortest = deep.name().size();
  for (int level = 0; level < 997; ++level) deep = pipeline(deep);
  EXPECT_EQ(deep.name().size(), shortest + 997 * std::string("pipeline()").size());
  Executor executor(runtime, options(std::nullopt));
  auto x = runtime.array<float>(64), y = runtime.array<float>(64);
  deep.run(executor, x, y).get();
  while (message([&] { deep = map(deep); }) == "no error") {
  }
  EXPECT_THAT(message([&] { deep = map(deep); }), HasSubstr("would have 1001 levels; there can be 1000"));
}

TEST_F(BuildTest, WrongArgumentsOfARunAreNamed) {
  Executor executor(runtime, options(std::nullopt));
  auto x = runtime.array<float>(1024), y = runtime.array<float>(512);
  EXPECT_THAT(message([&] { saxpy().run(executor, x); }), HasSubstr("needs argument 1, but run() got 1"));
  EXPECT_THAT(message([&] { saxpy().run(executor, x, y); }), HasSubstr("cannot be cut at the same places"));
  EXPECT_THAT(message([&] { saxpy().run(executor, x, 3.0f); }), HasSubstr("argument 1 is a number"));
  auto none = runtime.array<float>(0);
  EXPECT_EQ(message([&] { saxpy().run(executor, none, none); }),
            "argument 0 has no elements, so that there is no work; an array that is cut has one element or more");
  // Where nothing says what the bytes mean, their number does.
  const auto merged = arg(1).merge_bytes(std::vector<std::byte>(2), [](auto, auto) {});
  EXPECT_THAT(message([&] {
                map(skeleton::kernel(kernel("saxpy"), {}, total, 2.0f, arg(0), merged)).run(executor, x, x).get();
              }),
              HasSubstr("has 2"));
  EXPECT_THAT(message([&] {
                const KernelOptions most{.shared_per_thread = 1u << 24};
                map(skeleton::kernel(kernel("saxpy"), most, total, 2.0f, arg(0), arg(1))).run(executor, x, x).get();
              }),
              HasSubstr("shared memory"));
}

TEST_F(BuildTest, ArgumentsThatTheTreeDoesNotUseAreRefused) {
  Executor executor(runtime, options(std::nullopt));
  auto x = runtime.array<float>(64), y = runtime.array<float>(64);
  EXPECT_EQ(message([&] { saxpy().run(executor, x, y, 3); }), "the tree uses 2 arguments, but run() got 3");
  EXPECT_EQ(message([&] { executor.tune(saxpy(), {value_of(x), value_of(y), value_of(x)}); }),
            "the tree uses 2 arguments, but run() got 3");
  EXPECT_EQ(message([&] { loop(saxpy(), {.iterations = 2, .swap = {{0, 2}}}).run(executor, x, y, y).get(); }),
            "no error");
  // Functions of the host may see it.
  const LoopState seen{.iterations = 2, .update = [](LoopView& view) { view.set(2, 4); }};
  EXPECT_EQ(message([&] { loop(saxpy(), seen).run(executor, x, y, 3).get(); }), "no error");
}

TEST_F(BuildTest, OptionsOutOfRangeAreRefused) {
  const auto made = [&](const ExecutorOptions& given) { return message([&] { Executor(runtime, given); }); };
  EXPECT_EQ(made({.knowledge = "none", .gpu_share = -0.5}), "ExecutorOptions::gpu_share is -0.5; it is 0 to 1");
  EXPECT_EQ(made({.knowledge = "none", .gpu_share = 1.5}), "ExecutorOptions::gpu_share is 1.5; it is 0 to 1");
  EXPECT_EQ(made({.knowledge = "none", .overlap = 0}), "ExecutorOptions::overlap is 0; a GPU has 1 to 4 parts");
  EXPECT_EQ(made({.knowledge = "none", .overlap = 5}), "ExecutorOptions::overlap is 5; a GPU has 1 to 4 parts");
  EXPECT_EQ(made({.knowledge = "none", .gpu_share = 1, .overlap = 4}), "no error");
}

TEST_F(BuildTest, BalanceAndDomainsOutOfRangeAreRefused) {
  const auto made = [&](ExecutorOptions given) {
    given.knowledge = "none";
    return message([&] { Executor(runtime, given); });
  };
  EXPECT_THAT(made({.max_deviation = std::nan("")}),
              AllOf(HasSubstr("ExecutorOptions::max_deviation is "), HasSubstr("nan; it is 0 to 1")));
  EXPECT_EQ(made({.max_deviation = 1.5}), "ExecutorOptions::max_deviation is 1.5; it is 0 to 1");
  EXPECT_EQ(made({.max_deviation = -1}), "ExecutorOptions::max_deviation is -1; it is 0 to 1");
  EXPECT_EQ(made({.max_deviation = 0}), "no error");
  EXPECT_EQ(made({.max_deviation = 1}), "no error");
  // Without fission, too.
  EXPECT_EQ(made({.domains = {{}}}), "domain 0 of ExecutorOptions::domains is empty; a domain has one worker or more");
  EXPECT_EQ(made({.domains = {{0}, {}}}),
            "domain 1 of ExecutorOptions::domains is empty; a domain has one worker or more");
  for (const auto& [wrong, shown] : {std::pair(std::vector{0U, 0U}, "0, 0"), std::pair(std::vector{1U, 0U}, "1, 0")})
    EXPECT_EQ(made({.domains = {wrong}}), "domain 0 of ExecutorOptions::domains is " + std::string(shown) +
                                              "; it names each of its workers once, in ascending order");
  const unsigned workers = runtime.devices().at(0).processors;
  EXPECT_THAT(made({.domains = {{0}, {workers}}}),
              HasSubstr("domain 1 of ExecutorOptions::domains has worker " + std::to_string(workers) +
                        ", but the CPU device has " + std::to_string(workers) + " worker"));
  EXPECT_EQ(made({.domains = {{0}, {workers - 1}}}), "no error");
}

TEST_F(BuildTest, SizesOfBlocksAreOneOrMore) {
  EXPECT_EQ(message([&] { skeleton::kernel(kernel("saxpy"), {.blocks = {64, 0}}, total, 2.0f, arg(0), arg(1)); }),
            "kernel saxpy: a block has at least one thread, and a thread computes at least one element");
}

TEST_F(BuildTest, MergesThatThereAreNotAreRefused) {
  const auto unknown = static_cast<Merge>(99);  // NOLINT: that is the point
  EXPECT_EQ(message([&] { arg(1).merge(unknown); }),
            "operation 99 merges the results in argument 1, which is unknown; there are add, subtract, "
            "multiply and divide");
  EXPECT_EQ(message([&] { arg(1).merge(Merge::function); }),
            "the results in argument 1 are merged by a function, which is empty; merge(neutral, function) takes one");
  const char* const empty = "the function that merges the results in argument 1 is empty";
  EXPECT_EQ(message([&] { arg(1).merge_bytes(std::vector<std::byte>(4), {}); }), empty);
  EXPECT_EQ(message([&] { arg(1).merge<float>(0, {}); }), empty);
  EXPECT_EQ(message([&] { arg(1).merge(Merge::none); }), "no error");
}

// As they are in the source.
TEST_F(BuildTest, MessagesHaveReadableNames) {
  const Module named =
      runtime.compile("__global__ void fill(int n, float* y) { if (threadIdx.x < n) y[0] = 1; }", "a.cu");
  const Kernel fill = named.kernel("fill");
  Executor executor(runtime, options(std::nullopt));
  auto x = runtime.array<float>(64);
  auto doubles = runtime.array<double>(64);
  const Tree tree = skeleton::kernel(fill, {}, total, arg(0));
  const KernelOptions large{.block = 1025};
  const std::string here = "kernel fill(int, float*)";
  for (const std::string& refused : {
           message([&] { skeleton::kernel(fill, {}, total); }),
           message([&] { skeleton::kernel(fill, {.block = 0}, total, arg(0)); }),
           message([&] { skeleton::kernel(fill, {}, total, 3); }),
           message([&] { skeleton::kernel(fill, {}, total, 3.0f).run(executor); }),
           message([&] { tree.run(executor); }),
           message([&] { tree.run(executor, 3); }),
           message([&] { tree.run(executor, doubles); }),
           message([&] { tree.run(executor, x); }),
           message([&] { skeleton::kernel(fill, large, total, arg(0).unit(1)).run(executor, x); }),
       })
    EXPECT_THAT(refused, HasSubstr(here));
}

class ReductionTest : public BuildTest {
 protected:
  template <typename T>
  static double sum(std::span<const T> values) {
    return std::accumulate(values.begin(), values.end(), 0.0);
  }
  // saxpy's n is argument 2.
  Tree of_three() const { return skeleton::kernel(kernel("saxpy"), {}, arg(2), 2.0f, arg(0), arg(1)); }
  template <typename T>
  std::string refused(const Tree& tree, const std::vector<unsigned>& slots) {
    return message([&] { map_reduce<T>(tree, &sum<T>, slots); });
  }
};

TEST_F(ReductionTest, SlotsAreOnePerArrayOfTheFunctionAndArraysOfTheTree) {
  for (const auto& [slots, given] :
       {std::pair(std::vector<unsigned>{}, "0 slots"), std::pair(std::vector{0U, 1U}, "2 slots")})
    EXPECT_EQ(refused<float>(saxpy(), slots), "the function of map_reduce takes 1 array, but is given " +
                                                  std::string(given) + "; name an argument of run() for each array");
  EXPECT_EQ(refused<float>(saxpy(), {9}), "the function of map_reduce takes argument 9, but the tree uses 2 arguments");
  EXPECT_EQ(
      refused<float>(of_three(), {2}),
      "the function of map_reduce takes argument 2, which is a number, parameter n of kernel saxpy; it takes arrays");
  EXPECT_EQ(refused<double>(saxpy(), {1}),
            "the function of map_reduce takes argument 1 as double, but parameter y of kernel saxpy takes float");
  EXPECT_EQ(message([&] { map_reduce<float>(saxpy(), std::function<double(std::span<const float>)>(), {1}); }),
            "the function of map_reduce is empty");
  EXPECT_EQ(refused<float>(of_three(), {1}), "no error");
}

// What only the arguments of a run show.
TEST_F(ReductionTest, ArgumentsOfARunAreThoseThatTheFunctionTakes) {
  Executor executor(runtime, options(std::nullopt));
  auto x = runtime.array<float>(64), y = runtime.array<float>(64);
  auto doubles = runtime.array<double>(64);
  std::ranges::fill(x.write(), 1.0f);
  const Tree tree = loop(saxpy(), {.iterations = 1, .update = [](LoopView&) {}});
  EXPECT_EQ(message([&] { map_reduce<float>(tree, &sum<float>, {3}).run(executor, x, y); }),
            "the function of map_reduce takes argument 3, but run() got 2 arguments");
  EXPECT_EQ(message([&] { map_reduce<float>(tree, &sum<float>, {2}).run(executor, x, y, 1); }),
            "the function of map_reduce takes argument 2, which is a number; it takes arrays");
  EXPECT_EQ(message([&] { map_reduce<float>(tree, &sum<float>, {2}).run(executor, x, y, doubles); }),
            "the function of map_reduce takes argument 2 as float, but it is an array of double");
  EXPECT_EQ(message([&] { map_reduce<char>(saxpy(), &sum<char>, {1}).run(executor, x, y); }),
            "the function of map_reduce takes argument 1 as elements of 1 byte, but the elements of that array have 4");
  std::ranges::fill(y.write(), 0.0f);
  EXPECT_EQ(map_reduce<float>(tree, &sum<float>, {1}).run(executor, x, y).get(), 128);
}

TEST_F(BuildTest, BlocksLargerThanEveryDeviceHasAreRefused) {
  Executor executor(runtime, options(std::nullopt));
  auto x = runtime.array<float>(64), y = runtime.array<float>(64);
  for (const KernelOptions& options :
       {KernelOptions{.block = 1025}, KernelOptions{.cpu_block = 1025}, KernelOptions{.blocks = {128, 1025}}})
    EXPECT_EQ(message([&] {
                map(skeleton::kernel(kernel("saxpy"), options, total, 2.0f, arg(0), arg(1))).run(executor, x, y).get();
              }),
              "kernel saxpy has blocks of 1025 threads; no device here has more than 1024");
}

// Not as an array that "cannot be cut", or as a fault of a part.
TEST_F(BuildTest, AnArrayOfAnotherTypeIsRefusedByItsType) {
  Executor executor(runtime, options(std::nullopt));
  auto floats = runtime.array<float>(1024);
  auto doubles = runtime.array<double>(1024);
  auto integers = runtime.array<int>(1024);
  const auto refused = [&](const Slot& x, const Slot& y, auto& first, auto& second) {
    return message(
        [&] { map(skeleton::kernel(kernel("saxpy"), {}, total, 2.0f, x, y)).run(executor, first, second).get(); });
  };
  const auto sentence = [](const std::string& parameter, int argument, const std::string& type) {
    return "parameter " + parameter + " of kernel saxpy takes float, but argument " + std::to_string(argument) +
           " is an array of " + type + "; pass an array of the type that the kernel takes";
  };
  EXPECT_EQ(refused(arg(0), arg(1), floats, doubles), sentence("y", 1, "double"));
  EXPECT_EQ(refused(arg(0), arg(1), doubles, doubles), sentence("x", 0, "double"));
  EXPECT_EQ(refused(arg(0), arg(1), integers, floats), sentence("x", 0, "32-bit integers"));
  EXPECT_EQ(refused(arg(0).copy(), arg(1), doubles, floats), sentence("x", 0, "double"));
  EXPECT_EQ(refused(arg(0).unit(4), arg(1).unit(4), floats, doubles), sentence("y", 1, "double"));
  EXPECT_EQ(refused(arg(0), arg(1).merge(Merge::add), floats, doubles), sentence("y", 1, "double"));
  EXPECT_EQ(refused(arg(0), arg(1), floats, floats), "no error");
}

// Sub-devices of CPUs plus the overlap of each GPU: rows of the paper's Table 2.
TEST(Parallelism, IsSubDevicesPlusOverlapOfEachGpu) {
  const auto parts = [](const char* devices, const std::string& fission, unsigned overlap,
                        std::vector<std::vector<unsigned>> domains) {
    Runtime runtime({.devices = devices, .workers = 6});
    const Module module = runtime.compile(tree_kernels, "trees.cu");
    ExecutorOptions options{
        .knowledge = "none", .gpu_share = 0.5, .fission = fission, .overlap = overlap, .domains = std::move(domains)};
    for (const DeviceInfo& device : runtime.devices()) options.speeds.emplace_back(device.id, 1);
    auto x = runtime.array<float>(8192), y = runtime.array<float>(8192);
    Executor executor(runtime, options);
    return map(skeleton::kernel(module.kernel("saxpy"), {.block = 32}, total, 2.0f, arg(0), arg(1)))
        .run(executor, x, y)
        .get()
        .parts.size();
  };
  const std::vector<std::vector<unsigned>> six{{0}, {1}, {2}, {3}, {4}, {5}}, one{{0, 1, 2, 3, 4, 5}};
  const char* const one_gpu = "cpu,sim:fermi-gtx480";
  EXPECT_EQ(parts(one_gpu, "L1", 4, six), 10u);
  EXPECT_EQ(parts(one_gpu, "L3", 4, one), 5u);
  EXPECT_EQ(parts(one_gpu, "L3", 3, one), 4u);
  EXPECT_EQ(parts(one_gpu, "L1", 1, six), 7u);
}

TEST(Parallelism, GpusOfOneToThreeGetAQuarterAndThreeQuarters) {
  Runtime runtime({.devices = "sim:fermi-gtx480,sim:kepler-gtx680"});
  const Module module = runtime.compile(tree_kernels, "trees.cu");
  auto x = runtime.array<float>(8192), y = runtime.array<float>(8192);
  const auto devices = runtime.devices();
  Executor executor(runtime, {.knowledge = "none", .speeds = {{devices[0].id, 1}, {devices[1].id, 3}}});
  const Report report =
      map(skeleton::kernel(module.kernel("saxpy"), {}, total, 2.0f, arg(0), arg(1))).run(executor, x, y).get();
  ASSERT_EQ(report.parts.size(), 2u);
  EXPECT_EQ(report.parts[0].count, 2048u);
  EXPECT_EQ(report.parts[1].count, 6144u);
}

}  // namespace
}  // namespace heddle::tests
