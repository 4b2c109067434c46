// Offset slices: what a launch costs that is cut into block ranges of 100 us, in one queue and in two, and whether the
// results stay the same bit for bit, with ranges of random sizes in two queues at once too.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <random>

#include "device/cuda/module.hpp"
#include "gpu.hpp"
#include "support/statistics.hpp"

namespace {

using namespace heddle;
using namespace heddle::bench;
using device::Memory;
using device::Queue;

constexpr int rounds = 31;
constexpr double slice_seconds = 100e-6;

// One kernel with its data.
struct Work {
  std::string name;
  std::shared_ptr<device::Module> module;
  device::Function* function = nullptr;
  device::LaunchConfig config;
  std::vector<std::byte> arguments;
  std::vector<std::unique_ptr<Memory>> memory;
  std::size_t output = 0;         // which memory the kernel writes
  std::function<void()> restore;  // of the output, before a run whose result counts; may be empty
};

class Bench {
 public:
  Bench(Gpu& gpu, Results& results)
      : gpu_(gpu), results_(results), first_(gpu.device->queue({})), second_(gpu.device->queue({})) {}

  void run(Work& work) {
    work.function->prepare(work.config.block);
    const std::uint64_t blocks = work.config.grid.count();
    const auto whole = [&] {
      first_->launch(*work.function, work.config, {0, blocks}, work.arguments);
      first_->synchronize();
    };
    whole();
    std::vector<double> took;
    for (int i = 0; i < 9; ++i) took.push_back(time_once(whole));
    const double seconds = median(took);
    // Whole waves of at least so long: fewer blocks than the GPU holds at a time would leave SMs empty.
    const std::uint64_t wave = wave_of(work);
    const auto waves = static_cast<std::uint64_t>(
        slice_seconds / seconds * static_cast<double>(blocks) / static_cast<double>(wave) + 1);
    const std::uint64_t step = waves * wave, slices = (blocks + step - 1) / step;
    const auto sliced = [&](unsigned queues) {
      for (std::uint64_t i = 0; i < slices; ++i)
        (queues == 2 && i % 2 == 1 ? *second_ : *first_)
            .launch(*work.function, work.config, {step * i, std::min(blocks, step * (i + 1))}, work.arguments);
      if (queues == 2) join();
      first_->synchronize();
    };
    results_.add({work.name + ", whole", seconds * 1e3, "ms", {}, ""});
    results_.add({work.name + ", slices", static_cast<double>(slices), "", {}, ""});
    results_.add({work.name + ", a slice", seconds / static_cast<double>(slices) * 1e6, "us", {}, ""});
    const Paired one = run_paired([&] { sliced(1); }, whole, rounds, 2);
    const Paired two = run_paired([&] { sliced(2); }, whole, rounds, 2);
    results_.add({work.name + ", slices in one queue over whole", 1 / one.ratio, "x", at_most(1.02), "whole launch"});
    results_.add({work.name + ", slices in two queues over whole", 1 / two.ratio, "x", at_most(1.02), "whole launch"});
    registers(work);
    equality(work, whole, sliced);
  }

 private:
  void join() {
    const auto done = gpu_.device->event();
    second_->record(*done);
    first_->wait(*done);
  }

  std::uint64_t wave_of(Work& work) {
    auto& function = dynamic_cast<device::cuda::CudaFunction&>(*work.function);
    return function.whole().resident_blocks(function.module().state(), work.config.block.count(), 0) *
           gpu_.device->info().processors;
  }

  void registers(Work& work) {
    auto& function = dynamic_cast<device::cuda::CudaFunction&>(*work.function);
    const auto& state = function.module().state();
    const auto count = [&](const device::cuda::DriverFunction& code) {
      return code.attribute(state, device::cuda::driver::FunctionAttribute::registers);
    };
    int most = 0;
    for (const auto form : {ptx::RangeForm::box, ptx::RangeForm::linear})
      if (function.has(form)) most = std::max(most, count(*function.range(form).function) - count(function.whole()));
    results_.add(
        {work.name + ", registers that slices add", static_cast<double>(most), "", at_most(0), "whole launch"});
  }

  std::unique_ptr<Memory> output_of(Work& work, const std::function<void()>& run) {
    const auto& out = *work.memory[work.output];
    if (work.restore)
      work.restore();
    else
      first_->fill(out.span(), 0xCDCDCDCD, 4);
    first_->synchronize();
    run();
    auto host = gpu_.device->allocate_host(out.span().size);
    first_->copy(host->span(), out.span());
    first_->synchronize();
    return host;
  }

  void equality(Work& work, const std::function<void()>& whole, const std::function<void(unsigned)>& sliced) {
    const std::uint64_t blocks = work.config.grid.count();
    const auto expected = output_of(work, whole);
    const auto differs = [&](const std::function<void()>& run) {
      const auto got = output_of(work, run);
      return std::memcmp(got->host(), expected->host(), expected->span().size) != 0;
    };
    std::mt19937_64 random(7);
    int wrong = 0;
    wrong += differs([&] { sliced(1); });
    wrong += differs([&] { sliced(2); });
    for (int i = 0; i < 3; ++i)
      wrong += differs([&] {
        for (std::uint64_t begin = 0; begin < blocks;) {
          const std::uint64_t size = 1 + random() % (blocks / 5 + 1);
          const std::uint64_t end = std::min(blocks, begin + size);
          (random() % 2 == 0 ? *first_ : *second_).launch(*work.function, work.config, {begin, end}, work.arguments);
          begin = end;
        }
        join();
        first_->synchronize();
      });
    results_.add(
        {work.name + ", sliced results that differ, of 5", static_cast<double>(wrong), "", at_most(0), "whole launch"});
  }

  Gpu& gpu_;
  Results& results_;
  std::unique_ptr<Queue> first_, second_;
};

class Maker {
 public:
  explicit Maker(Gpu& gpu) : gpu_(gpu), queue_(gpu.device->queue({})) {}

  Work saxpy() {
    const int n = 1 << 29;
    Work work = begin("saxpy");
    const auto x = floats(work, n, 1), y = floats(work, n, 2);
    work.output = 1;
    work.config = {.grid = {n / 256}, .block = {256}};
    work.arguments = pack(*work.function, n, 2.5f, x, y);
    work.restore = [this, memory = work.memory[1].get(), n] { random_floats(*memory, n, 2); };
    return work;
  }

  Work gemm() {
    const int n = 4096;
    Work work = begin("gemm_tiled");
    const std::size_t all = std::size_t{n} * n;
    const auto a = floats(work, all, 1), b = floats(work, all, 2), c = floats(work, all, 3);
    work.output = 2;
    work.config = {.grid = {n / 16, n / 16}, .block = {16, 16}};
    work.arguments = pack(*work.function, n, a, b, c);
    return work;
  }

  Work stencil() {
    const int n = 1024;
    Work work = begin("stencil_3d");
    const std::size_t all = std::size_t{n} * n * n;
    const auto in = floats(work, all, 1), out = floats(work, all, 2);
    work.output = 1;
    work.config = {.grid = {n / 32, n / 8, n}, .block = {32, 8, 1}};
    work.arguments = pack(*work.function, n, n, n, 0.4f, 0.1f, in, out);
    return work;
  }

  Work black_scholes() {
    const int n = 1 << 28;
    Work work = begin("black_scholes");
    const auto price = floats(work, n, 1), strike = floats(work, n, 2), years = floats(work, n, 3),
               call = floats(work, n, 4), put = floats(work, n, 5);
    work.output = 3;
    work.config = {.grid = {n / 256}, .block = {256}};
    work.arguments = pack(*work.function, n, 0.02f, 0.3f, price, strike, years, call, put);
    return work;
  }

  // 32 entries a row, columns at random.
  Work spmv() {
    const int rows = 1 << 22, each = 32;
    Work work = begin("spmv");
    std::vector<int> offsets(rows + 1);
    for (int i = 0; i <= rows; ++i) offsets[static_cast<std::size_t>(i)] = i * each;
    std::vector<int> columns(static_cast<std::size_t>(rows) * each);
    std::uint32_t state = 1;
    for (int& column : columns) {
      state = state * 1664525u + 1013904223u;
      column = static_cast<int>(state >> 10);
    }
    const auto o = values(work, offsets), c = values(work, columns);
    const auto v = floats(work, columns.size(), 1), x = floats(work, rows, 2), y = floats(work, rows, 3);
    work.output = 4;
    work.config = {.grid = {rows / 256}, .block = {256}};
    work.arguments = pack(*work.function, rows, o, c, v, x, y);
    return work;
  }

 private:
  Work begin(const std::string& name) {
    Work work;
    work.name = name;
    work.module = load_kernel(gpu_, name);
    work.function = &work.module->function(name);
    return work;
  }
  std::uint64_t floats(Work& work, std::size_t n, unsigned seed) {
    work.memory.push_back(gpu_.device->allocate(n * 4));
    random_floats(*work.memory.back(), n, seed);
    return work.memory.back()->span().address;
  }
  // From 1 to 2; the same for the same seed.
  void random_floats(const Memory& memory, std::size_t n, unsigned seed) {
    if (!pattern_) pattern_ = gpu_.device->allocate_host(std::size_t{pattern_words} * 4);
    auto* words = static_cast<std::uint32_t*>(pattern_->host());
    std::uint32_t state = seed * 2654435761u;
    for (std::size_t i = 0; i < std::min<std::size_t>(n, pattern_words); ++i) {
      state = state * 1664525u + 1013904223u;
      words[i] = 0x3F800000u | state >> 9;
    }
    for (std::size_t at = 0; at < n; at += pattern_words) {
      const std::size_t bytes = std::min<std::size_t>(n - at, pattern_words) * 4;
      queue_->copy(memory.span().sub(at * 4, bytes), pattern_->span().sub(0, bytes));
    }
    queue_->synchronize();
  }
  template <class T>
  std::uint64_t values(Work& work, const std::vector<T>& data) {
    const std::size_t bytes = data.size() * sizeof(T);
    work.memory.push_back(gpu_.device->allocate(bytes));
    queue_->copy(work.memory.back()->span(), device::Span::host(data.data(), bytes));
    queue_->synchronize();
    return work.memory.back()->span().address;
  }

  static constexpr std::size_t pattern_words = std::size_t{1} << 24;
  Gpu& gpu_;
  std::unique_ptr<Queue> queue_;
  std::unique_ptr<Memory> pattern_;
};

}  // namespace

int main() {
  auto gpu = open_gpu();
  if (!gpu) return 0;
  Results results("cuda");
  results.also_on(gpu->text());
  Bench bench(*gpu, results);
  Maker maker(*gpu);
  for (Work (Maker::*make)() : {&Maker::saxpy, &Maker::gemm, &Maker::stencil, &Maker::black_scholes, &Maker::spmv}) {
    Work work = (maker.*make)();
    fmt::print("{} ...\n", work.name);
    bench.run(work);
  }
  return results.finish();
}
