// Functions as tasks among launches: a library that takes a stream, on GPUs, or plain C++ in its place, and a function
// of the host. Nothing here waits but the host's function, and that only for what it reads.
#include <dlfcn.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>

#include <heddle/heddle.hpp>

namespace {

constexpr const char* source = R"(
extern "C" __global__ void add_index(unsigned* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += i;
}
)";
constexpr int n = 1 << 20;

// A function of NVIDIA's driver that puts its work into a stream.
using MemsetAsync = int (*)(std::uint64_t address, unsigned value, std::size_t count, void* stream);
MemsetAsync memset_async() {
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW);
  void* const found = driver == nullptr ? nullptr : dlsym(driver, "cuMemsetD32Async");
  if (found == nullptr) throw std::runtime_error("there is no cuMemsetD32Async");
  return reinterpret_cast<MemsetAsync>(found);
}

// Sets all values of array 0.
void set_all(const heddle::Call& call, unsigned value) {
  if (call.stream() == nullptr) {  // the function is the work
    std::fill_n(call.data<unsigned>(0), call.bytes(0) / sizeof value, value);
    return;
  }
  const auto address = reinterpret_cast<std::uint64_t>(call.data<unsigned>(0));
  if (const int result = memset_async()(address, value, call.bytes(0) / sizeof value, call.stream()); result != 0)
    throw std::runtime_error("cuMemsetD32Async failed with " + std::to_string(result));
}

int run(const std::string& device) {
  heddle::Runtime runtime({.devices = device});
  heddle::Module module = runtime.compile(source, "add_index.cu");
  const heddle::Kernel add_index = module.kernel("add_index", "add_index(x: inout pointer uint32, n: sint32)");
  const heddle::LaunchOptions shape{.grid = {n / 256}, .block = {256}};
  auto x = runtime.array<unsigned>(n), y = runtime.array<unsigned>(n);
  runtime.call({}, [](const heddle::Call& call) { set_all(call, 5); }, heddle::out(x));
  runtime.call({}, [](const heddle::Call& call) { set_all(call, 7); }, heddle::out(y));  // beside the first
  runtime.launch(add_index, shape, x, n);
  runtime.launch(add_index, shape, y, n);
  std::uint64_t wrong = 0;
  runtime.call_host(
      [&](const heddle::Call& call) {
        for (unsigned i = 0; i < n; ++i)
          wrong += call.data<const unsigned>(0)[i] != i + 5 || call.data<const unsigned>(1)[i] != i + 7;
      },
      heddle::in(x), heddle::in(y));
  std::printf("%s: %d values set by a call and changed by a kernel, %llu wrong\n", runtime.devices().front().id.c_str(),
              2 * n, static_cast<unsigned long long>(wrong));
  // What a function throws is told to whoever needs its arrays.
  runtime.call({}, [](const heddle::Call&) { throw std::runtime_error("out of paper"); }, x);
  try {
    static_cast<void>(x.read());
    return 1;
  } catch (const heddle::Error& error) {
    std::printf("as it should be: %s\n", error.what());
  }
  return wrong == 0 ? 0 : 1;
}

}  // namespace

int main(int count, char** words) {
  try {
    return run(count > 1 ? words[1] : "");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
