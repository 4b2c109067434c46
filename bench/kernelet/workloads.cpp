#include "kernelet/workloads.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

#include "compile/compile.hpp"
#include "ptx/parser.hpp"

namespace heddle::bench::kernelet {
namespace {

using batch::ArgumentData;
using batch::Kernel;

template <class T>
ArgumentData array(const std::vector<T>& values) {
  ArgumentData data{std::vector<std::byte>(values.size() * sizeof(T)), true};
  std::memcpy(data.bytes.data(), values.data(), data.bytes.size());
  return data;
}
template <class T>
ArgumentData zeros(std::size_t count) {
  return {std::vector<std::byte>(count * sizeof(T)), true};
}
template <class T>
ArgumentData scalar(T value) {
  ArgumentData data{std::vector<std::byte>(sizeof value), false};
  std::memcpy(data.bytes.data(), &value, sizeof value);
  return data;
}
template <class T>
std::vector<T> result(Kernel& kernel, std::size_t argument) {
  const std::vector<std::byte> bytes = kernel.read(argument);
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

// Integers must be the same, floats within a part of 1 or of the value.
double deviation(const std::vector<unsigned>& got, const std::vector<unsigned>& expected) {
  return got == expected ? 0 : 2;
}
double deviation(const std::vector<float>& got, const std::vector<float>& expected, float permitted) {
  double worst = got.size() == expected.size() ? 0 : 2;
  for (std::size_t i = 0; i < expected.size() && i < got.size(); ++i) {
    const double off = std::abs(got[i] - expected[i]) / (permitted * std::max(1.0f, std::abs(expected[i])));
    worst = std::isfinite(off) ? std::max(worst, off) : 2;
  }
  return worst;
}

class Numbers {
 public:
  explicit Numbers(std::uint32_t seed) : random_(seed) {}
  std::vector<float> floats(std::size_t count, float low, float high) {
    std::vector<float> values(count);
    for (float& value : values) value = low + (high - low) * (static_cast<float>(random_() >> 8) / 16777216.0f);
    return values;
  }
  std::vector<unsigned> words(std::size_t count) {
    std::vector<unsigned> values(count);
    for (unsigned& value : values) value = random_();
    return values;
  }
  std::vector<unsigned char> bytes(std::size_t count) {
    std::vector<unsigned char> values(count);
    for (unsigned char& value : values) value = static_cast<unsigned char>(random_());
    return values;
  }

 private:
  std::mt19937 random_;
};

// One cycle through all places, so that chains do not meet.
Workload pc(unsigned blocks) {
  constexpr unsigned threads = 256, places = 1u << 20;
  constexpr int steps = 1;
  std::vector<unsigned> next(places), order(places);
  for (unsigned i = 0; i < places; ++i) order[i] = i;
  std::mt19937 random(1);
  for (unsigned i = places - 1; i > 0; --i) std::swap(order[i], order[random() % (i + 1)]);
  for (unsigned i = 0; i < places; ++i) next[order[i]] = order[(i + 1) % places];
  std::vector<unsigned> expected(std::size_t{blocks} * threads);
  for (unsigned i = 0; i < expected.size(); ++i) {
    unsigned place = (i * 2654435761u) & (places - 1);
    for (int step = 0; step < steps; ++step) place = next[place];
    expected[i] = place;
  }
  return {{"PC",
           {},
           "pc",
           {.grid = {blocks}, .block = {threads}},
           {array(next), zeros<unsigned>(expected.size()), scalar(places - 1), scalar(steps)}},
          [expected](Kernel& kernel) { return deviation(result<unsigned>(kernel, 1), expected); }};
}

Workload sad(unsigned blocks) {
  constexpr int width = 576, across = (width - 64) / 4, threads = 32, shifts = 4;
  const int height = static_cast<int>(blocks / across + 1) * 4 + shifts;
  Numbers numbers(2);
  const auto frame = numbers.bytes(static_cast<std::size_t>(width) * height), reference = numbers.bytes(frame.size());
  std::vector<unsigned> expected(std::size_t{blocks} * threads);
  for (unsigned block = 0; block < blocks; ++block)
    for (int thread = 0; thread < threads; ++thread) {
      const int x = static_cast<int>(block) % across * 4, y = static_cast<int>(block) / across * 4;
      unsigned least = ~0u;
      for (int shift = 0; shift < shifts; ++shift) {
        unsigned sum = 0;
        for (int row = 0; row < 4; ++row)
          for (int column = 0; column < 4; ++column)
            sum += static_cast<unsigned>(
                std::abs(frame[static_cast<std::size_t>((y + row) * width + x + column)] -
                         reference[static_cast<std::size_t>((y + shift + row) * width + x + column + thread)]));
        least = std::min(least, sum);
      }
      expected[block * threads + static_cast<unsigned>(thread)] = least;
    }
  return {{"SAD",
           {},
           "sad",
           {.grid = {blocks}, .block = {threads}},
           {array(frame), array(reference), zeros<unsigned>(expected.size()), scalar(width), scalar(shifts)}},
          [expected](Kernel& kernel) { return deviation(result<unsigned>(kernel, 2), expected); }};
}

Workload spmv(unsigned blocks) {
  constexpr unsigned threads = 256, vector = 2048;
  constexpr int width = 16;  // as the paper's matrix has on the mean
  const std::size_t rows = std::size_t{blocks} * threads;
  Numbers numbers(3);
  auto columns = numbers.words(rows * width);
  // Near the diagonal, as matrices of meshes have them.
  for (std::size_t i = 0; i < columns.size(); ++i)
    columns[i] = static_cast<unsigned>((i % rows + columns[i] % 64) % vector);
  const auto values = numbers.floats(rows * width, -1, 1), x = numbers.floats(vector, -1, 1);
  std::vector<float> expected(rows);
  for (std::size_t row = 0; row < rows; ++row)
    for (int k = 0; k < width; ++k)
      expected[row] +=
          values[static_cast<std::size_t>(k) * rows + row] * x[columns[static_cast<std::size_t>(k) * rows + row]];
  return {
      {"SPMV",
       {},
       "spmv",
       {.grid = {blocks}, .block = {threads}},
       {array(columns), array(values), array(x), zeros<float>(rows), scalar(static_cast<int>(rows)), scalar(width)}},
      [expected](Kernel& kernel) { return deviation(result<float>(kernel, 3), expected, 1e-5f); }};
}

Workload st(unsigned blocks) {
  constexpr int threads = 128, nx = 130, depth = 8, ny = 18;
  constexpr unsigned rows = ny - 2;
  const unsigned layers = std::max(1u, blocks / rows);
  const int nz = static_cast<int>(layers) * depth + 2;
  Numbers numbers(4);
  const auto in = numbers.floats(static_cast<std::size_t>(nx) * ny * nz, -1, 1);
  std::vector<float> expected(in.size());
  const int plane = nx * ny;
  for (int z = 1; z < nz - 1; ++z)
    for (int y = 1; y < ny - 1; ++y)
      for (int x = 1; x < nx - 1; ++x) {
        const auto of = [&](int offset) { return in[static_cast<std::size_t>(z * plane + y * nx + x + offset)]; };
        expected[static_cast<std::size_t>(z * plane + y * nx + x)] =
            (of(-plane) + of(plane) + of(-nx) + of(nx) + of(-1) + of(1)) * (1.0f / 6) - of(0) * 0.5f;
      }
  return {{"ST",
           {},
           "st",
           {.grid = {1, rows, layers}, .block = {threads}},
           {array(in), zeros<float>(in.size()), scalar(nx), scalar(ny), scalar(nz), scalar(depth)}},
          [expected](Kernel& kernel) { return deviation(result<float>(kernel, 1), expected, 1e-5f); }};
}

Workload mm(unsigned blocks) {
  constexpr unsigned tile = 16, across = 14;
  constexpr int k = 64, n = tile * across;
  const unsigned down = std::max(1u, blocks / across);
  const std::size_t m = std::size_t{down} * tile;
  Numbers numbers(5);
  const auto a = numbers.floats(m * k, -1, 1), b = numbers.floats(static_cast<std::size_t>(k) * n, -1, 1);
  std::vector<float> expected(m * n);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t l = 0; l < k; ++l) expected[i * n + j] += a[i * k + l] * b[l * n + j];
  return {{"MM",
           {},
           "mm",
           {.grid = {across, down}, .block = {tile, tile}},
           {array(a), array(b), zeros<float>(m * n), scalar(n), scalar(k)}},
          [expected](Kernel& kernel) { return deviation(result<float>(kernel, 2), expected, 1e-4f); }};
}

Workload mriq(unsigned blocks) {
  constexpr unsigned threads = 256;
  constexpr int count = 16;
  const std::size_t voxels = std::size_t{blocks} * threads;
  Numbers numbers(6);
  const auto x = numbers.floats(voxels, 0, .5f), y = numbers.floats(voxels, 0, .5f), z = numbers.floats(voxels, 0, .5f);
  std::vector<float> real(voxels), imaginary(voxels);
  for (std::size_t i = 0; i < voxels; ++i)
    for (int sample = 0; sample < count; ++sample) {
      const float t = .1f * static_cast<float>(sample);
      const float angle = 6.2831853f * (t * x[i] + (1 - t) * y[i] + (.5f + t) * z[i]);
      real[i] += (1 + t) * std::cos(angle);
      imaginary[i] += (1 + t) * std::sin(angle);
    }
  return {{"MRIQ",
           {},
           "mriq",
           {.grid = {blocks}, .block = {threads}},
           {array(x), array(y), array(z), zeros<float>(voxels), zeros<float>(voxels), scalar(count)}},
          [real, imaginary](Kernel& kernel) {
            return std::max(deviation(result<float>(kernel, 3), real, 1e-4f),
                            deviation(result<float>(kernel, 4), imaginary, 1e-4f));
          }};
}

double cumulative(double d) { return std::erfc(-d / std::sqrt(2.0)) / 2; }

Workload bs(unsigned blocks) {
  constexpr unsigned threads = 128;
  constexpr int each = 4;
  constexpr float rate = .02f, volatility = .3f;
  const std::size_t options = std::size_t{blocks} * threads * each;
  Numbers numbers(7);
  const auto price = numbers.floats(options, 5, 30), strike = numbers.floats(options, 1, 100),
             years = numbers.floats(options, .25f, 10);
  std::vector<float> call(options), put(options);
  for (std::size_t i = 0; i < options; ++i) {
    const double root = std::sqrt(years[i]), s = price[i], x = strike[i];
    const double d1 = (std::log(s / x) + (rate + .5 * volatility * volatility) * years[i]) / (volatility * root);
    const double discount = std::exp(-rate * years[i]), d2 = d1 - volatility * root;
    call[i] = static_cast<float>(s * cumulative(d1) - x * discount * cumulative(d2));
    put[i] = static_cast<float>(x * discount * cumulative(-d2) - s * cumulative(-d1));
  }
  return {{"BS",
           {},
           "bs",
           {.grid = {blocks}, .block = {threads}},
           {array(price), array(strike), array(years), zeros<float>(options), zeros<float>(options), scalar(rate),
            scalar(volatility), scalar(each)}},
          [call, put](Kernel& kernel) {
            return std::max(deviation(result<float>(kernel, 3), call, 2e-4f),
                            deviation(result<float>(kernel, 4), put, 2e-4f));
          }};
}

struct Key {
  unsigned a = 0x3c6ef372, b = 0xa54ff53a, c = 0x510e527f, d = 0x9b05688c;
};

Workload tea(unsigned blocks) {
  constexpr unsigned threads = 128;
  constexpr int rounds = 32;
  const std::size_t words = std::size_t{blocks} * threads * 2;
  Numbers numbers(8);
  const auto in = numbers.words(words);
  const Key key;
  std::vector<unsigned> expected = in;
  for (std::size_t i = 0; i < words; i += 2) {
    unsigned &x = expected[i], &y = expected[i + 1], sum = 0;
    for (int round = 0; round < rounds; ++round) {
      sum += 0x9e3779b9u;
      x += ((y << 4) + key.a) ^ (y + sum) ^ ((y >> 5) + key.b);
      y += ((x << 4) + key.c) ^ (x + sum) ^ ((x >> 5) + key.d);
    }
  }
  return {{"TEA",
           {},
           "tea",
           {.grid = {blocks}, .block = {threads}},
           {array(in), zeros<unsigned>(words), scalar(key), scalar(rounds)}},
          [expected](Kernel& kernel) { return deviation(result<unsigned>(kernel, 1), expected); }};
}

}  // namespace

std::vector<Workload> make_workloads(const std::string& folder,
                                     const std::function<unsigned(const std::string&)>& blocks) {
  std::vector<Workload> all = {pc(blocks("pc")), sad(blocks("sad")),   spmv(blocks("spmv")), st(blocks("st")),
                               mm(blocks("mm")), mriq(blocks("mriq")), bs(blocks("bs")),     tea(blocks("tea"))};
  for (Workload& workload : all) {
    const std::string file = folder + "/" + workload.spec.entry + ".cu";
    workload.spec.module = std::make_shared<ptx::Module>(ptx::parse(compile::compile_cuda_file(file), file));
  }
  return all;
}

std::vector<Mix> mixes() {
  constexpr std::size_t pc = 0, sad = 1, spmv = 2, st = 3, mm = 4, mriq = 5, bs = 6, tea = 7;
  return {{"CI", {bs, mm, tea, mriq}},
          {"MI", {pc, spmv, st, sad}},
          {"MIX", {pc, bs, tea, sad}},
          {"ALL", {pc, sad, spmv, st, mm, mriq, bs, tea}}};
}

}  // namespace heddle::bench::kernelet
