// Devices as platforms: how many parts a run has, and how work is split among GPUs.
#include "skeleton/platforms.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "support/wait_until.hpp"

namespace heddle::skeleton {
namespace {

using knowledge::Fission;

ExecutorOptions options_of(const Runtime& runtime) {
  ExecutorOptions options;
  double speed = 1;
  for (const DeviceInfo& device : runtime.devices()) {
    options.speeds.emplace_back(device.id, device.simulated ? speed : 1);
    if (device.simulated) speed *= 3;
  }
  return options;
}

// Rows of the paper's Table 2: six cores with a domain of L1 each and one L3, one GPU and two.
TEST(Platforms, PartsAreSubDevicesOfTheCpuAndTheOverlapOfEachGpu) {
  for (const auto& [devices, of_l1, of_l3] :
       {std::tuple{"cpu,sim:fermi-gtx480", 10U, 5U}, std::tuple{"cpu,sim:fermi-gtx480,sim:hopper-h100", 14U, 9U}}) {
    Runtime runtime({.devices = devices, .workers = 6});
    ExecutorOptions options = options_of(runtime);
    const Platforms l3(runtime, [&] {
      options.domains = {{0, 1, 2, 3, 4, 5}};
      return options;
    }());
    options.domains = {{0}, {1}, {2}, {3}, {4}, {5}};
    const Platforms l1(runtime, options);
    EXPECT_EQ(l1.executions(Fission::l1, 4).size(), of_l1) << devices;
    EXPECT_EQ(l3.executions(Fission::l3, 4).size(), of_l3) << devices;
    EXPECT_EQ(l1.executions(Fission::none, 4).size(), of_l3) << devices;
  }
}

// The processors of each thread of this process that may not use all that the process may.
std::vector<cpu_set_t> bound_threads(const std::set<std::string>& but) {
  cpu_set_t all;
  CPU_ZERO(&all);
  if (::sched_getaffinity(0, sizeof all, &all) != 0) return {};
  std::vector<cpu_set_t> found;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
    const std::string number = thread.path().filename();
    cpu_set_t own;
    CPU_ZERO(&own);
    if (but.contains(number) || ::sched_getaffinity(std::stoi(number), sizeof own, &own) != 0) continue;
    if (!CPU_EQUAL(&own, &all)) found.push_back(own);
  }
  return found;
}

// Each by the list of its processors.
std::set<std::string> usable_cores() {
  cpu_set_t all;
  CPU_ZERO(&all);
  std::set<std::string> cores;
  if (::sched_getaffinity(0, sizeof all, &all) != 0) return cores;
  for (int processor = 0; processor < CPU_SETSIZE; ++processor) {
    if (!CPU_ISSET(processor, &all)) continue;
    std::ifstream file("/sys/devices/system/cpu/cpu" + std::to_string(processor) + "/topology/thread_siblings_list");
    if (std::string list; std::getline(file, list)) cores.insert(list);
  }
  return cores;
}

// A sub-device keeps what is in its caches: its threads stay on their cores.
TEST(Platforms, WorkersOfTheCpuAreBoundToCoresOfTheirOwn) {
  if (usable_cores().size() < 2) GTEST_SKIP() << "one core, or none that Linux shows";
  std::set<std::string> before;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task"))
    before.insert(thread.path().filename());
  Runtime runtime({.devices = "cpu", .workers = 2});
  std::vector<cpu_set_t> bound;
  ASSERT_TRUE(tests::wait_until([&] {  // they bind themselves when they start
    bound = bound_threads(before);
    return bound.size() == 2;
  }));
  cpu_set_t shared;
  CPU_AND(&shared, &bound[0], &bound[1]);
  EXPECT_EQ(CPU_COUNT(&shared), 0);
}

// Speeds 1:3 give a quarter and three quarters of the GPUs' work; the CPU's is its own.
TEST(Platforms, GpusShareTheirWorkBySpeed) {
  Runtime runtime({.devices = "cpu,sim:fermi-gtx480,sim:hopper-h100", .workers = 2});
  const Platforms platforms(runtime, options_of(runtime));
  std::map<std::string, double> weights;
  for (const Execution& execution : platforms.executions(Fission::none, 2))
    weights[execution.device] += execution.weight;
  EXPECT_DOUBLE_EQ(weights["sim:fermi-gtx480"], 0.25);
  EXPECT_DOUBLE_EQ(weights["sim:hopper-h100"], 0.75);
  EXPECT_DOUBLE_EQ(weights["cpu"], 1);
  EXPECT_DOUBLE_EQ(platforms.static_gpu_share(), 0.8);
}

// The kernels of the measurement are PTX, which every device takes.
TEST(Platforms, SpeedsAreMeasuredWithoutACompiler) {
  Runtime runtime({.devices = "cpu,sim:fermi-gtx480"});
  for (const DeviceInfo& device : runtime.devices()) EXPECT_GT(measured_speed(runtime, device.id), 1e6) << device.id;
  EXPECT_THROW(measured_speed(runtime, "sim:nowhere"), Error);
}

}  // namespace
}  // namespace heddle::skeleton
