// What tensor-core instructions cost on the CPU device: a product of matrices of halves with them, and the same product
// by threads alone.
//   matrices          measures
//   matrices --check  compares the results alone
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "heddle/heddle.hpp"
#include "support/results.hpp"
#include "support/statistics.hpp"

namespace {

using namespace heddle;
using Clock = std::chrono::steady_clock;

constexpr std::uint16_t one = 0x3c00;  // in f16
constexpr unsigned tile = 64;

class Product {
 public:
  explicit Product(unsigned n)
      : n_(n),
        module_(runtime_.load_ptx_file(std::filesystem::read_symlink("/proc/self/exe").parent_path() / "kernels" /
                                       "matrices.ptx")),
        a_(runtime_.array<std::uint16_t>(std::size_t{n} * n)),
        b_(runtime_.array<std::uint16_t>(std::size_t{n} * n)) {
    std::uint32_t i = 0;  // ones, minus ones and zeros: sums are exact
    for (Array<std::uint16_t>* const array : {&a_, &b_})
      for (std::uint16_t& value : array->write()) {
        const std::uint32_t mixed = ++i * 2654435761U >> 16;
        value = static_cast<std::uint16_t>(mixed % 3 == 0 ? 0 : one | (mixed & 1) << 15);
      }
  }
  std::vector<float> with(const char* kernel, unsigned threads, double* seconds = nullptr) {
    Array<float> c = runtime_.array<float>(a_.size());
    const Kernel function = module_.kernel(kernel);
    const auto run = [&] {
      runtime_.launch(function, {.grid = {n_ / tile, n_ / tile}, .block = {threads}}, static_cast<int>(n_), a_, b_, c);
      runtime_.synchronize();
    };
    run();
    if (seconds != nullptr) {
      const auto start = Clock::now();
      run();
      *seconds = std::chrono::duration<double>(Clock::now() - start).count();
    }
    const std::span<const float> result = c.read();
    return {result.begin(), result.end()};
  }

 private:
  Runtime runtime_{{.devices = "cpu"}};
  const unsigned n_;
  Module module_;
  Array<std::uint16_t> a_, b_;
};

}  // namespace

int main(int count, char** arguments) try {
  const bool checks = count > 1 && std::strcmp(arguments[1], "--check") == 0;
  const unsigned n = checks ? 128 : 512;
  Product product(n);
  std::vector<double> tensor, threads;
  for (int round = 0; round < (checks ? 1 : 15); ++round) {
    double seconds = 0;
    const std::vector<float> sums = product.with("by_tensor_cores", 128, &seconds);
    tensor.push_back(seconds);
    if (product.with("by_threads", 256, &seconds) != sums) {
      fmt::print(stderr, "the products differ\n");
      return 1;
    }
    threads.push_back(seconds);
  }
  if (checks) return 0;
  const double products = std::pow(n, 3) * 1e-9, by_tensor = bench::median(tensor), by_threads = bench::median(threads);
  bench::Results results("cpu");
  results.add({"512x512 halves by wmma", products / by_tensor, "1e9 products/s", {}, ""});
  results.add({"512x512 halves by threads", products / by_threads, "1e9 products/s", {}, ""});
  results.add({"wmma over threads", by_threads / by_tensor, "x", bench::at_least(1.0), "the same product by threads"});
  return results.finish();
} catch (const std::exception& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
}
