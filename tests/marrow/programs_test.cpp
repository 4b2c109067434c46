// The results of Marrow's benchmarks are those of serial programs, however their work is split.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "program.hpp"

namespace heddle::bench::marrow {
namespace {

using skeleton::Executor;
using skeleton::ExecutorOptions;

const std::filesystem::path kernels = HEDDLE_MARROW_KERNELS;

class Programs : public testing::TestWithParam<const char*> {
 protected:
  ExecutorOptions options(std::optional<double> share, unsigned overlap = 1) const {
    ExecutorOptions made{.knowledge = "none", .gpu_share = share, .overlap = overlap};
    for (const DeviceInfo& device : runtime.devices()) made.speeds.emplace_back(device.id, 1);
    return made;
  }
  void verify(const ExecutorOptions& with, const std::string& what) {
    for (const auto& program : all_programs(runtime, module, inputs_named("tiny"), read_pgm(kernels / "photo.pgm"))) {
      Executor executor(runtime, with);
      EXPECT_EQ(program->verify(executor), "") << program->name() << ", " << what;
    }
  }
  bool has(bool gpu) const {
    for (const DeviceInfo& device : runtime.devices())
      if ((device.capability != 0 || device.simulated) == gpu) return true;
    return false;
  }

  Runtime runtime{{.devices = GetParam(), .workers = 4}};
  Module module = runtime.load_ptx_file(kernels / "marrow.ptx");
};

TEST_P(Programs, WithAGivenSplit) {
  if (has(false)) verify(options(0), "CPUs");
  if (has(true)) verify(options(1), "GPUs");
  if (has(true) && has(false)) verify(options(0.37), "both");
}

TEST_P(Programs, WithSeveralPartsOnEachDevice) {
  ExecutorOptions with = options({}, 2);
  with.domains = {{0, 1}, {2}, {3}};
  with.fission = "L2";
  verify(with, "three domains, overlap 2");
}

INSTANTIATE_TEST_SUITE_P(Devices, Programs, testing::Values("cpu", "cpu,interp", "cpu,sim:fermi-gtx480"),
                         [](const auto& devices) {
                           std::string name = devices.param;
                           for (char& c : name)
                             if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
                           return name;
                         });

TEST(Inputs, NamesThatAreNotThereAreRefusedWithThoseThatAre) {
  try {
    inputs_named("huge");
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("tiny, small, middle, large, host"));
  }
}

TEST(Photos, ALargerPhotographKeepsItsCornersAndMean) {
  const Photo photo = read_pgm(kernels / "photo.pgm");
  ASSERT_EQ(photo.grey.size(), static_cast<std::size_t>(photo.width) * static_cast<std::size_t>(photo.height));
  const Photo large = resized(photo, photo.width * 3, photo.height * 2);
  EXPECT_EQ(large.grey[0], photo.grey[0]);
  const auto mean = [](const Photo& of) {
    double sum = 0;
    for (const float value : of.grey) sum += value;
    return sum / static_cast<double>(of.grey.size());
  };
  EXPECT_GT(mean(photo), 0.05);
  EXPECT_NEAR(mean(large), mean(photo), 0.01);
}

}  // namespace
}  // namespace heddle::bench::marrow
