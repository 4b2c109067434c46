// What shows in a process of its own only: its end, and the settings that it is given in the environment.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace heddle::tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;

struct Ended {
  int code = -1;
  std::string output;
  double seconds = 0;
};

Ended run(const std::string& environment, const std::string& what) {
  const std::string command = environment + " timeout 60 " HEDDLE_CUDA_CHILD " " + what + " 2>&1";
  const auto begin = std::chrono::steady_clock::now();
  Ended ended;
  FILE* const pipe = popen(command.c_str(), "r");
  std::array<char, 4096> some;
  while (std::fgets(some.data(), some.size(), pipe)) ended.output += some.data();
  const int status = pclose(pipe);
  ended.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  ended.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return ended;
}

TEST(Process, EndsWithWorkUnderWay) {
  for (int i = 0; i < 5; ++i) {
    const Ended ended = run("HEDDLE_RUN_DEVICE=cpu", "leave");
    EXPECT_EQ(ended.code, 0) << ended.output;
    EXPECT_LT(ended.seconds, 30);
  }
}

TEST(Process, CheckFindsWhatLiesBeyond) {
  const Ended ended = run("HEDDLE_RUN_DEVICE=cpu HEDDLE_RUN_CHECK=1", "beyond");
  EXPECT_THAT(ended.output, AllOf(HasSubstr("700\n"), HasSubstr("add"), HasSubstr("100 bytes")));
}

TEST(Process, VariablesTakeTheUsualWordsAndRefuseTheRest) {
  EXPECT_THAT(run("HEDDLE_RUN_DEVICE=cpu HEDDLE_RUN_CHECK=True", "beyond").output, HasSubstr("100 bytes"));
  EXPECT_THAT(run("HEDDLE_RUN_DEVICE=cpu HEDDLE_RUN_CHECK=no", "sum").code, 0);
  for (const char* wrong : {"HEDDLE_RUN_CHECK=maybe", "HEDDLE_RUN_SLICE=0", "HEDDLE_RUN_POLICY=best",
                            "HEDDLE_RUN_PROGRESS=2", "HEDDLE_RUN_DEVICE=gpu"}) {
    const Ended ended = run("HEDDLE_RUN_DEVICE=cpu " + std::string(wrong), "sum");
    EXPECT_THAT(ended.output, HasSubstr("cudaErrorNoDevice")) << wrong;
    EXPECT_THAT(ended.output, HasSubstr(wrong));
  }
}

// As in CUDA: which devices there are is found out once.
TEST(Process, AStartThatFailsIsNotTriedAgain) {
  const Ended ended = run("HEDDLE_RUN_DEVICE=gpu", "again");
  EXPECT_THAT(ended.output, HasSubstr("100 100\n"));
  EXPECT_EQ(run("HEDDLE_RUN_DEVICE=cpu", "again").output, "0 0\n");
}

TEST(Process, SlicesChangeNothing) {
  const Ended whole = run("HEDDLE_RUN_DEVICE=cpu", "sum"),
              sliced = run("HEDDLE_RUN_DEVICE=cpu HEDDLE_RUN_SLICE=3", "sum");
  EXPECT_EQ(whole.code, 0);
  EXPECT_FALSE(whole.output.empty());
  EXPECT_EQ(whole.output, sliced.output);
}

// Its PTX is for newer GPUs than the simulated one.
TEST(Process, SimulatedGpusRunAllPtx) {
  const Ended there = run("HEDDLE_RUN_DEVICE=sim:kepler-gtx680", "sum");
  EXPECT_EQ(there.code, 0);
  EXPECT_EQ(there.output, run("HEDDLE_RUN_DEVICE=cpu", "sum").output);
}

constexpr const char* with_gpu = "LD_LIBRARY_PATH=" HEDDLE_CUDA_LIBRARIES ":" HEDDLE_FAKE_DRIVER " ";

// What the CPU device stands on takes longer to load than small programs run.
TEST(Process, SimulatedGpusAreWhatTheirMachineSays) {
  struct Case {
    const char *machine, *attributes[13];
  };
  // Threads of a block, and their z; shared memory of a block; warp; registers; kHz; SMs; threads of an SM; memory's
  // bits; L2; capability; shared memory of an SM.
  const Case cases[] = {{"fermi-gtx480",
                         {"1 1024", "4 64", "8 49152", "10 32", "12 32768", "13 1400000", "16 15", "39 1536", "37 768",
                          "38 786432", "75 2", "76 0", "81 49152"}},
                        {"tesla-g80",
                         {"1 512", "4 64", "8 16384", "10 32", "12 8192", "13 1500000", "16 16", "39 768", "37 384",
                          "38 0", "75 1", "76 0", "81 16384"}},
                        {"hopper-h100",
                         {"1 1024", "4 64", "8 49152", "10 32", "12 65536", "13 1980000", "16 132", "39 2048",
                          "37 5120", "38 52428800", "75 9", "76 0", "81 233472"}}};
  for (const Case& one : cases) {
    const Ended ended = run("HEDDLE_RUN_DEVICE=sim:" + std::string(one.machine), "describe");
    EXPECT_EQ(ended.code, 0) << one.machine << ended.output;
    for (const char* attribute : one.attributes)
      EXPECT_THAT("\n" + ended.output, HasSubstr("\n" + std::string(attribute) + "\n")) << one.machine;
    EXPECT_THAT(ended.output, HasSubstr("\n83 1\n")) << "managed memory, as on every device of the host";
  }
}

TEST(Process, LoadsTheCpuDeviceWhenItIsUsed) {
  const Ended ended = run("HEDDLE_RUN_DEVICE=cpu", "libraries");
  EXPECT_EQ(ended.output, "before:\n0\n0\nafter: libheddle_cpu libLLVM libhwloc\n");
}

TEST(Process, LoadsNoCpuDeviceForAGpu) {
  for (const char* devices : {"HEDDLE_RUN_DEVICE=cuda:0", ""}) {
    const Ended ended = run(std::string(with_gpu) + devices, "libraries");
    EXPECT_EQ(ended.output, "before:\n0\n0\nafter:\n") << devices;
  }
}

TEST(Process, RefusesManagedVariablesOnAGpu) {
  const Ended cpu = run("HEDDLE_RUN_DEVICE=cpu", "managed"), gpu = run(with_gpu, "managed");
  EXPECT_EQ(cpu.output, "0\n");
  EXPECT_THAT(gpu.output, AllOf(HasSubstr("801\n"), HasSubstr("managed variables (__managed__) on cuda:0")));
}

// Each takes a thread some time: once, and not for every call.
TEST(Process, SetsAContextOnceForEachThread) {
  const std::string gpu = std::string(with_gpu) + "FAKE_DRIVER_SAYS=1 HEDDLE_RUN_DEVICE=cuda:0";
  const Ended few = run(gpu, "many 1"), many = run(gpu, "many 1000");
  EXPECT_THAT(few.output, HasSubstr("sets: "));
  EXPECT_EQ(few.output, many.output);
}

// It takes a driver long, and the device milliseconds to begin with.
TEST(Process, PinsMemoryForThoseWhoUseIt) {
  const std::string gpu = std::string(with_gpu) + "FAKE_DRIVER_SAYS=1 HEDDLE_RUN_DEVICE=cuda:0";
  EXPECT_THAT(run(gpu, "many 1").output, HasSubstr("pinned: 0\n"));
  const Ended blocks = run(gpu, "pinned");  // 20 000 of up to 1600 bytes, in slabs of 2 MiB
  EXPECT_THAT(blocks.output, testing::ContainsRegex("pinned: [1-9][0-9]?\npooled: 0\n0\n"));
}

// Kernels for parts of a grid, which the driver has to compile, are for --slice and made when a launch is cut: one
// kernel for one that is.
TEST(Process, GivesTheDriverTheProgramsKernelsAlone) {
  const std::string gpu = std::string(with_gpu) + "FAKE_DRIVER_SAYS=1 HEDDLE_RUN_DEVICE=cuda:0 ";
  const auto kernels = [&](const std::string& environment, const char* what) {
    std::vector<int> all;
    const std::string output = run(gpu + environment, what).output;
    for (std::size_t at = 0; (at = output.find("kernels: ", at)) != output.npos; ++at)
      all.push_back(std::atoi(output.c_str() + at + 9));
    return all;
  };
  const std::vector<int> whole = kernels("", "sum"), cut = kernels("HEDDLE_RUN_SLICE=4", "sum");
  ASSERT_FALSE(whole.empty());
  ASSERT_EQ(cut.size(), whole.size() + 1);
  EXPECT_EQ(std::vector(cut.begin(), cut.end() - 1), whole);
  EXPECT_EQ(cut.back(), 1);
  EXPECT_EQ(kernels("HEDDLE_RUN_SLICE=1000000", "sum"), whole);
}

// Compiling PTX takes the driver seconds. Who has nothing that it runs has PTX.
TEST(Process, GivesTheDriverTheProgramsMachineCode) {
  const std::string gpu = std::string(with_gpu) + "FAKE_DRIVER_SAYS=1 HEDDLE_RUN_DEVICE=cuda:0 ";
  const auto given = [&](const std::string& environment, const char* what) {
    const Ended ended = run(gpu + environment, what);
    EXPECT_EQ(ended.code, 0) << ended.output;
    return std::string(ended.output.starts_with("fat binary") ? "fat binary" : "kernels") +
           (ended.output.find("kernels: ") != ended.output.npos ? ", then kernels" : "");
  };
  EXPECT_EQ(given("", "machine"), "fat binary");
  EXPECT_EQ(given("FAKE_DRIVER_REFUSES=1", "machine"), "fat binary, then kernels");
  EXPECT_EQ(given("HEDDLE_RUN_SLICE=1000000", "machine"), "fat binary");
  EXPECT_EQ(given("", "many 1"), "kernels, then kernels");
}

// The driver's pool takes it 7 ms to begin with.
TEST(Process, TakesMemoryOfAPoolForThoseWhoAskForOne) {
  const std::string gpu = std::string(with_gpu) + "FAKE_DRIVER_SAYS=1 HEDDLE_RUN_DEVICE=cuda:0";
  EXPECT_THAT(run(gpu, "many 1").output, HasSubstr("pooled: 0\n"));
  EXPECT_THAT(run(gpu, "pooled").output, HasSubstr("pooled: 1\n"));
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // their malloc() is another one
TEST(Process, LeavesTheProgramsHeapAsItWas) {
  EXPECT_EQ(run("HEDDLE_RUN_DEVICE=cpu", "heap").output, "0\n");
  EXPECT_EQ(run(std::string(with_gpu) + "HEDDLE_RUN_DEVICE=cuda:0", "heap").output, "0\n");
}
#endif

}  // namespace
}  // namespace heddle::tests
