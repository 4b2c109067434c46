// A CUDA program whose memory runs out at any place, under all checks: it ends with CUDA's error and a sentence. It
// neither hangs nor ends by a signal.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.hpp"
#include "cli/heddle_command.hpp"
#include "support/wait_until.hpp"

namespace heddle::tests {
namespace {

using testing::HasSubstr;

namespace fs = std::filesystem;

// Arrays and kernels with shared memory and a heap. What the checks record of them is larger than they are.
constexpr const char* edge = R"(#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
__global__ void mix(float* a, const float* b, int** kept) {
  __shared__ float tile[1024];
  const int i = blockIdx.x * 1024 + threadIdx.x;
  tile[threadIdx.x] = b[i];
  __syncthreads();
  if (threadIdx.x == 0) {
    int* const own = (int*)malloc(1000 + blockIdx.x);
    if (blockIdx.x % 2) free(own); else kept[blockIdx.x] = own;
  }
  if (i % 3) a[i] = tile[1023 - threadIdx.x];
  else for (int byte = 0; byte < 4; ++byte) ((char*)(a + i))[byte] = byte;
}
__global__ void release(int** kept) { free(kept[blockIdx.x]); }
static void need(cudaError_t code) {
  if (code == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(code));
  std::exit(4);
}
int main() {
  const int arrays = 5, blocks = 8, n = 1024 * blocks;
  need(cudaFree(nullptr));
  if (void* const lack = dlsym(RTLD_DEFAULT, "lack_memory")) ((void (*)(long))lack)(std::atol(std::getenv("LEFT")));
  float* all[arrays];
  int** kept = nullptr;
  need(cudaMalloc(&kept, blocks * sizeof *kept));
  for (float*& one : all) {
    need(cudaMalloc(&one, n * sizeof *one));
    need(cudaMemsetAsync(one, 0, n * sizeof *one));
  }
  for (int i = 1; i < arrays; ++i) {
    need(cudaMemset(kept, 0, blocks * sizeof *kept));
    mix<<<blocks, 1024>>>(all[i], all[i - 1], kept);
    need(cudaGetLastError());
    release<<<blocks, 1>>>(kept);
    need(cudaGetLastError());
  }
  need(cudaDeviceSynchronize());
  for (float* one : all) need(cudaFree(one));
  need(cudaFree(kept));
  std::puts("done");
}
)";

// More launches than a policy lets go at once, in two streams that wait for each other.
constexpr const char* held = R"(#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
__global__ void add(int* a, int n) { const int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] += 1; }
static void need(cudaError_t code) {
  if (code == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(code));
  std::exit(4);
}
int main() {
  const int n = 1024, launches = 1200;
  int *a = nullptr, *b = nullptr;
  need(cudaMalloc(&a, n * sizeof *a));
  need(cudaMalloc(&b, n * sizeof *b));
  need(cudaMemset(a, 0, n * sizeof *a));
  need(cudaMemset(b, 0, n * sizeof *b));
  cudaStream_t streams[2];
  for (auto& s : streams) need(cudaStreamCreate(&s));
  cudaEvent_t events[2];
  for (auto& e : events) need(cudaEventCreate(&e));
  need(cudaDeviceSynchronize());
  if (void* const lack = dlsym(RTLD_DEFAULT, "lack_memory")) ((void (*)(long))lack)(std::atol(std::getenv("LEFT")));
  for (int i = 0; i < launches; ++i) {
    add<<<8, 128, 0, streams[i % 2]>>>(i % 2 ? a : b, n);
    need(cudaGetLastError());
    if (i % 64 == 0) {
      need(cudaEventRecord(events[i / 64 % 2], streams[i % 2]));
      need(cudaStreamWaitEvent(streams[(i + 1) % 2], events[i / 64 % 2]));
    }
  }
  need(cudaDeviceSynchronize());
  int first[2];
  need(cudaMemcpy(first, a, sizeof(int), cudaMemcpyDeviceToHost));
  need(cudaMemcpy(first + 1, b, sizeof(int), cudaMemcpyDeviceToHost));
  if (first[0] != launches / 2 || first[1] != launches / 2) { std::fprintf(stderr, "wrong: %d %d\n", first[0], first[1]); return 5; }
  std::puts("done");
}
)";

// Memory runs out while the compiler's code registers the kernels, before main(), and is there again in main().
constexpr const char* early = R"(#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
__device__ int variable = 3;
__managed__ int managed = 4;
__global__ void first(int* p) { *p = variable; }
__global__ void second(int* p) { *p = managed; }
static void lack(long allocations) {
  if (void* const f = dlsym(RTLD_DEFAULT, "lack_memory")) ((void (*)(long))f)(allocations);
}
__attribute__((constructor(101))) static void begin() { lack(std::atol(std::getenv("LEFT"))); }
int main() {
  lack(__LONG_MAX__);
  std::puts("done");
}
)";

// Memory is lacking while the devices are opened, and is there again after that. Prints the first two errors, unless so
// much time has passed between them that the second start may have been tried, and whether a later start succeeds.
constexpr const char* starts = R"(#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <thread>
static void lack(long allocations) {
  if (void* const f = dlsym(RTLD_DEFAULT, "lack_memory")) ((void (*)(long))f)(allocations);
}
int main() {
  using Clock = std::chrono::steady_clock;
  lack(std::atol(std::getenv("LEFT")));
  const int first = cudaFree(nullptr);
  lack(__LONG_MAX__);
  const auto begin = Clock::now();
  const int second = cudaFree(nullptr);
  const auto later = Clock::now();
  if (later - begin < std::chrono::milliseconds(900)) std::printf("%d %d\n", first, second);
  while (cudaFree(nullptr) != cudaSuccess)
    if (Clock::now() - later > std::chrono::seconds(40)) return 1;
  std::puts("started");
}
)";

class LackingMemory : public HeddleCommand {
 protected:
  void SetUp() override {
    HeddleCommand::SetUp();
    if (sanitized) GTEST_SKIP() << "sanitizers have their own malloc";
  }
  Ran here(const std::string& arguments, const std::string& variables = "") {
    const std::string cache = (folder_.path() / "cache").string();
    return heddle(arguments, "&1", variables + "HEDDLE_CACHE_DIR='" + cache + "' timeout -k 5 60");
  }
  // Runs it with ever more allocations until there are enough. Returns how often there were too few.
  unsigned refusals(const std::string& command, long step, const std::vector<int>& codes) {
    const auto with = [&](long allocations) {
      return here(command, "LEFT=" + std::to_string(allocations) + " LD_PRELOAD=" HEDDLE_LACKING_SYSTEM_LIBRARY " ");
    };
    constexpr long enough = 1'000'000;
    EXPECT_EQ(with(enough).output, "done\n");  // compiles the kernels
    unsigned refused = 0;
    for (long allocations = 0;; allocations += step + allocations / 20) {
      const Ran ran = with(allocations);
      if (ran.output == "done\n") return refused;
      ++refused;
      EXPECT_THAT(codes, testing::Contains(ran.code)) << "after " << allocations << ": " << ran.output;
      EXPECT_THAT(ran.output, HasSubstr("memory")) << allocations;
    }
  }
};

TEST_F(LackingMemory, EndsAProgramInOrder) {
  base::write_file_atomic(folder_.path() / "edge.cu", edge);
  ASSERT_EQ(here("cc edge.cu -o edge").code, 0);
  EXPECT_GT(refusals("run --device cpu --check=all ./edge", 7, {4, 99}), 50u);
}

TEST_F(LackingMemory, EndsAProgramOfAPolicyInOrder) {
  base::write_file_atomic(folder_.path() / "held.cu", held);
  ASSERT_EQ(here("cc held.cu -o held").code, 0);
  for (const std::string policy : {"slice:4", "bounded:50", "lithos", "orion"})
    EXPECT_GT(refusals("run --device cpu --policy " + policy + " ./held", 37, {4}), 20u) << policy;
}

TEST_F(LackingMemory, EndsAProgramBeforeMainInOrder) {
  base::write_file_atomic(folder_.path() / "early.cu", early);
  ASSERT_EQ(here("cc early.cu -o early").code, 0);
  unsigned refused = 0;
  for (long allocations = 0;; ++allocations) {
    const Ran ran = here("run --device cpu ./early",
                         "LEFT=" + std::to_string(allocations) + " LD_PRELOAD=" HEDDLE_LACKING_SYSTEM_LIBRARY " ");
    if (ran.output == "done\n") break;
    ++refused;
    EXPECT_EQ(ran.code, 3) << "after " << allocations << ": " << ran.output;
    EXPECT_THAT(ran.output, HasSubstr("the program's kernels cannot be registered: there is no memory")) << allocations;
  }
  EXPECT_GT(refused, 5u);
}

// A start that failed is not tried again at each call.
TEST_F(LackingMemory, IsRememberedForAWhileWhereNoDeviceCouldBeOpened) {
  base::write_file_atomic(folder_.path() / "starts.cu", std::string_view(starts));
  ASSERT_EQ(here("cc starts.cu -o starts").code, 0);
  const Ran ran = here("run --device cpu ./starts", "LEFT=40 LD_PRELOAD=" HEDDLE_LACKING_SYSTEM_LIBRARY " ");
  EXPECT_EQ(ran.code, 0) << ran.output;
  EXPECT_THAT(ran.output, testing::Not(HasSubstr(" 0\n"))) << "the second call looked again";
  EXPECT_THAT(ran.output, testing::AllOf(HasSubstr("there is no memory"), HasSubstr("started\n")));
}

// Beside a daemon, which others need after that.
TEST_F(LackingMemory, EndsATenantInOrder) {
  const fs::path run = folder_.path() / "run";
  fs::create_directory(run);
  fs::permissions(run, fs::perms::owner_all);
  const std::string at = "HEDDLE_DAEMON='" + (run / "socket").string() + "' HEDDLE_CPU_WORKERS=4 ";
  base::write_file_atomic(folder_.path() / "held.cu", std::string_view(held));
  ASSERT_EQ(here("cc held.cu -o held").code, 0);
  ASSERT_EQ(here("daemon start --device cpu", at).code, 0);
  const auto tenants = [&] { return here("daemon status", at); };
  unsigned refused = 0;
  for (const long allocations : {1'000'000L, 0L, 20L, 150L, 600L, 1500L, 4000L}) {
    const Ran ran = here("tenant run --name lacking --device cpu ./held",
                         at + "LEFT=" + std::to_string(allocations) + " LD_PRELOAD=" HEDDLE_LACKING_SYSTEM_LIBRARY " ");
    if (ran.code != 0) {
      ++refused;
      EXPECT_EQ(ran.code, 4) << "after " << allocations << ": " << ran.output;
      EXPECT_THAT(ran.output, HasSubstr("memory")) << allocations;
    } else {
      EXPECT_EQ(ran.output, "done\n") << allocations;
    }
    EXPECT_TRUE(wait_until([&] { return tenants().output.find(", 0 tenants") != std::string::npos; }))
        << "after " << allocations << ": " << tenants().output;
  }
  EXPECT_GE(refused, 2u);
  EXPECT_LT(refused, 7u);
  EXPECT_EQ(here("daemon stop", at).code, 0);
}

}  // namespace
}  // namespace heddle::tests
