// Copies from one GPU to another, through Heddle and with the bare driver.
#include <fmt/format.h>

#include "gpu.hpp"
#include "support/statistics.hpp"

namespace {

using namespace heddle;
using namespace heddle::bench;

}  // namespace

int main() {
  if (gpu_count() < 2) {
    fmt::print("NOT RUN: copies between GPUs need two; there are {}\n", gpu_count());
    return 0;
  }
  auto first = open_gpu(0), second = open_gpu(1);
  Results results("cuda");
  results.also_on(fmt::format("{} GPUs: {}", gpu_count(), first->text()));
  constexpr std::size_t bytes = std::size_t{1} << 30;
  const auto a = first->device->allocate(bytes), b = second->device->allocate(bytes);
  const auto queue = first->device->queue({}), back = second->device->queue({});
  const auto& cuda = *first->driver;
  device::cuda::driver::Context context = nullptr;
  check(*first, cuda.primary_retain(&context, first->number), "making a context");
  check(*first, cuda.context_set(context), "choosing the context");
  device::cuda::driver::Stream stream = nullptr;
  check(*first, cuda.stream_create(&stream, device::cuda::driver::stream_non_blocking, 0), "making a stream");
  const auto bare = [&](std::uint64_t to, std::uint64_t from) {
    check(*first, cuda.copy_async(to, from, bytes, stream), "copying");
    check(*first, cuda.stream_synchronize(stream), "copying");
  };
  const auto measure = [&](const std::string& name, device::Queue& by, const device::Span& to,
                           const device::Span& from) {
    const Paired paired = run_paired(
        [&] {
          by.copy(to, from);
          by.synchronize();
        },
        [&] { bare(to.address, from.address); }, 41, 5);
    results.add({name, bytes / paired.first * 1e-9, "GB/s", {}, ""});
    results.add({name + ", of the bare rate", paired.ratio, "x", at_least(0.90), "cuMemcpyAsync"});
  };
  measure("peer copy, 1 GiB, pushed", *queue, b->span(), a->span());
  measure("peer copy, 1 GiB, pulled", *back, b->span(), a->span());
  // Both directions at once.
  std::vector<double> took;
  const auto c = first->device->allocate(bytes), d = second->device->allocate(bytes);
  for (int i = 0; i < 21; ++i) {
    const double start = seconds();
    queue->copy(b->span(), a->span());
    back->copy(c->span(), d->span());
    queue->synchronize();
    back->synchronize();
    took.push_back(seconds() - start);
  }
  results.add({"peer copies, both directions at once", 2 * bytes / median(took) * 1e-9, "GB/s", {}, ""});
  return results.finish();
}
