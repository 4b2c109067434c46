// What process_test.cpp runs as a process of its own. The argument says what it does.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <vector>

#include "cuda_api/cudart.hpp"

using namespace heddle::tests;

namespace {

// A container whose first entry is said to be machine code, and whose second is PTX.
std::vector<std::byte> with_machine_code() {
  constexpr std::size_t head = 16;
  const std::vector<std::byte> ptx = heddle::cuda_api::write_fat_binary({80, kernels_ptx}, false);
  std::vector<std::byte> made = ptx;
  made.insert(made.end(), ptx.begin() + head, ptx.end());
  made[head] = std::byte{2};  // the entry's kind
  const std::uint64_t bytes = made.size() - head;
  std::memcpy(made.data() + 8, &bytes, sizeof bytes);
  return made;
}

int pooled() {
  void* x = nullptr;
  cudaStream_t stream = nullptr;
  if (cudaStreamCreate(&stream) != cudaSuccess || cudaMallocAsync(&x, 64, stream) != cudaSuccess) return 1;
  return cudaFreeAsync(x, stream);
}

int machine() {
  const Program program(with_machine_code());
  void* x = nullptr;
  if (cudaMalloc(&x, 64) != cudaSuccess || program.launch_add(x, 16, 1) != cudaSuccess) return 1;
  return cudaDeviceSynchronize();
}

int managed() {
  static const ManagedProgram program;
  void* x = nullptr;
  if (cudaMalloc(&x, 64) != cudaSuccess) return 1;
  std::printf("%d\n", static_cast<int>(program.launch_add(x, 16, 1)));
  return 0;
}

// Ends while kernels run and commands wait, some of them in other threads.
int leave() {
  static Program program;
  static Gate gate;
  void* x = nullptr;
  constexpr std::uint32_t n = 1 << 20;
  cudaMalloc(&x, n * 4);
  for (int i = 0; i < 200; ++i) program.launch_add(x, n, 1);
  cudaStream_t stream = nullptr;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  gate.hold(stream);
  for (int i = 0; i < 200; ++i) program.launch_add(x, n, 1, stream);
  cudaLaunchHostFunc(cudaStreamPerThread, [](void*) {}, nullptr);
  std::thread([=] {
    for (;;) program.launch_add(x, n, 1, cudaStreamPerThread);
  }).detach();
  return 0;
}

// One element too many.
int beyond() {
  static Program program;
  void* x = nullptr;
  cudaMalloc(&x, 25 * 4);
  program.launch_add(x, 26, 1);
  const cudaError_t error = cudaDeviceSynchronize();
  std::printf("%d\n", static_cast<int>(error));
  return 0;
}

// Between the calls the reason for a failed start is gone.
int again() {
  const cudaError_t first = cudaFree(nullptr);
  ::setenv("HEDDLE_RUN_DEVICE", "cpu", 1);
  const cudaError_t second = cudaFree(nullptr);
  std::printf("%d %d\n", static_cast<int>(first), static_cast<int>(second));
  return 0;
}

int sum() {
  static Program program;
  constexpr std::uint32_t n = 10000;
  std::vector<std::uint32_t> values(n);
  std::iota(values.begin(), values.end(), 0u);
  void* x = nullptr;
  cudaMalloc(&x, n * 4);
  cudaMemcpy(x, values.data(), n * 4, cudaMemcpyHostToDevice);
  for (std::uint32_t i = 1; i <= 5; ++i) program.launch_add(x, n, i);
  cudaMemcpy(values.data(), x, n * 4, cudaMemcpyDeviceToHost);
  std::uint64_t hash = 0;
  for (const std::uint32_t value : values) hash = hash * 1000003 + value;
  std::printf("%llu\n", static_cast<unsigned long long>(hash));
  return 0;
}

// Launches from two threads, as often as the second argument says.
int many(int times) {
  static Program program;
  void* x = nullptr;
  cudaMalloc(&x, 4096);
  const auto launch = [&] {
    for (int i = 0; i < times; ++i) program.launch_add(x, 1024, 1);
  };
  launch();
  std::thread(launch).join();
  return static_cast<int>(cudaDeviceSynchronize());
}

// Blocks of pinned memory of several sizes that each have their own bytes.
int pinned() {
  struct Block {
    unsigned char* data;
    std::size_t size;
  };
  std::vector<Block> blocks;
  for (int i = 0; i < 20000; ++i) {
    const std::size_t size = std::size_t{100} << i % 5;
    void* data = nullptr;
    if (cudaMallocHost(&data, size) != cudaSuccess) return 1;
    blocks.push_back({static_cast<unsigned char*>(data), size});
    std::memset(data, i % 251, size);
    if (i % 7 == 0) {
      cudaFreeHost(blocks.front().data);
      blocks.front() = blocks.back();
      blocks.pop_back();
      if (cudaMallocHost(&data, size) != cudaSuccess) return 1;
      blocks.push_back({static_cast<unsigned char*>(data), size});
      std::memset(data, i % 249, size);
    }
  }
  int broken = 0;
  for (const Block& block : blocks)
    for (std::size_t k = 1; k < block.size; ++k) broken += block.data[k] != block.data[0] ? 1 : 0;
  std::printf("%d\n", broken);
  return 0;
}

bool is_loaded(const char* library) {
  std::FILE* const file = std::fopen("/proc/self/maps", "r");
  char line[4096];
  bool found = false;
  while (std::fgets(line, sizeof line, file)) found = found || std::strstr(line, library);
  std::fclose(file);
  return found;
}

// What is in the process when main() begins, and when a kernel has run.
int libraries() {
  const auto say = [](const char* when) {
    std::printf("%s:", when);
    for (const char* library : {"libheddle_cpu", "libLLVM", "libhwloc"})
      if (is_loaded(library)) std::printf(" %s", library);
    std::printf("\n");
  };
  say("before");
  static Program program;
  void* x = nullptr;
  std::printf("%d\n", static_cast<int>(cudaMalloc(&x, 4096)));
  program.launch_add(x, 1024, 1);
  std::printf("%d\n", static_cast<int>(cudaDeviceSynchronize()));
  say("after");
  return 0;
}

// Programs read fresh memory before they have written to it. How many of 1000 blocks are not zero.
int heap() {
  static Program program;
  void* x = nullptr;
  cudaMalloc(&x, 4096);
  program.launch_add(x, 1024, 1);
  cudaDeviceSynchronize();
  int used = 0;
  for (int i = 0; i < 1000; ++i) {
    constexpr std::size_t bytes = 20000;
    const auto* const block = static_cast<const unsigned char*>(std::malloc(bytes));
    bool zero = true;
    for (std::size_t k = 0; k < bytes; ++k) zero = zero && block[k] == 0;
    used += zero ? 0 : 1;
  }
  std::printf("%d\n", used);
  return 0;
}

// Attributes by their numbers, as "10 32".
int describe() {
  for (int number = 1; number <= 147; ++number) {
    int value = 0;
    if (cudaDeviceGetAttribute(&value, number, 0) != cudaSuccess) return number;
    std::printf("%d %d\n", number, value);
  }
  return 0;
}

}  // namespace

int main(int, char** arguments) {
  if (std::strcmp(arguments[1], "describe") == 0) return describe();
  if (std::strcmp(arguments[1], "libraries") == 0) return libraries();
  if (std::strcmp(arguments[1], "heap") == 0) return heap();
  if (std::strcmp(arguments[1], "pinned") == 0) return pinned();
  if (std::strcmp(arguments[1], "many") == 0) return many(std::atoi(arguments[2]));
  if (std::strcmp(arguments[1], "machine") == 0) return machine();
  if (std::strcmp(arguments[1], "pooled") == 0) return pooled();
  if (std::strcmp(arguments[1], "leave") == 0) return leave();
  if (std::strcmp(arguments[1], "beyond") == 0) return beyond();
  if (std::strcmp(arguments[1], "managed") == 0) return managed();
  if (std::strcmp(arguments[1], "sum") == 0) return sum();
  if (std::strcmp(arguments[1], "again") == 0) return again();
  return 2;
}
