// What the hand-written programs share: errors, threads of the CPU, and where the work is cut.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#define CHECK(call)                                                                       \
  do {                                                                                    \
    const cudaError_t error = (call);                                                     \
    if (error != cudaSuccess) {                                                           \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error)); \
      std::exit(1);                                                                       \
    }                                                                                     \
  } while (false)

// One part of a GPU's work, with a stream of its own, so that copies of one overlap with kernels of another.
struct Part {
  int gpu;
  size_t begin, end;  // elements
  cudaStream_t stream;
  size_t count() const { return end - begin; }
};

// Parts of the GPUs, in multiples of `quantum` elements; the CPU has the rest.
struct Split {
  std::vector<Part> parts;
  size_t cpu_begin = 0, end;

  Split(size_t elements, size_t quantum, double share, int overlap) : end(elements) {
    int gpus = 0;
    if (cudaGetDeviceCount(&gpus) != cudaSuccess) gpus = 0;
    const size_t all = gpus == 0 ? 0 : size_t(double(elements / quantum) * share) * quantum;
    const size_t streams = size_t(gpus) * overlap;
    for (size_t i = 0; i < streams; ++i) {
      const size_t begin = all / quantum * i / streams * quantum, end = all / quantum * (i + 1) / streams * quantum;
      if (begin == end) continue;
      Part part{int(i / overlap), begin, end, nullptr};
      CHECK(cudaSetDevice(part.gpu));
      CHECK(cudaStreamCreateWithFlags(&part.stream, cudaStreamNonBlocking));
      parts.push_back(part);
    }
    cpu_begin = all;
  }
  ~Split() {
    for (Part& part : parts) cudaStreamDestroy(part.stream);
  }
  void wait() const {
    for (const Part& part : parts) {
      CHECK(cudaSetDevice(part.gpu));
      CHECK(cudaStreamSynchronize(part.stream));
    }
  }
};

// Calls work(begin, end) for pieces of [begin, end), multiples of `quantum`, in all threads of the CPU.
template <typename Work>
void on_cpu(size_t begin, size_t end, size_t quantum, const Work& work) {
  const size_t workers = std::max(1u, std::thread::hardware_concurrency()),
               pieces = (end - begin + quantum - 1) / quantum;
  std::vector<std::thread> threads;
  for (size_t i = 0; i < workers; ++i) {
    const size_t first = begin + pieces * i / workers * quantum;
    const size_t last = std::min(end, begin + pieces * (i + 1) / workers * quantum);
    if (first < last) threads.emplace_back([=, &work] { work(first, last); });
  }
  for (std::thread& thread : threads) thread.join();
}
