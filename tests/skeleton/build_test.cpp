// What building a tree and calling run() refuse, and how devices become parts.
#include "skeleton/fixture.hpp"

namespace heddle::tests {
namespace {

using namespace skeleton;
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
}

TEST_F(BuildTest, WrongArgumentsOfARunAreNamed) {
  Executor executor(runtime, options(std::nullopt));
  auto x = runtime.array<float>(1024), y = runtime.array<float>(512);
  EXPECT_THAT(message([&] { saxpy().run(executor, x); }), HasSubstr("needs argument 1, but run() got 1"));
  EXPECT_THAT(message([&] { saxpy().run(executor, x, y); }), HasSubstr("cannot be cut at the same places"));
  EXPECT_THAT(message([&] { saxpy().run(executor, x, 3.0f); }), HasSubstr("argument 1 is a number"));
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
