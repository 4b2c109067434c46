// What launches cost a CUDA program: the same calls through Heddle's libcudart and through others that are named, such
// as NVIDIA's own. Usage: cuda_api_launches [LIBCUDART...]. Each library is used in a process of its own.
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "cuda_api/abi/runtime.hpp"
#include "cuda_api/image/fat_binary.hpp"
#include "support/results.hpp"
#include "support/statistics.hpp"

namespace {

using namespace heddle;
using Clock = std::chrono::steady_clock;

constexpr const char* kernel = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry empty() { ret; }\n";

struct Figures {
  double round_trip = 0, one_of_many = 0, copy = 0;  // microseconds
};

class Cudart {
 public:
  explicit Cudart(const char* path) : library_(dlopen(path, RTLD_NOW | RTLD_LOCAL)) {
    if (!library_) fail(dlerror());
    launch = find<decltype(launch)>("cudaLaunchKernel");
    synchronize = find<decltype(synchronize)>("cudaStreamSynchronize");
    copy = find<decltype(copy)>("cudaMemcpy");
    allocate = find<decltype(allocate)>("cudaMalloc");
    const auto binary = find<void** (*)(void*)>("__cudaRegisterFatBinary");
    const auto function =
        find<void (*)(void**, const void*, char*, const char*, int, void*, void*, void*, void*, int*)>(
            "__cudaRegisterFunction");
    const auto end = find<void (*)(void**)>("__cudaRegisterFatBinaryEnd");
    void** const handle = binary(&wrapper_);
    function(handle, &stub, nullptr, "empty", -1, nullptr, nullptr, nullptr, nullptr, nullptr);
    end(handle);
  }
  [[noreturn]] static void fail(const char* what) {
    std::fprintf(stderr, "%s\n", what);
    std::exit(1);
  }
  static void check(cudaError_t error) {
    if (error != cudaSuccess) fail(("error " + std::to_string(error) + " of CUDA").c_str());
  }

  cudaError_t (*launch)(const void*, dim3, dim3, void**, std::size_t, cudaStream_t) = nullptr;
  cudaError_t (*synchronize)(cudaStream_t) = nullptr;
  cudaError_t (*copy)(void*, const void*, std::size_t, int) = nullptr;
  cudaError_t (*allocate)(void**, std::size_t) = nullptr;
  const char stub = 0;

 private:
  template <class F>
  F find(const char* name) {
    const auto found = reinterpret_cast<F>(dlsym(library_, name));
    if (!found) fail(dlerror());
    return found;
  }
  void* library_;
  std::vector<std::byte> binary_ = cuda_api::write_fat_binary({70, kernel});
  struct {
    std::uint32_t magic = 0x466243b1, version = 1;
    const void* data;
    const void* more = nullptr;
  } wrapper_{.data = binary_.data()};
};

template <class Work>
double microseconds(int batches, int times, Work&& work) {
  std::vector<double> samples;
  for (int b = 0; b < batches; ++b) {
    const auto start = Clock::now();
    work();
    samples.push_back(std::chrono::duration<double>(Clock::now() - start).count() / times);
  }
  return bench::median(std::move(samples)) * 1e6;
}

Figures measure(const char* path) {
  const Cudart cuda(path);
  const auto launch = [&] { Cudart::check(cuda.launch(&cuda.stub, {1}, {32}, nullptr, 0, nullptr)); };
  const auto wait = [&] { Cudart::check(cuda.synchronize(nullptr)); };
  void* x = nullptr;
  Cudart::check(cuda.allocate(&x, 4));
  const auto round_trip = [&] {
    launch();
    wait();
  };
  constexpr int rounds = 10000, many = 1000, batches = 21;
  microseconds(rounds / 10, 1, round_trip);  // warm
  Figures figures;
  figures.round_trip = microseconds(rounds, 1, round_trip);
  figures.one_of_many = microseconds(batches, many, [&] {
    for (int i = 0; i < many; ++i) launch();
    wait();
  });
  const int value = 1;
  figures.copy = microseconds(rounds, 1, [&] { Cudart::check(cuda.copy(x, &value, 4, cudaMemcpyHostToDevice)); });
  return figures;
}

std::optional<Figures> measure_apart(const std::string& path) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return std::nullopt;
  const pid_t child = fork();
  if (child == 0) {
    const Figures figures = measure(path.c_str());
    _exit(write(ends[1], &figures, sizeof figures) == sizeof figures ? 0 : 1);
  }
  close(ends[1]);
  Figures figures;
  const bool came = read(ends[0], &figures, sizeof figures) == sizeof figures;
  close(ends[0]);
  waitpid(child, nullptr, 0);
  return came ? std::optional(figures) : std::nullopt;
}

}  // namespace

int main(int count, char** arguments) {
  std::vector<std::string> paths{HEDDLE_CUDA_LIBRARIES "/libcudart.so.12"};
  paths.insert(paths.end(), arguments + 1, arguments + count);
  bench::Results results("cuda_api");
  std::optional<Figures> own;
  for (const std::string& path : paths) {
    const std::optional<Figures> figures = measure_apart(path);
    if (!figures) continue;  // it has said why
    if (!own) own = figures;
    const bool ours = &path == &paths.front();
    const std::string of = ours ? "" : ", " + path;
    results.add({"empty kernel, launch to completion" + of, figures->round_trip, "us", {}, ""});
    results.add({"empty kernel, one of many" + of, figures->one_of_many, "us", {}, ""});
    results.add({"cudaMemcpy of 4 bytes to the device" + of, figures->copy, "us", {}, ""});
    if (!ours) results.add({"launch to completion", figures->round_trip / own->round_trip, "x", {}, path});
  }
  return results.finish();
}
