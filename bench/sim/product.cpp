#include "product.hpp"

#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <span>
#include <vector>

#include "base/fail.hpp"
#include "compile/compile.hpp"
#include "device/parameter_layout.hpp"
#include "device/sim/policies/registry.hpp"
#include "heap.hpp"
#include "ptx/analysis/resources.hpp"
#include "ptx/parser.hpp"

namespace heddle::bench {
namespace {

constexpr unsigned side = 16;  // of a block

double seconds(clockid_t of) {
  timespec time = {};
  ::clock_gettime(of, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// Small whole numbers, whose products are exact in any order.
std::vector<float> numbers(std::size_t count, unsigned seed) {
  std::vector<float> made(count);
  for (std::size_t i = 0; i < count; ++i) made[i] = static_cast<float>((i * 7 + seed) % 13) - 6;
  return made;
}

void check(const std::vector<float>& a, const std::vector<float>& b, std::span<const float> c, std::uint32_t n) {
  for (std::uint32_t row = 0; row < n; ++row) {
    for (std::uint32_t column = 0; column < n; ++column) {
      float sum = 0;
      for (std::uint32_t k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
      if (sum != c[row * n + column]) base::fail(ErrorCode::internal, "the product is wrong at ({}, {})", row, column);
    }
  }
}

// Of the threads that are on the machine at once: all of its blocks that fit, or all there are.
struct Residents {
  std::uint64_t blocks = 0;
  std::uint64_t bytes = 0;  // of their registers and shared memory
};
Residents residents(const device::sim::MachineDescription& machine, const ptx::Module& module,
                    const ptx::Function& kernel, std::uint64_t blocks) {
  constexpr unsigned threads = side * side, shared = 2 * threads * sizeof(float), word = 8;
  const auto resources = ptx::analysis::find_resources(module, ptx::analysis::find_waiting(module, {}));
  const unsigned registers = resources[static_cast<std::size_t>(&kernel - module.functions.data())].registers;
  const device::sim::Residency& limits = machine.residency;
  const auto needs = device::sim::needs_of(limits, threads, std::min(registers, limits.thread_registers), shared);
  const auto sm = device::sim::make_residency(machine.policies.residency, limits,
                                              device::sim::PolicyOptions(machine.policies.options));
  std::uint64_t of_sm = 0;
  for (; sm->admits(needs); ++of_sm) sm->admitted(needs);
  Residents result;
  result.blocks = std::min(blocks, of_sm * machine.sms);
  result.bytes = result.blocks * (threads * kernel.registers.size() * word + shared);
  return result;
}

}  // namespace

std::shared_ptr<const ptx::Module> product_module() {
  const std::string file = "gemm_tiled.cu";
  return std::make_shared<const ptx::Module>(
      ptx::parse(compile::compile_cuda_file(std::filesystem::path(HEDDLE_KERNELS) / file), file));
}

ProductRun run_product(const std::shared_ptr<const ptx::Module>& module, const std::string& machine, std::uint32_t n) {
  ProductRun result;
  const std::int64_t before = heap_bytes();
  device::sim::SimOptions options = device::sim::parse_sim_options(machine);
  const device::sim::MachineDescription description = options.machine;
  options.on_launch = [&](const std::string&, const auto& statistics) { result.statistics = statistics; };
  const auto device = device::sim::make_sim_device(std::move(options));
  const std::int64_t made = heap_bytes() - before;
  const auto loaded = device->load(module, {});
  device::Function& function = loaded->function("gemm_tiled");
  const auto queue = device->queue({});
  const std::size_t count = std::size_t{n} * n;
  const std::vector<float> a = numbers(count, 1), b = numbers(count, 5);
  std::vector<std::unique_ptr<device::Memory>> arrays;
  std::vector<std::byte> packed(device::parameter_bytes(function.ptx().parameters));
  const auto layout = device::parameter_layout(function.ptx().parameters);
  std::memcpy(&packed[layout[0].offset], &n, sizeof n);
  for (unsigned i = 0; i < 3; ++i) {
    arrays.push_back(device->allocate(count * sizeof(float)));
    const std::uint64_t address = arrays.back()->span().address;
    if (i < 2) std::memcpy(reinterpret_cast<void*>(address), (i == 0 ? a : b).data(), count * sizeof(float));
    std::memcpy(&packed[layout[i + 1].offset], &address, sizeof address);
  }
  device::LaunchConfig config;
  config.grid = {n / side, n / side};
  config.block = {side, side};
  const Residents on_machine = residents(description, *module, function.ptx(), config.grid.count());
  reset_heap_peak();
  const std::int64_t without_launch = heap_bytes();
  const double start = seconds(CLOCK_MONOTONIC), processor_start = seconds(CLOCK_PROCESS_CPUTIME_ID);
  queue->launch(function, config, {0, config.grid.count()}, packed);
  queue->synchronize();
  result.seconds = seconds(CLOCK_MONOTONIC) - start;
  result.processor_seconds = seconds(CLOCK_PROCESS_CPUTIME_ID) - processor_start;
  result.resident_threads = on_machine.blocks * side * side;
  result.simulator_bytes =
      static_cast<double>(made + heap_peak() - without_launch) - static_cast<double>(on_machine.bytes);
  check(a, b, {reinterpret_cast<const float*>(arrays[2]->span().address), count}, n);
  return result;
}

}  // namespace heddle::bench
