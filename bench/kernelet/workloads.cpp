#include "kernelet/workloads.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <type_traits>
#include <utility>

#include "base/file.hpp"
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

// What a kernel must compute: at some places of its result, all of them if its work is that of the simulated runs.
template <class T>
class Expected {
 public:
  Expected(std::size_t count, unsigned work) : count_(count), step_(work > 1 ? 61 : 1) {}
  // The places of a result, in steps.
  std::size_t count() const { return count_; }
  std::size_t step() const { return step_; }
  void add(std::size_t at, T value) { values_.emplace_back(at, value); }
  // Integers must be the same, floats within a part of 1 or of the value.
  double deviation(Kernel& kernel, std::size_t argument, float permitted = 0) const {
    const std::vector<T> got = result<T>(kernel, argument);
    double worst = got.size() == count_ ? 0 : 2;
    for (const auto& [at, value] : values_) {
      if (at >= got.size()) return 2;
      if constexpr (std::is_floating_point_v<T>) {
        const double off = std::abs(got[at] - value) / (permitted * std::max(T{1}, std::abs(value)));
        worst = std::isfinite(off) ? std::max(worst, off) : 2;
      } else if (got[at] != value) {
        return 2;
      }
    }
    return worst;
  }

 private:
  const std::size_t count_, step_;
  std::vector<std::pair<std::size_t, T>> values_;
};

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
Workload pc(Size size) {
  constexpr unsigned threads = 256;
  const unsigned blocks = size.blocks, places = size.large ? 1u << 25 : 1u << 20;
  const int steps = static_cast<int>(size.work);
  std::vector<unsigned> next(places), order(places);
  for (unsigned i = 0; i < places; ++i) order[i] = i;
  std::mt19937 random(1);
  for (unsigned i = places - 1; i > 0; --i) std::swap(order[i], order[random() % (i + 1)]);
  for (unsigned i = 0; i < places; ++i) next[order[i]] = order[(i + 1) % places];
  Expected<unsigned> expected(std::size_t{blocks} * threads, size.work);
  for (std::size_t i = 0; i < expected.count(); i += expected.step()) {
    unsigned place = (static_cast<unsigned>(i) * 2654435761u) & (places - 1);
    for (int step = 0; step < steps; ++step) place = next[place];
    expected.add(i, place);
  }
  return {{"PC",
           {},
           "pc",
           {.grid = {blocks}, .block = {threads}},
           {array(next), zeros<unsigned>(expected.count()), scalar(places - 1), scalar(steps)}},
          [expected](Kernel& kernel) { return expected.deviation(kernel, 1); }};
}

Workload sad(Size size) {
  constexpr int width = 576, across = (width - 64) / 4, threads = 32;
  const unsigned blocks = size.blocks;
  const int shifts = static_cast<int>(4 * size.work);
  const int height = static_cast<int>(blocks / across + 1) * 4 + shifts;
  Numbers numbers(2);
  const auto frame = numbers.bytes(static_cast<std::size_t>(width) * height), reference = numbers.bytes(frame.size());
  Expected<unsigned> expected(std::size_t{blocks} * threads, size.work);
  for (std::size_t block = 0; block < blocks; block += expected.step())
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
      expected.add(block * threads + static_cast<unsigned>(thread), least);
    }
  return {{"SAD",
           {},
           "sad",
           {.grid = {blocks}, .block = {threads}},
           {array(frame), array(reference), zeros<unsigned>(expected.count()), scalar(width), scalar(shifts)}},
          [expected](Kernel& kernel) { return expected.deviation(kernel, 2); }};
}

// The paper's matrix stays in caches: its kernel uses 0.3 % of the bandwidth of DRAM. In simulated runs it does too,
// and what reaches DRAM is the results and the vectors.
Workload spmv(Size size) {
  constexpr unsigned threads = 256, vector = 2048;
  const int width = static_cast<int>(16 * size.work);  // 16: as the paper's matrix has on the mean
  const std::size_t results = std::size_t{size.blocks} * threads;
  const std::size_t rows = size.large ? results : vector, vectors = (results + rows - 1) / rows;
  Numbers numbers(3);
  auto columns = numbers.words(rows * static_cast<std::size_t>(width));
  // Near the diagonal, as matrices of meshes have them.
  for (std::size_t i = 0; i < columns.size(); ++i)
    columns[i] = static_cast<unsigned>((i % rows + columns[i] % 64) % vector);
  const auto values = numbers.floats(columns.size(), -1, 1), x = numbers.floats(vector * vectors, -1, 1);
  Expected<float> expected(results, size.work);
  for (std::size_t at = 0; at < results; at += expected.step()) {
    const std::size_t row = at % rows, begin = at / rows * vector;
    float sum = 0;
    for (int k = 0; k < width; ++k) {
      const std::size_t place = static_cast<std::size_t>(k) * rows + row;
      sum += values[place] * x[begin + columns[place]];
    }
    expected.add(at, sum);
  }
  return {{"SPMV",
           {},
           "spmv",
           {.grid = {size.blocks}, .block = {threads}},
           {array(columns), array(values), array(x), zeros<float>(results), scalar(static_cast<int>(rows)),
            scalar(width), scalar(static_cast<int>(vector))}},
          [expected](Kernel& kernel) { return expected.deviation(kernel, 3, 1e-5f); }};
}

Workload st(Size size) {
  constexpr int threads = 128, nx = 130, ny = 18;
  constexpr unsigned rows = ny - 2;
  const int depth = static_cast<int>(8 * size.work);
  const unsigned layers = std::max(1u, size.blocks / rows);
  const int nz = static_cast<int>(layers) * depth + 2;
  Numbers numbers(4);
  const auto in = numbers.floats(static_cast<std::size_t>(nx) * ny * nz, -1, 1);
  Expected<float> expected(in.size(), size.work);
  const int plane = nx * ny;
  for (int z = 1; z < nz - 1; z += static_cast<int>(expected.step()))
    for (int y = 1; y < ny - 1; ++y)
      for (int x = 1; x < nx - 1; ++x) {
        const auto of = [&](int offset) { return in[static_cast<std::size_t>(z * plane + y * nx + x + offset)]; };
        expected.add(static_cast<std::size_t>(z * plane + y * nx + x),
                     (of(-plane) + of(plane) + of(-nx) + of(nx) + of(-1) + of(1)) * (1.0f / 6) - of(0) * 0.5f);
      }
  return {{"ST",
           {},
           "st",
           {.grid = {1, rows, layers}, .block = {threads}},
           {array(in), zeros<float>(in.size()), scalar(nx), scalar(ny), scalar(nz), scalar(depth)}},
          [expected](Kernel& kernel) { return expected.deviation(kernel, 1, 1e-5f); }};
}

Workload mm(Size size) {
  constexpr unsigned tile = 16, across = 14;
  constexpr int n = tile * across;
  const int k = static_cast<int>(64 * size.work);
  const unsigned down = std::max(1u, size.blocks / across);
  const std::size_t m = std::size_t{down} * tile;
  Numbers numbers(5);
  const auto a = numbers.floats(m * static_cast<std::size_t>(k), -1, 1),
             b = numbers.floats(static_cast<std::size_t>(k) * n, -1, 1);
  const auto depth = static_cast<std::size_t>(k);
  Expected<float> expected(m * n, size.work);
  for (std::size_t i = 0; i < m; i += expected.step())
    for (std::size_t j = 0; j < n; ++j) {
      float sum = 0;
      for (std::size_t l = 0; l < depth; ++l) sum += a[i * depth + l] * b[l * n + j];
      expected.add(i * n + j, sum);
    }
  return {{"MM",
           {},
           "mm",
           {.grid = {across, down}, .block = {tile, tile}},
           {array(a), array(b), zeros<float>(m * n), scalar(n), scalar(k)}},
          [expected](Kernel& kernel) { return expected.deviation(kernel, 2, 1e-4f); }};
}

Workload mriq(Size size) {
  constexpr unsigned threads = 256;
  const int count = static_cast<int>(16 * size.work);
  // Rounding adds up, and __cosf is less exact for large angles.
  const float permitted = 1e-4f * static_cast<float>(size.work * size.work);
  const std::size_t voxels = std::size_t{size.blocks} * threads;
  Numbers numbers(6);
  const auto x = numbers.floats(voxels, 0, .5f), y = numbers.floats(voxels, 0, .5f), z = numbers.floats(voxels, 0, .5f);
  Expected<float> real(voxels, size.work), imaginary(voxels, size.work);
  for (std::size_t i = 0; i < voxels; i += real.step()) {
    float cosines = 0, sines = 0;
    for (int sample = 0; sample < count; ++sample) {
      const float t = .1f * static_cast<float>(sample);
      const float angle = 6.2831853f * (t * x[i] + (1 - t) * y[i] + (.5f + t) * z[i]);
      cosines += (1 + t) * std::cos(angle);
      sines += (1 + t) * std::sin(angle);
    }
    real.add(i, cosines);
    imaginary.add(i, sines);
  }
  return {{"MRIQ",
           {},
           "mriq",
           {.grid = {size.blocks}, .block = {threads}},
           {array(x), array(y), array(z), zeros<float>(voxels), zeros<float>(voxels), scalar(count)}},
          [real, imaginary, permitted](Kernel& kernel) {
            return std::max(real.deviation(kernel, 3, permitted), imaginary.deviation(kernel, 4, permitted));
          }};
}

double cumulative(double d) { return std::erfc(-d / std::sqrt(2.0)) / 2; }

Workload bs(Size size) {
  constexpr unsigned threads = 128;
  const unsigned blocks = size.blocks;
  const int scenarios = size.large ? 8 : 16;
  const int each = static_cast<int>(size.work);
  constexpr float rate = .02f, volatility = .3f;
  const std::size_t options = std::size_t{blocks} * threads * static_cast<unsigned>(each);
  Numbers numbers(7);
  const auto price = numbers.floats(options, 5, 30), strike = numbers.floats(options, 1, 100),
             years = numbers.floats(options, .25f, 10);
  Expected<float> call(options, size.work), put(options, size.work);
  for (std::size_t i = 0; i < options; i += call.step()) {
    const double root = std::sqrt(years[i]), s = price[i], x = strike[i];
    const double discount = x * std::exp(-rate * years[i]);
    double calls = 0, puts = 0;
    for (int scenario = 0; scenario < scenarios; ++scenario) {
      const double v = volatility + .01 * scenario;
      const double d1 = (std::log(s / x) + (rate + .5 * v * v) * years[i]) / (v * root), d2 = d1 - v * root;
      calls += s * cumulative(d1) - discount * cumulative(d2);
      puts += discount * cumulative(-d2) - s * cumulative(-d1);
    }
    call.add(i, static_cast<float>(calls / scenarios));
    put.add(i, static_cast<float>(puts / scenarios));
  }
  return {{"BS",
           {},
           "bs",
           {.grid = {blocks}, .block = {threads}},
           {array(price), array(strike), array(years), zeros<float>(options), zeros<float>(options), scalar(rate),
            scalar(volatility), scalar(each), scalar(scenarios)}},
          [call, put](Kernel& kernel) {
            return std::max(call.deviation(kernel, 3, 2e-4f), put.deviation(kernel, 4, 2e-4f));
          }};
}

struct Key {
  unsigned a = 0x3c6ef372, b = 0xa54ff53a, c = 0x510e527f, d = 0x9b05688c;
};

Workload tea(Size size) {
  constexpr unsigned threads = 128;
  const unsigned blocks = size.blocks;
  const int rounds = static_cast<int>(32 * size.work);
  const std::size_t words = std::size_t{blocks} * threads * 2;
  Numbers numbers(8);
  const auto in = numbers.words(words);
  const Key key;
  Expected<unsigned> expected(words, size.work);
  for (std::size_t i = 0; i < words; i += 2 * expected.step()) {
    unsigned x = in[i], y = in[i + 1], sum = 0;
    for (int round = 0; round < rounds; ++round) {
      sum += 0x9e3779b9u;
      x += ((y << 4) + key.a) ^ (y + sum) ^ ((y >> 5) + key.b);
      y += ((x << 4) + key.c) ^ (x + sum) ^ ((x >> 5) + key.d);
    }
    expected.add(i, x);
    expected.add(i + 1, y);
  }
  return {{"TEA",
           {},
           "tea",
           {.grid = {blocks}, .block = {threads}},
           {array(in), zeros<unsigned>(words), scalar(key), scalar(rounds)}},
          [expected](Kernel& kernel) { return expected.deviation(kernel, 1); }};
}

}  // namespace

std::vector<Workload> make_workloads(const std::string& folder, const std::function<Size(const std::string&)>& size) {
  std::vector<Workload> all = {pc(size("pc")), sad(size("sad")),   spmv(size("spmv")), st(size("st")),
                               mm(size("mm")), mriq(size("mriq")), bs(size("bs")),     tea(size("tea"))};
  for (Workload& workload : all) {
    const std::string file = folder + "/" + workload.spec.entry + ".ptx";
    workload.spec.ordered = false;  // launches of several users, as in the paper
    workload.spec.module = std::make_shared<ptx::Module>(ptx::parse(base::read_file(file), file));
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
