// Copies between host and GPU against the bare driver's.
#include <fmt/format.h>

#include <cstdlib>
#include <cstring>

#include "gpu.hpp"
#include "support/statistics.hpp"

namespace {

using namespace heddle;
using namespace heddle::bench;
namespace driver = device::cuda::driver;

constexpr int rounds = 21;

struct Bare {
  void* host = nullptr;
  driver::Address device = 0;
  driver::Stream stream = nullptr;
};

// The driver's own pinned memory and the device's own allocation.
Bare make_bare(Gpu& gpu, std::size_t bytes) {
  Bare bare;
  const auto& cuda = *gpu.driver;
  bare.host = std::aligned_alloc(4096, bytes);
  std::memset(bare.host, 1, bytes);
  check(gpu, cuda.host_register(bare.host, bytes, driver::host_portable), "pinning");
  check(gpu, cuda.stream_create(&bare.stream, driver::stream_non_blocking, 0), "making a stream");
  check(gpu, cuda.memory_alloc_async(&bare.device, bytes, bare.stream), "allocating");
  check(gpu, cuda.stream_synchronize(bare.stream), "allocating");
  return bare;
}

void end_bare(Gpu& gpu, Bare& bare) {
  const auto& cuda = *gpu.driver;
  check(gpu, cuda.memory_free_async(bare.device, bare.stream), "freeing");
  check(gpu, cuda.stream_synchronize(bare.stream), "freeing");
  check(gpu, cuda.stream_destroy(bare.stream), "ending a stream");
  check(gpu, cuda.host_unregister(bare.host), "unpinning");
  std::free(bare.host);
}

void compare(Gpu& gpu, std::size_t bytes, Results& results) {
  const auto queue = gpu.device->queue({});
  const auto there = gpu.device->allocate(bytes);
  const auto here = gpu.device->allocate_host(bytes);
  std::memset(here->host(), 1, bytes);
  Bare bare = make_bare(gpu, bytes);
  const auto& cuda = *gpu.driver;
  // Small ones many times, so that the wait does not count.
  const int times = bytes >= (64u << 20) ? 1 : 50;
  const auto measure = [&](const std::string& what, auto&& ours, auto&& theirs) {
    const Paired paired = run_paired(
        [&] {
          for (int i = 0; i < times; ++i) ours();
          queue->synchronize();
        },
        [&] {
          for (int i = 0; i < times; ++i) theirs();
          check(gpu, cuda.stream_synchronize(bare.stream), "copying");
        },
        rounds, 3);
    const std::string name = fmt::format("pinned copy {}, {} KiB", what, bytes >> 10);
    const double total = static_cast<double>(bytes) * times;
    results.add({name, total / paired.first * 1e-9, "GB/s", {}, ""});
    results.add({name + ", bare", total / paired.second * 1e-9, "GB/s", {}, "the bare driver"});
    results.add({name + ", of the bare rate", paired.ratio, "x", at_least(0.97), "the bare driver"});
  };
  measure(
      "to the GPU", [&] { queue->copy(there->span(), here->span()); },
      [&] { check(gpu, cuda.copy_to_device_async(bare.device, bare.host, bytes, bare.stream), "copying"); });
  measure(
      "to the host", [&] { queue->copy(here->span(), there->span()); },
      [&] { check(gpu, cuda.copy_to_host_async(bare.host, bare.device, bytes, bare.stream), "copying"); });
  end_bare(gpu, bare);
}

// What pinned memory and its pool are for.
void pinning(Gpu& gpu, Results& results) {
  constexpr std::size_t bytes = std::size_t{256} << 20;
  const auto there = gpu.device->allocate(bytes);
  const auto queue = gpu.device->queue({});
  std::vector<std::byte> pageable(bytes, std::byte{1});
  std::vector<double> took;
  for (int i = 0; i < 7; ++i) {
    const double start = seconds();
    queue->copy(there->span(), device::Span::host(pageable.data(), bytes));
    queue->synchronize();
    took.push_back(seconds() - start);
  }
  results.add({"copy to the GPU from ordinary memory, 256 MiB", bytes / median(took) * 1e-9, "GB/s", {}, ""});
  double start = seconds();
  {
    const auto first = gpu.device->allocate_host(3 * bytes);
  }
  results.add({"pinning 768 MiB for the first time", (seconds() - start) * 1e3, "ms", {}, ""});
  start = seconds();
  {
    const auto again = gpu.device->allocate_host(3 * bytes);
  }
  results.add({"pinned 768 MiB again, from the pool", (seconds() - start) * 1e6, "us", {}, ""});
  took.clear();
  for (int i = 0; i < 1000; ++i) {
    start = seconds();
    const auto memory = gpu.device->allocate(1 << 20);
    took.push_back(seconds() - start);
  }
  results.add({"allocating 1 MiB of the GPU's memory", median(took) * 1e6, "us", {}, ""});
}

}  // namespace

int main() {
  auto gpu = open_gpu();
  if (!gpu) return 0;
  Results results("cuda");
  results.also_on(gpu->text());
  for (const std::size_t bytes : {std::size_t{1} << 30, std::size_t{1} << 20, std::size_t{64} << 10})
    compare(*gpu, bytes, results);
  pinning(*gpu, results);
  results.add({"bandwidth of the GPU's memory, copy, read and write",
               gpu->device->measured_bandwidth() * 1e-9,
               "GB/s",
               {},
               ""});
  return results.finish();
}
