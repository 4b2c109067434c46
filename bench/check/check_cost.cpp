// How much longer kernels of bench/cpu take on the CPU device with --check: with the check of memory, and with all
// kinds. Launches of a few milliseconds without the checks; their code is made before. With --processor-time, the time
// of all threads on the processor is measured, for busy machines, and no file is written.
#include <fmt/format.h>
#include <time.h>
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "compile/compile.hpp"
#include "device/cpu/cpu.hpp"
#include "device/parameter_layout.hpp"
#include "ptx/parser.hpp"
#include "support/results.hpp"

namespace {

using namespace heddle;

double seconds(bool of_processor) {
  timespec time = {};
  ::clock_gettime(of_processor ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

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
  const char* name;  // of the file, and of the kernel where it has several
  Dim3 grid, block;
  std::vector<Argument> arguments;
};

// Seconds of the fastest of some launches.
double run(const Case& one, const std::shared_ptr<const ptx::Module>& ptx, const Checks& checks, bool of_processor) {
  unsigned findings = 0;
  device::cpu::CpuOptions options;
  options.check = checks;
  options.on_finding = [&](const std::string& text) {
    if (findings++ == 0) fmt::print(stderr, "{}: {}\n", one.name, text);
  };
  const auto device = device::cpu::make_cpu_device(options);
  const auto module = device->load(ptx, {.check = checks});
  const auto has_code = [](const ptx::Function& f) { return f.is_entry && !f.body.empty(); };
  const auto named = std::find_if(ptx->functions.begin(), ptx->functions.end(),
                                  [&](const ptx::Function& f) { return has_code(f) && f.name == one.name; });
  const auto kernel =
      named != ptx->functions.end() ? named : std::find_if(ptx->functions.begin(), ptx->functions.end(), has_code);
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
    const double start = seconds(of_processor);
    queue->launch(function, config, {0, config.grid.count()}, packed);
    queue->synchronize();
    // The first one also makes the code and touches the shadow.
    if (i != 0) best = std::min(best, seconds(of_processor) - start);
  }
  return best;
}

}  // namespace

int main(int count, char** arguments) {
  const bool of_processor = count > 1 && std::string_view(arguments[1]) == "--processor-time";
  constexpr std::uint32_t n = 1 << 22;
  constexpr std::uint32_t side = 256;
  const std::size_t plane = std::size_t{side} * side;
  const Dim3 row = {256}, tile = {16, 16}, tiles = {side / 16, side / 16};
  const std::array<Case, 9> cases = {{
      {"copy", {n / 256}, row, {number(n), array(n), array(n)}},
      {"saxpy", {n / 256}, row, {number(n), real(2), array(n), array(n)}},
      {"reduction", {64}, row, {number(n), array(n), array(64)}},
      {"conv2d", {2048 / 32, 2048 / 8}, {32, 8}, {number(2048), number(2048), array(n), array(n)}},
      {"stencil_3d",
       {4, 16, 32},
       {32, 8, 4},
       {number(128), number(128), number(128), real(1), real(2), array(1 << 21), array(1 << 21)}},
      {"histogram", {64}, row, {number(n), array(n / 4), array(256)}},
      {"gemm",
       {side / 32, side / 8},
       {32, 8},
       {number(side), number(side), number(side), real(1), real(0), array(plane), array(plane), array(plane)}},
      {"gemm_tiled", tiles, tile, {number(side), array(plane), array(plane), array(plane)}},
      {"nbody", {8}, row, {number(2048), array(4 * 2048), array(4 * 2048)}},
  }};
  bench::Results results("check");
  double memory_product = 1, all_product = 1;
  for (const Case& one : cases) {
    const std::string file = fmt::format("{}.cu", one.name);
    const auto ptx = std::make_shared<const ptx::Module>(
        ptx::parse(compile::compile_cuda_file(std::filesystem::path(HEDDLE_KERNELS) / file), file));
    const double plain = run(one, ptx, {}, of_processor), memory = run(one, ptx, true, of_processor),
                 all = run(one, ptx, Checks::all(), of_processor);
    results.add({fmt::format("{} --check=memory", one.name), memory / plain, "x", bench::at_most(5), "without"});
    results.add({fmt::format("{} --check=all", one.name), all / plain, "x", bench::at_most(30), "without"});
    memory_product *= memory / plain;
    all_product *= all / plain;
  }
  const double number_of_cases = static_cast<double>(cases.size());
  results.add({"geometric mean --check=memory", std::pow(memory_product, 1 / number_of_cases), "x", bench::at_most(5),
               "without"});
  results.add(
      {"geometric mean --check=all", std::pow(all_product, 1 / number_of_cases), "x", bench::at_most(30), "without"});
  if (!of_processor) return results.finish();
  fmt::print("{}\n", results.table());
  return 0;
}
