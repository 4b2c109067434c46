#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <random>

#include "base/file.hpp"
#include "cases.hpp"

namespace heddle::bench::comparison {
namespace {

using device::LaunchConfig;

// Values between -1 and 1, the same in every run.
std::vector<float> floats(std::size_t count, unsigned seed = 1) {
  std::minstd_rand random(seed);
  std::vector<float> made(count);
  for (float& value : made) value = static_cast<float>(random() % 20001) / 10000.0f - 1.0f;
  return made;
}
template <class T>
std::uint64_t array(Measure& measure, const std::vector<T>& values) {
  return measure.array(values.data(), values.size() * sizeof(T));
}
std::uint64_t random_floats(Measure& measure, std::size_t count, unsigned seed = 1) {
  return array(measure, floats(count, seed));
}

using Arguments = std::function<std::vector<std::byte>()>;

constexpr const char* nothing =
    ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry nothing()\n{\nret;\n}\n";

// Cycles of one of `count` launches in a row. One before them has warmed the L2 and the constant cache.
double in_a_row(Measure& measure, device::Function& function, const LaunchConfig& config, const Arguments& arguments) {
  const unsigned count = measure.simulated() ? 2 : 16;
  measure.cycles(function, config, arguments, 1, 1);
  return measure.cycles(function, config, arguments, count) / count;
}

struct Kernel {
  std::string file, name;
  std::array<unsigned, 2> grid = {1, 1}, block = {256, 1};
  // Allocates and fills what the kernel needs.
  std::function<std::vector<std::byte>(Measure&, const device::Function&)> arguments;
};

double run(const Kernel& kernel, const std::string& folder, Measure& measure) {
  const auto path = std::filesystem::path(folder) / (kernel.file + ".ptx");
  device::Function& function = measure.load(base::read_file(path), kernel.name);
  const std::vector<std::byte> packed = kernel.arguments(measure, function);
  LaunchConfig config;
  config.grid = {kernel.grid[0], std::max(kernel.grid[1], 1u)};
  config.block = {kernel.block[0], std::max(kernel.block[1], 1u)};
  const double whole = in_a_row(measure, function, config, [&] { return packed; });
  device::Function& empty = measure.load(nothing, "nothing");
  const double launch = in_a_row(measure, empty, {}, [] { return std::vector<std::byte>(); });
  measure.clear();
  return whole - launch;
}

std::vector<std::byte> of_spmv(Measure& measure, const device::Function& function) {
  constexpr int rows = 1 << 17, each = 16;
  std::minstd_rand random(3);
  std::vector<int> offsets(rows + 1), columns(static_cast<std::size_t>(rows) * each);
  for (int i = 0; i <= rows; ++i) offsets[static_cast<std::size_t>(i)] = i * each;
  for (int& column : columns) column = static_cast<int>(random() % rows);
  return pack(function, rows, array(measure, offsets), array(measure, columns), random_floats(measure, columns.size()),
              random_floats(measure, rows, 2), measure.zeros(rows * 4));
}

constexpr std::uint64_t word = 4;
using Packed = std::vector<std::byte>;
using Function = device::Function;

Packed of_reduce(Measure& m, const Function& f) {
  constexpr int n = 1 << 24;
  return pack(f, n, random_floats(m, n), m.zeros(528 * word));
}
Packed of_transpose(Measure& m, const Function& f) {
  constexpr int n = 2048;
  return pack(f, n, n, random_floats(m, n * n), m.zeros(n * n * word));
}
Packed of_histogram(Measure& m, const Function& f) {
  constexpr int n = 1 << 23;
  std::minstd_rand random(5);
  std::vector<unsigned char> data(n);
  for (unsigned char& byte : data) byte = static_cast<unsigned char>(random() >> 8);
  return pack(f, n, array(m, data), m.zeros(256 * word));
}
Packed of_gemm_tiled(Measure& m, const Function& f) {
  constexpr int n = 384;
  return pack(f, n, random_floats(m, n * n), random_floats(m, n * n, 2), m.zeros(n * n * word));
}
Packed of_gemm(Measure& m, const Function& f) {
  constexpr int n = 320;
  return pack(f, n, n, n, 1.0f, 0.0f, random_floats(m, n * n), random_floats(m, n * n, 2), m.zeros(n * n * word));
}
Packed of_black_scholes(Measure& m, const Function& f) {
  constexpr int n = 1 << 20;
  std::array<std::vector<float>, 3> in = {floats(n, 1), floats(n, 2), floats(n, 3)};
  for (auto& values : in)
    for (float& value : values) value = value * 0.45f + 1.0f;  // positive
  return pack(f, n, 0.02f, 0.3f, array(m, in[0]), array(m, in[1]), array(m, in[2]), m.zeros(n * word),
              m.zeros(n * word));
}
Packed of_nbody(Measure& m, const Function& f) {
  constexpr int n = 4096;
  return pack(f, n, random_floats(m, n * 4), m.zeros(n * 4 * word));
}
Packed of_mandelbrot(Measure& m, const Function& f) {
  constexpr int n = 1024;
  return pack(f, n, n, 64, -2.0f, -1.5f, 3.0f / n, m.zeros(n * n * word));
}

Kernel vector_kernel(const std::string& name, int n, bool factor) {
  return {name, name, {static_cast<unsigned>(n) / 256}, {256}, [n, factor](Measure& m, const Function& f) {
            const auto count = static_cast<std::size_t>(n);
            const auto x = random_floats(m, count), y = m.zeros(word * count);
            return factor ? pack(f, n, 2.0f, x, y) : pack(f, n, x, y);
          }};
}
Kernel matrix_kernel(const std::string& name) {
  static constexpr int n = 2048;
  return {"mvt", name, {n / 128}, {128}, [](Measure& m, const Function& f) {
            return pack(f, n, random_floats(m, n * n), random_floats(m, n), m.zeros(n * word));
          }};
}

std::vector<Kernel> all() {
  return {
      vector_kernel("copy", 1 << 24, false),
      vector_kernel("saxpy", 1 << 23, true),
      {"reduction", "reduce", {528}, {256}, of_reduce},
      {"transpose", "transpose", {64, 64}, {32, 8}, of_transpose},
      {"histogram", "histogram", {528}, {256}, of_histogram},
      {"gemm_tiled", "gemm_tiled", {24, 24}, {16, 16}, of_gemm_tiled},
      {"gemm", "gemm", {10, 40}, {32, 8}, of_gemm},
      {"conv2d", "conv2d", {64, 256}, {32, 8}, of_transpose},  // the same arguments
      {"black_scholes", "black_scholes", {4096}, {256}, of_black_scholes},
      {"nbody", "nbody", {16}, {256}, of_nbody},
      {"mandelbrot", "mandelbrot", {32, 128}, {32, 8}, of_mandelbrot},
      {"spmv", "spmv", {512}, {256}, of_spmv},
      matrix_kernel("mvt_rows"),
      matrix_kernel("mvt_columns"),
  };
}

}  // namespace

std::vector<Case> kernels(const std::string& folder) {
  std::vector<Case> cases;
  for (const Kernel& kernel : all())
    cases.push_back({kernel.name, true, [kernel, folder](Measure& measure) { return run(kernel, folder, measure); }});
  return cases;
}

}  // namespace heddle::bench::comparison
