// How much longer kernels of bench/cpu take on the CPU device with --check: with the check of memory, and with all
// kinds. Launches of a few milliseconds without the checks; their code is made before.
#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "compile/compile.hpp"
#include "device/cpu/cpu.hpp"
#include "device/parameter_layout.hpp"
#include "ptx/parser.hpp"
#include "support/results.hpp"

namespace {

using namespace heddle;
using Clock = std::chrono::steady_clock;

// An argument: an array of so many floats, or a number.
struct Argument {
  std::size_t floats = 0;
  std::uint32_t value = 0;
};
Argument array(std::size_t floats) { return {.floats = floats}; }
Argument number(std::uint32_t value) { return {.value = value}; }
Argument real(float value) {
  Argument made;
  std::memcpy(&made.value, &value, sizeof value);
  return made;
}

struct Case {
  const char* name;
  const char* file;
  Dim3 grid, block;
  std::vector<Argument> arguments;
};

// Seconds of the fastest of some launches.
double run(const Case& one, const std::shared_ptr<const ptx::Module>& ptx, const Checks& checks) {
  unsigned findings = 0;
  device::cpu::CpuOptions options;
  options.check = checks;
  options.on_finding = [&](const std::string& text) {
    if (findings++ == 0) fmt::print(stderr, "{}: {}\n", one.name, text);
  };
  const auto device = device::cpu::make_cpu_device(options);
  const auto module = device->load(ptx, {.check = checks});
  const auto kernel = std::find_if(ptx->functions.begin(), ptx->functions.end(),
                                   [](const ptx::Function& f) { return f.is_entry && !f.body.empty(); });
  device::Function& function = module->function(kernel->name);
  const auto queue = device->queue({});
  const auto layout = device::parameter_layout(kernel->parameters);
  std::vector<std::byte> packed(device::parameter_bytes(kernel->parameters));
  std::vector<std::unique_ptr<device::Memory>> arrays;
  for (std::size_t i = 0; i < one.arguments.size(); ++i) {
    const Argument& argument = one.arguments[i];
    if (argument.floats == 0) {
      std::memcpy(&packed[layout[i].offset], &argument.value, sizeof argument.value);
      continue;
    }
    arrays.push_back(device->allocate(argument.floats * sizeof(float)));
    queue->fill(arrays.back()->span(), 0, 1);
    const std::uint64_t address = arrays.back()->span().address;
    std::memcpy(&packed[layout[i].offset], &address, sizeof address);
  }
  device::LaunchConfig config;
  config.grid = one.grid;
  config.block = one.block;
  double best = 1e9;
  for (int i = 0; i < 6; ++i) {
    const auto start = Clock::now();
    queue->launch(function, config, {0, config.grid.count()}, packed);
    queue->synchronize();
    // The first one also makes the code and touches the shadow.
    if (i != 0) best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count());
  }
  return best;
}

}  // namespace

int main() {
  constexpr std::uint32_t n = 1 << 22;
  constexpr std::uint32_t side = 256;
  const std::size_t plane = std::size_t{side} * side;
  const Dim3 row = {256}, tile = {16, 16}, tiles = {side / 16, side / 16};
  const std::array<Case, 7> cases = {{
      {"copy", "copy.cu", {n / 256}, row, {number(n), array(n), array(n)}},
      {"saxpy", "saxpy.cu", {n / 256}, row, {number(n), real(2), array(n), array(n)}},
      {"reduction", "reduction.cu", {64}, row, {number(n), array(n), array(64)}},
      {"conv2d", "conv2d.cu", {2048 / 32, 2048 / 8}, {32, 8}, {number(2048), number(2048), array(n), array(n)}},
      {"gemm",
       "gemm.cu",
       {side / 32, side / 8},
       {32, 8},
       {number(side), number(side), number(side), real(1), real(0), array(plane), array(plane), array(plane)}},
      {"gemm_tiled", "gemm_tiled.cu", tiles, tile, {number(side), array(plane), array(plane), array(plane)}},
      {"nbody", "nbody.cu", {8}, row, {number(2048), array(4 * 2048), array(4 * 2048)}},
  }};
  bench::Results results("check");
  double memory_product = 1, all_product = 1;
  for (const Case& one : cases) {
    const auto ptx = std::make_shared<const ptx::Module>(
        ptx::parse(compile::compile_cuda_file(std::filesystem::path(HEDDLE_KERNELS) / one.file), one.file));
    const double plain = run(one, ptx, {}), memory = run(one, ptx, true), all = run(one, ptx, Checks::all());
    results.add({fmt::format("{} --check=memory", one.name), memory / plain, "x", bench::at_most(5), "without"});
    results.add({fmt::format("{} --check=all", one.name), all / plain, "x", bench::at_most(30), "without"});
    memory_product *= memory / plain;
    all_product *= all / plain;
  }
  const double count = static_cast<double>(cases.size());
  results.add(
      {"geometric mean --check=memory", std::pow(memory_product, 1 / count), "x", bench::at_most(5), "without"});
  results.add({"geometric mean --check=all", std::pow(all_product, 1 / count), "x", bench::at_most(30), "without"});
  return results.finish();
}
