// What calls cost a CUDA program: a line for each, "name<TAB>microseconds", of the host's time for one call.
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

using Clock = std::chrono::steady_clock;

struct Large {
  long long values[16];
};
__global__ void none() {}
__global__ void four(int*, int, float, double) {}
__global__ void sixteen(int*, int*, int*, int*, int, int, int, int, float, float, float, float, double, double, double,
                        double) {}
__global__ void large(Large) {}

static void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s (error %d of CUDA)\n", cudaGetErrorString(error), static_cast<int>(error));
  std::exit(1);
}

static double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

static void say(const char* name, const std::vector<double>& seconds) {
  std::printf("%s\t%.4f\n", name, median(seconds) * 1e6);
}

// The time until the last of `times` calls has returned; what they have put in is waited for outside of it. No more of
// them than a GPU's queue takes at once.
template <class Work>
static void each(const char* name, Work&& work) {
  constexpr int batches = 101, times = 200;
  std::vector<double> seconds;
  for (int b = -3; b < batches; ++b) {
    const auto start = Clock::now();
    for (int i = 0; i < times; ++i) work(i);
    const double took = std::chrono::duration<double>(Clock::now() - start).count() / times;
    check(cudaDeviceSynchronize());
    if (b >= 0) seconds.push_back(took);
  }
  say(name, seconds);
}

template <class Work>
static void alone(const char* name, Work&& work) {
  constexpr int times = 5000;
  std::vector<double> seconds;
  for (int i = -times / 10; i < times; ++i) {
    const auto start = Clock::now();
    work();
    if (i >= 0) seconds.push_back(std::chrono::duration<double>(Clock::now() - start).count());
  }
  say(name, seconds);
}

template <class Kernel>
static void launch(Kernel* kernel, void** arguments, cudaStream_t stream) {
  check(cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(1), dim3(32), arguments, 0, stream));
}

static void measure_launches(cudaStream_t stream, int* memory) {
  int whole = 1;
  float single = 1;
  double twice = 1;
  Large values = {};
  void* four_arguments[] = {&memory, &whole, &single, &twice};
  void* sixteen_arguments[] = {&memory, &memory, &memory, &memory, &whole,  &whole, &whole, &whole,
                               &single, &single, &single, &single, &twice,  &twice, &twice, &twice};
  void* large_argument[] = {&values};
  each("cudaLaunchKernel, no arguments", [&](int) { launch(none, nullptr, stream); });
  each("cudaLaunchKernel, 4 arguments", [&](int) { launch(four, four_arguments, stream); });
  each("cudaLaunchKernel, 16 arguments", [&](int) { launch(sixteen, sixteen_arguments, stream); });
  each("cudaLaunchKernel, one argument of 128 bytes", [&](int) { launch(large, large_argument, stream); });
  each("kernel<<<...>>>, 4 arguments", [&](int) { four<<<1, 32, 0, stream>>>(memory, whole, single, twice); });
}

static void measure_order(cudaStream_t free) {
  cudaStream_t streams[8];
  for (cudaStream_t& stream : streams) check(cudaStreamCreateWithFlags(&stream, cudaStreamDefault));
  cudaEvent_t event = nullptr;
  check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  for (const cudaStream_t stream : streams) launch(none, nullptr, stream);
  each("cudaLaunchKernel in the legacy stream, beside 8 others", [&](int) { launch(none, nullptr, nullptr); });
  each("cudaLaunchKernel in 8 streams by turns", [&](int i) { launch(none, nullptr, streams[i % 8]); });
  each("cudaEventRecord", [&](int) { check(cudaEventRecord(event, free)); });
  each("launch, cudaEventRecord, cudaStreamWaitEvent in another stream", [&](int i) {
    launch(none, nullptr, streams[i % 8]);
    check(cudaEventRecord(event, streams[i % 8]));
    check(cudaStreamWaitEvent(streams[(i + 1) % 8], event, 0));
  });
}

int main() {
  int* memory = nullptr;
  check(cudaMalloc(&memory, 4));
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  measure_launches(stream, memory);
  measure_order(stream);
  each("cudaMemsetAsync of 4 bytes", [&](int) { check(cudaMemsetAsync(memory, 1, 4, stream)); });
  check(cudaStreamSynchronize(stream));
  alone("cudaStreamSynchronize, nothing to wait for", [&] { check(cudaStreamSynchronize(stream)); });
  alone("launch and cudaStreamSynchronize", [&] {
    launch(none, nullptr, stream);
    check(cudaStreamSynchronize(stream));
  });
  const int value = 1;
  alone("cudaMemcpy of 4 bytes to the device",
        [&] { check(cudaMemcpy(memory, &value, 4, cudaMemcpyHostToDevice)); });
  return 0;
}
