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
#include <filesystem>
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

// Medians in microseconds of the host's time for one call, but for `round_trip`, which waits for the kernel.
struct Figures {
  double round_trip = 0, launch = 0, legacy = 0, streams = 0, events = 0, copy = 0, fill = 0;
};
struct Row {
  double Figures::* value;
  const char* name;
  bool has_bar;  // launches and the order of streams; copies are the device's
};
constexpr Row rows[] = {{&Figures::launch, "cudaLaunchKernel in a stream", true},
                        {&Figures::legacy, "cudaLaunchKernel in the legacy stream, beside 8 others", true},
                        {&Figures::streams, "cudaLaunchKernel in 8 streams by turns", true},
                        {&Figures::events, "launch, cudaEventRecord, cudaStreamWaitEvent in another stream", true},
                        {&Figures::fill, "cudaMemsetAsync of 4 bytes", false},
                        {&Figures::round_trip, "launch and cudaStreamSynchronize", false},
                        {&Figures::copy, "cudaMemcpy of 4 bytes to the device", false}};

class Cudart {
 public:
  explicit Cudart(const char* path) : library_(dlopen(path, RTLD_NOW | RTLD_LOCAL)) {
    if (!library_) fail(dlerror());
    launch = find<decltype(launch)>("cudaLaunchKernel");
    synchronize = find<decltype(synchronize)>("cudaStreamSynchronize");
    copy = find<decltype(copy)>("cudaMemcpy");
    allocate = find<decltype(allocate)>("cudaMalloc");
    fill = find<decltype(fill)>("cudaMemsetAsync");
    make_stream = find<decltype(make_stream)>("cudaStreamCreateWithFlags");
    make_event = find<decltype(make_event)>("cudaEventCreateWithFlags");
    record = find<decltype(record)>("cudaEventRecord");
    wait = find<decltype(wait)>("cudaStreamWaitEvent");
    wait_all = find<decltype(wait_all)>("cudaDeviceSynchronize");
    const auto binary = find<void** (*)(void*)>("__cudaRegisterFatBinary");
    const auto function =
        find<void (*)(void**, const void*, char*, const char*, int, void*, void*, void*, void*, int*)>(
            "__cudaRegisterFunction");
    const auto end = find<void (*)(void**)>("__cudaRegisterFatBinaryEnd");
    void** const handle = binary(&wrapper_);
    static char device_name[] = "empty";
    function(handle, &stub, device_name, device_name, -1, nullptr, nullptr, nullptr, nullptr, nullptr);
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
  cudaError_t (*fill)(void*, int, std::size_t, cudaStream_t) = nullptr;
  cudaError_t (*make_stream)(cudaStream_t*, unsigned) = nullptr;
  cudaError_t (*make_event)(cudaEvent_t*, unsigned) = nullptr;
  cudaError_t (*record)(cudaEvent_t, cudaStream_t) = nullptr;
  cudaError_t (*wait)(cudaStream_t, cudaEvent_t, unsigned) = nullptr;
  cudaError_t (*wait_all)() = nullptr;
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

// The time until the last of `times` calls has returned; what they have put in is waited for outside of it. No more of
// them than a GPU's queue takes at once.
template <class Work>
double each(const Cudart& cuda, Work&& work) {
  constexpr int batches = 101, times = 200;
  std::vector<double> samples;
  for (int b = -3; b < batches; ++b) {
    const auto start = Clock::now();
    for (int i = 0; i < times; ++i) work(i);
    const double took = std::chrono::duration<double>(Clock::now() - start).count() / times;
    Cudart::check(cuda.wait_all());
    if (b >= 0) samples.push_back(took);
  }
  return bench::median(std::move(samples)) * 1e6;
}

template <class Work>
double alone(Work&& work) {
  constexpr int times = 5000;
  std::vector<double> samples;
  for (int i = -times / 10; i < times; ++i) {
    const auto start = Clock::now();
    work();
    if (i >= 0) samples.push_back(std::chrono::duration<double>(Clock::now() - start).count());
  }
  return bench::median(std::move(samples)) * 1e6;
}

Figures measure(const char* path) {
  const Cudart cuda(path);
  const auto launch = [&](cudaStream_t stream) {
    Cudart::check(cuda.launch(&cuda.stub, {1}, {32}, nullptr, 0, stream));
  };
  void* x = nullptr;
  Cudart::check(cuda.allocate(&x, 4));
  std::array<cudaStream_t, 8> streams{};
  for (cudaStream_t& stream : streams) Cudart::check(cuda.make_stream(&stream, cudaStreamDefault));
  cudaStream_t free = nullptr;
  Cudart::check(cuda.make_stream(&free, cudaStreamNonBlocking));
  cudaEvent_t event = nullptr;
  Cudart::check(cuda.make_event(&event, cudaEventDisableTiming));
  const auto of_turn = [&](int i) { return streams[static_cast<std::size_t>(i) % streams.size()]; };
  for (const cudaStream_t stream : streams) launch(stream);
  Figures figures;
  figures.launch = each(cuda, [&](int) { launch(free); });
  figures.legacy = each(cuda, [&](int) { launch(nullptr); });
  figures.streams = each(cuda, [&](int i) { launch(of_turn(i)); });
  figures.events = each(cuda, [&](int i) {
    launch(of_turn(i));
    Cudart::check(cuda.record(event, of_turn(i)));
    Cudart::check(cuda.wait(of_turn(i + 1), event, 0));
  });
  figures.fill = each(cuda, [&](int) { Cudart::check(cuda.fill(x, 1, 4, free)); });
  figures.round_trip = alone([&] {
    launch(free);
    Cudart::check(cuda.synchronize(free));
  });
  const int value = 1;
  figures.copy = alone([&] { Cudart::check(cuda.copy(x, &value, 4, cudaMemcpyHostToDevice)); });
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
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) std::fprintf(stderr, "%s: signal %d\n", path.c_str(), WTERMSIG(status));
  return came ? std::optional(figures) : std::nullopt;
}

}  // namespace

// Libraries of their own folder, wherever it is: in the folder of the build, or in an archive.
std::string own_library(const char* program) {
  namespace fs = std::filesystem;
  const fs::path archive = fs::absolute(program).parent_path() / "../../lib/heddle/cuda";
  return (fs::exists(archive) ? archive : fs::path(HEDDLE_CUDA_LIBRARIES)) / "libcudart.so.12";
}

int main(int count, char** arguments) {
  std::vector<std::string> paths{own_library(arguments[0])};
  paths.insert(paths.end(), arguments + 1, arguments + count);
  // By turns, so that what changes on the machine meanwhile is everyone's.
  constexpr int rounds = 7;
  std::vector<std::vector<Figures>> all(paths.size());
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < paths.size(); ++i) {
      std::fprintf(stderr, "\rround %d of %d ", round + 1, rounds);
      if (const std::optional<Figures> figures = measure_apart(paths[i])) all[i].push_back(*figures);
    }
  }
  std::fprintf(stderr, "\r                \r");
  if (all[0].empty()) return 1;  // it has said why
  bench::Results results("cuda_api");
  const auto median_of = [](const std::vector<Figures>& of, double Figures::* value) {
    std::vector<double> values;
    for (const Figures& figures : of) values.push_back(figures.*value);
    return bench::median(std::move(values));
  };
  for (const Row& row : rows) {
    const double ours = median_of(all[0], row.value);
    results.add({row.name, ours, "us", {}, ""});
    for (std::size_t i = 1; i < paths.size(); ++i) {
      if (all[i].empty()) continue;
      const double theirs = median_of(all[i], row.value);
      const std::string name = row.name;
      const std::string peer = std::filesystem::path(paths[i]).filename();
      results.add({name + ", theirs", theirs, "us", {}, peer});
      results.add({name + ", more than theirs", ours - theirs, "us",
                   row.has_bar ? std::optional(bench::at_most(0.5)) : std::nullopt, peer});
    }
  }
  return results.finish();
}
