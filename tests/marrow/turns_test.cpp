// A GPU and the CPU device that wait for each other's results in turns. The GPU is the driver that does nothing
// (tests/cuda_api/fake_driver.cpp): the order of commands is what it is on a real one, the results are nobody's.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "program.hpp"

namespace heddle::bench::marrow {
namespace {

// All bodies go to every part after each step. A run that waits for ever is ended by CTest.
TEST(Turns, OfAGpuAndTheCpuEnd) {
  const char* path = std::getenv("LD_LIBRARY_PATH");
  if (path == nullptr || std::strstr(path, "fake_driver") == nullptr)
    GTEST_SKIP() << "RUN BY CTEST ONLY: it sets LD_LIBRARY_PATH";
  Runtime runtime({.devices = "cuda:0,cpu", .workers = 4});
  const Module module = runtime.load_ptx_file(std::filesystem::path(HEDDLE_MARROW_KERNELS) / "marrow.ptx");
  Inputs inputs = inputs_named("tiny");
  inputs.bodies = 4096;
  inputs.iterations = 8;
  const auto bodies = make_nbody(runtime, module, inputs);
  for (unsigned round = 0; round < 12; ++round) {
    skeleton::Executor executor(runtime, {.knowledge = "none",
                                          .gpu_share = 0.5,
                                          .fission = "none",
                                          .overlap = 1 + round % 4,
                                          .speeds = {{"cuda:0", 1.0}, {"cpu", 1.0}}});
    bodies->fill();
    const skeleton::Report report = bodies->run(executor);
    EXPECT_EQ(report.parts.size(), 2 + round % 4);
  }
}

}  // namespace
}  // namespace heddle::bench::marrow
