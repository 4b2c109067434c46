// Transfers by the runtime's counters: one upload and one download for each part of a pipeline, and nothing between
// devices.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <utility>

#include "heddle/moved.hpp"
#include "program.hpp"

namespace heddle::bench::marrow {
namespace {

using namespace skeleton;

using Counts = std::map<std::pair<std::string, std::string>, Moved>;

Counts counts(const ArrayBytes& array) {
  Counts made;
  for (const Moved& one : moved(array)) made[{one.from, one.to}] = one;
  return made;
}
// What has come since.
Counts since(const Counts& before, const ArrayBytes& array) {
  Counts made;
  for (auto [pair, one] : counts(array)) {
    if (const auto old = before.find(pair); old != before.end()) {
      one.copies -= old->second.copies;
      one.bytes -= old->second.bytes;
    }
    if (one.copies > 0) made[pair] = one;
  }
  return made;
}

// With a budget of memory the host reaches no device's memory, as with GPUs: all that moves is copied.
class Transfers : public testing::Test {
 protected:
  // An in-place kernel or one that goes to another array and one that comes back, all of which leave array 0 behind.
  Tree random_pipeline(std::mt19937& random, const KernelOptions& shape) const {
    const auto line = [](unsigned number) { return arg(number).unit(width); };
    std::vector<Tree> stages;
    for (std::uint32_t i = 0, length = 1 + random() % 6; i < length; ++i) {
      if (random() % 2 == 0) {
        stages.push_back(kernel(module.kernel("solarize"), shape, skeleton::size, 0.4f, line(0)));
        continue;
      }
      stages.push_back(pipeline(
          kernel(module.kernel("mirror"), shape, skeleton::size, width, line(0), line(1).resident()),
          kernel(module.kernel("gaussian_noise"), shape, skeleton::size, offset, 0.1f, line(1).resident(), line(0))));
    }
    return pipeline_of(std::move(stages));
  }

  static constexpr int width = 128, height = 96;
  Runtime runtime{{.devices = "cpu,sim:fermi-gtx480", .memory_budget = std::uint64_t{1} << 28}};
  Module module = runtime.load_ptx_file(std::filesystem::path(HEDDLE_MARROW_KERNELS) / "marrow.ptx");
};

TEST_F(Transfers, OneUploadAndOneDownloadForEachPartOfAnyPipeline) {
  const std::string gpu = runtime.devices()[1].id;
  std::mt19937 random(25);
  for (int trial = 0; trial < 12; ++trial) {
    auto image = runtime.array(std::vector<float>(width * height, 0.3f)), between = runtime.array<float>(image.size());
    const unsigned overlap = 1 + random() % 3;
    const double share = 0.2 + 0.6 * static_cast<double>(random() % 100) / 100;
    Executor executor(runtime,
                      {.knowledge = "none", .gpu_share = share, .overlap = overlap, .speeds = {{"cpu", 1}, {gpu, 1}}});
    const Tree tree = random_pipeline(random, {.block = 64, .per_thread = 2});
    const Counts before = counts(image);
    const bool in_place = tree.name().find("mirror") == std::string::npos;  // it has no use for the other array
    const Report report = (in_place ? tree.run(executor, image) : tree.run(executor, image, between)).get();
    const Counts made = since(before, image);
    std::map<std::string, std::uint64_t> parts, bytes;
    for (const PartReport& part : report.parts) {
      ++parts[part.device];
      bytes[part.device] += part.count * width * sizeof(float);
    }
    ASSERT_EQ(parts[gpu], overlap) << tree.name();
    ASSERT_EQ(parts["cpu"], 1u);
    ASSERT_EQ(made.size(), 4u) << tree.name() << ": between the host and each of two devices, both ways";
    for (const auto& [device, count] : parts) {
      const Moved up = made.at({"host", device}), down = made.at({device, "host"});
      EXPECT_EQ(up.copies, count) << tree.name() << ", " << device;
      EXPECT_EQ(up.bytes, bytes[device]) << tree.name() << ", " << device;
      EXPECT_EQ(down.copies, count) << tree.name() << ", " << device;
      EXPECT_EQ(down.bytes, bytes[device]) << tree.name() << ", " << device;
    }
  }
}

// The programs, but for N-body, whose parts need each other's bodies after each iteration.
TEST_F(Transfers, NothingMovesBetweenDevices) {
  auto some = runtime.array<int>(1);
  for (const auto& program : all_programs(runtime, module, inputs_named("tiny"),
                                          read_pgm(std::filesystem::path(HEDDLE_MARROW_KERNELS) / "photo.pgm"))) {
    Executor executor(
        runtime,
        {.knowledge = "none", .gpu_share = 0.5, .overlap = 2, .speeds = {{"cpu", 1}, {runtime.devices()[1].id, 1}}});
    const Counts before = counts(some);
    EXPECT_EQ(program->verify(executor), "") << program->name();
    bool between = false;
    for (const auto& [pair, one] : since(before, some)) between |= pair.first != "host" && pair.second != "host";
    EXPECT_EQ(between, program->name() == "N-Body") << program->name();
  }
}

TEST_F(Transfers, WhatStaysOnTheDevicesIsFetchedByTheHostThatReadsIt) {
  auto image = runtime.array(std::vector<float>(width * height, 0.25f)), copy = runtime.array<float>(image.size());
  Executor executor(runtime,
                    {.knowledge = "none", .gpu_share = 0.5, .speeds = {{"cpu", 1}, {runtime.devices()[1].id, 1}}});
  map(kernel(module.kernel("mirror"), {.block = 64, .per_thread = 2}, skeleton::size, width, arg(0).unit(width),
             arg(1).unit(width).resident()))
      .run(executor, image, copy)
      .get();
  EXPECT_FALSE(counts(image).contains({"cpu", "host"}));
  EXPECT_THAT(copy.read(), testing::Each(0.25f));
  EXPECT_TRUE(counts(image).contains({"cpu", "host"}));
}

}  // namespace
}  // namespace heddle::bench::marrow
