#include "kernels.hpp"

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
std::uint64_t array(Arrays& arrays, const std::vector<T>& values) {
  return arrays.array(values.data(), values.size() * sizeof(T));
}
std::uint64_t random_floats(Arrays& arrays, std::size_t count, unsigned seed = 1) {
  return array(arrays, floats(count, seed));
}

using Arguments = std::function<std::vector<std::byte>()>;

// Cycles of one of `count` launches in a row. One before them has warmed the L2 and the constant cache.
double in_a_row(Measure& measure, device::Function& function, const LaunchConfig& config, const Arguments& arguments) {
  const unsigned count = measure.simulated() ? 2 : 16;
  measure.cycles(function, config, arguments, 1, 1);
  return measure.cycles(function, config, arguments, count) / count;
}

double run(const Kernel& kernel, const std::string& folder, Measure& measure) {
  const auto path = std::filesystem::path(folder) / (kernel.file + ".ptx");
  device::Function& function = measure.load(base::read_file(path), kernel.name);
  const std::vector<std::byte> packed = kernel.arguments(measure, function);
  const double whole = in_a_row(measure, function, kernel.config(), [&] { return packed; });
  device::Function& empty = measure.load(nothing, "nothing");
  const double launch = in_a_row(measure, empty, {}, [] { return std::vector<std::byte>(); });
  measure.clear();
  return whole - launch;
}

constexpr std::uint64_t word = 4;
using Packed = std::vector<std::byte>;
using Function = device::Function;
using Maker = std::function<Packed(Arrays&, const Function&)>;  // of a kernel's arguments

Maker of_spmv(int rows) {
  return [rows](Arrays& a, const Function& f) {
    constexpr int each = 16;
    std::minstd_rand random(3);
    const auto count = static_cast<std::size_t>(rows);
    std::vector<int> offsets(count + 1), columns(count * each);
    for (int i = 0; i <= rows; ++i) offsets[static_cast<std::size_t>(i)] = i * each;
    for (int& column : columns) column = static_cast<int>(random() % static_cast<unsigned>(rows));
    return pack(f, rows, array(a, offsets), array(a, columns), random_floats(a, columns.size()),
                random_floats(a, count, 2), a.zeros(count * word));
  };
}
Maker of_reduce(int n) {
  return [n](Arrays& a, const Function& f) {
    return pack(f, n, random_floats(a, static_cast<std::size_t>(n)), a.zeros(528 * word));
  };
}
// An image or a matrix to another of the same size.
Maker of_square(int n) {
  return [n](Arrays& a, const Function& f) {
    const std::size_t count = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
    return pack(f, n, n, random_floats(a, count), a.zeros(count * word));
  };
}
Maker of_histogram(int n) {
  return [n](Arrays& a, const Function& f) {
    std::minstd_rand random(5);
    std::vector<unsigned char> data(static_cast<std::size_t>(n));
    for (unsigned char& byte : data) byte = static_cast<unsigned char>(random() >> 8);
    return pack(f, n, array(a, data), a.zeros(256 * word));
  };
}
Maker of_gemm_tiled(int n) {
  return [n](Arrays& a, const Function& f) {
    const std::size_t count = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
    return pack(f, n, random_floats(a, count), random_floats(a, count, 2), a.zeros(count * word));
  };
}
Maker of_gemm(int n) {
  return [n](Arrays& a, const Function& f) {
    const std::size_t count = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
    return pack(f, n, n, n, 1.0f, 0.0f, random_floats(a, count), random_floats(a, count, 2), a.zeros(count * word));
  };
}
Maker of_black_scholes(int n) {
  return [n](Arrays& a, const Function& f) {
    const auto count = static_cast<std::size_t>(n);
    std::array<std::vector<float>, 3> in = {floats(count, 1), floats(count, 2), floats(count, 3)};
    for (auto& values : in)
      for (float& value : values) value = value * 0.45f + 1.0f;  // positive
    return pack(f, n, 0.02f, 0.3f, array(a, in[0]), array(a, in[1]), array(a, in[2]), a.zeros(count * word),
                a.zeros(count * word));
  };
}
Maker of_nbody(int n) {
  return [n](Arrays& a, const Function& f) {
    const auto count = static_cast<std::size_t>(n) * 4;
    return pack(f, n, random_floats(a, count), a.zeros(count * word));
  };
}
Maker of_mandelbrot(int n) {
  return [n](Arrays& a, const Function& f) {
    const std::size_t count = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
    return pack(f, n, n, 64, -2.0f, -1.5f, 3.0f / static_cast<float>(n), a.zeros(count * word));
  };
}

Kernel vector_kernel(const std::string& name, int n, bool factor) {
  return {name, name, {static_cast<unsigned>(n) / 256}, {256}, [n, factor](Arrays& a, const Function& f) {
            const auto count = static_cast<std::size_t>(n);
            const auto x = random_floats(a, count), y = a.zeros(word * count);
            return factor ? pack(f, n, 2.0f, x, y) : pack(f, n, x, y);
          }};
}
Kernel matrix_kernel(const std::string& name, int n) {
  return {"mvt", name, {static_cast<unsigned>(n) / 128}, {128}, [n](Arrays& a, const Function& f) {
            const auto count = static_cast<std::size_t>(n);
            return pack(f, n, random_floats(a, count * count), random_floats(a, count), a.zeros(count * word));
          }};
}
// Blocks of `x` times `y` threads for each of n x n elements.
std::array<unsigned, 2> square_grid(int n, unsigned x, unsigned y) {
  return {static_cast<unsigned>(n) / x, static_cast<unsigned>(n) / y};
}

}  // namespace

const char* const nothing = ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry nothing()\n{\nret;\n}\n";

LaunchConfig Kernel::config() const {
  LaunchConfig made;
  made.grid = {grid[0], std::max(grid[1], 1u)};
  made.block = {block[0], std::max(block[1], 1u)};
  return made;
}

std::vector<Kernel> kernel_list(Sizes sizes) {
  const auto size = [&](int full, int small) { return sizes == Sizes::full ? full : small; };
  const int square = size(2048, 512), tiled = size(384, 128), product = size(320, 128), image = size(1024, 256);
  const int options = size(1 << 20, 1 << 16), bodies = size(4096, 1024), rows = size(1 << 17, 1 << 14);
  const int matrix = size(2048, 512);
  return {
      vector_kernel("copy", size(1 << 24, 1 << 19), false),
      vector_kernel("saxpy", size(1 << 23, 1 << 19), true),
      {"reduction", "reduce", {528}, {256}, of_reduce(size(1 << 24, 1 << 20))},
      {"transpose", "transpose", square_grid(square, 32, 32), {32, 8}, of_square(square)},
      {"histogram", "histogram", {528}, {256}, of_histogram(size(1 << 23, 1 << 20))},
      {"gemm_tiled", "gemm_tiled", square_grid(tiled, 16, 16), {16, 16}, of_gemm_tiled(tiled)},
      {"gemm", "gemm", square_grid(product, 32, 8), {32, 8}, of_gemm(product)},
      {"conv2d", "conv2d", square_grid(square, 32, 8), {32, 8}, of_square(square)},
      {"black_scholes", "black_scholes", {static_cast<unsigned>(options) / 256}, {256}, of_black_scholes(options)},
      {"nbody", "nbody", {static_cast<unsigned>(bodies) / 256}, {256}, of_nbody(bodies)},
      {"mandelbrot", "mandelbrot", square_grid(image, 32, 8), {32, 8}, of_mandelbrot(image)},
      {"spmv", "spmv", {static_cast<unsigned>(rows) / 256}, {256}, of_spmv(rows)},
      matrix_kernel("mvt_rows", matrix),
      matrix_kernel("mvt_columns", matrix),
  };
}

std::vector<Case> kernels(const std::string& folder, Sizes sizes) {
  std::vector<Case> cases;
  for (const Kernel& kernel : kernel_list(sizes))
    cases.push_back({kernel.name, true, [kernel, folder](Measure& measure) { return run(kernel, folder, measure); }});
  return cases;
}

}  // namespace heddle::bench::comparison
