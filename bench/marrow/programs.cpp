// Marrow's five benchmarks and one with a reduction, on the devices of this machine, with data on the host.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "heddle/skeleton.hpp"
#include "support/results.hpp"
#include "support/statistics.hpp"

namespace {

using namespace heddle;
using namespace heddle::skeleton;

struct Program {
  std::string name;
  std::function<Report(Executor&)> run;  // writes its inputs on the host first, so that they lie there
  double bar;                            // against GPUs alone
};

// Some value for each element, as the host would have left it.
template <typename T>
void touch(Array<T>& array) {
  for (T& element : array.write()) element = T{};
}

struct Data {
  explicit Data(Runtime& runtime, double scale)
      : n(static_cast<std::size_t>(10'000'000 * scale) / 4096 * 4096),
        x(runtime.array(std::vector<float>(n, 0.5f))),
        y(runtime.array(std::vector<float>(n, 0.25f))),
        signal(runtime.array<float2>(n / 65536 * 65536 + 65536)),
        bodies(runtime.array<float4>(8192)),
        next(runtime.array<float4>(8192)),
        velocity(runtime.array<float4>(8192)),
        grey(runtime.array<unsigned>(n)),
        classes(runtime.array<unsigned>(n)),
        bins(runtime.array<unsigned>(64)),
        dot(runtime.array<double>(1)) {}
  struct float2 {
    float x, y;
  };
  struct float4 {
    float x, y, z, w;
  };
  std::size_t n;
  Array<float> x, y;
  Array<float2> signal;
  Array<float4> bodies, next, velocity;
  Array<unsigned> grey, classes, bins;
  Array<double> dot;
};

std::vector<Program> programs_of(const Module& module, Data& data) {
  const auto k = [&](const char* name) { return module.kernel(name); };
  constexpr int width = 2048;
  const auto line = [](unsigned number) { return arg(number).unit(width); };
  const KernelOptions two{.per_thread = 2};
  const Tree filter = pipeline(kernel(k("gaussian_noise"), two, skeleton::size, offset, 0.1f, line(0), line(1)),
                               kernel(k("solarize"), two, skeleton::size, 0.5f, line(1)),
                               kernel(k("mirror"), two, skeleton::size, width, line(1), line(0)));
  const Slot transform = arg(0).unit(65536);
  const Tree fft =
      pipeline(kernel(k("fft512"), two, -1.0f, 1.0f, transform), kernel(k("fft512"), two, 1.0f, 1.0f / 512, transform));
  const Tree nbody = loop(kernel(k("nbody"), {}, skeleton::size, offset, total, 1e-3f, arg(0).copy(), arg(1), arg(2)),
                          {.iterations = 4, .swap = {{0, 2}}, .global_sync = true});
  const Tree saxpy = map(kernel(k("saxpy"), {}, total, 2.0f, arg(0), arg(1)));
  const Tree segment = map(kernel(k("segment"), {}, total, 85u, 170u, arg(0), arg(1)));
  const Tree reduce = map(
      kernel(k("histogram_and_dot"), {}, total, arg(0), arg(1), arg(2).merge(Merge::add), arg(3).merge(Merge::add)));
  return {{"Filter", [=, &data](Executor& e) { return touch(data.x), filter.run(e, data.x, data.y).get(); }, 1.0},
          {"FFT", [=, &data](Executor& e) { return touch(data.signal), fft.run(e, data.signal).get(); }, 1.0},
          {"N-Body",
           [=, &data](Executor& e) {
             return touch(data.bodies), nbody.run(e, data.bodies, data.velocity, data.next).get();
           },
           1.0},
          {"Saxpy",
           [=, &data](Executor& e) { return touch(data.x), touch(data.y), saxpy.run(e, data.x, data.y).get(); }, 1.15},
          {"Segmentation",
           [=, &data](Executor& e) { return touch(data.grey), segment.run(e, data.grey, data.classes).get(); }, 1.15},
          {"MapReduce",
           [=, &data](Executor& e) {
             return touch(data.x), touch(data.y), reduce.run(e, data.x, data.y, data.bins, data.dot).get();
           },
           1.0}};
}

double median_seconds(Executor& executor, const Program& program, int runs) {
  std::vector<double> seconds;
  program.run(executor);  // compiles
  for (int i = 0; i < runs; ++i) seconds.push_back(program.run(executor).seconds);
  return bench::median(seconds);
}

struct Shares {
  Runtime& runtime;
  std::vector<std::pair<std::string, double>> speeds;
  double at(const Program& program, double share) const {
    Executor executor(runtime, {.knowledge = "none", .gpu_share = share, .speeds = speeds});
    return median_seconds(executor, program, 5);
  }
};

void measure_both(bench::Results& results, Runtime& runtime, const Program& program,
                  const std::vector<std::pair<std::string, double>>& speeds) {
  const Shares shares{runtime, speeds};
  const double gpu = shares.at(program, 1), cpu = shares.at(program, 0), half = shares.at(program, 0.5);
  double oracle = gpu, oracle_share = 1;
  for (int percent = 0; percent < 100; percent += 2)
    if (const double seconds = shares.at(program, percent / 100.0); seconds < oracle) {
      oracle = seconds;
      oracle_share = percent / 100.0;
    }
  Executor executor(runtime, {.knowledge = "none", .build_profiles = true, .speeds = speeds});
  for (int run = 0; run < 40; ++run) program.run(executor);
  const double ours = median_seconds(executor, program, 9);
  const Report last = program.run(executor);
  results.add({program.name + ", CPU and GPU", gpu / ours, "x", bench::at_least(program.bar), "GPU only"});
  results.add({program.name + ", CPU and GPU", cpu / ours, "x", {}, "CPU only"});
  results.add({program.name + ", CPU and GPU", half / ours, "x", {}, "half and half"});
  results.add({program.name + ", share found", 100 * last.gpu_share, "%", {}, ""});
  results.add({program.name + ", share away from the oracle's", 100 * std::abs(last.gpu_share - oracle_share), "points",
               bench::at_most(5), "exhaustive search in steps of 2 %"});
}

void measure_fission(bench::Results& results, Runtime& runtime, const Program& program) {
  std::vector<double> seconds;
  for (const char* level : {"none", "L1", "L2", "L3", "NUMA"}) {
    Executor executor(runtime, {.knowledge = "none", .gpu_share = 0.0, .fission = level});
    seconds.push_back(median_seconds(executor, program, 7));
    results.add({program.name + ", CPU, fission " + level, 1e3 * seconds.back(), "ms", {}, ""});
  }
  results.add({program.name + ", best fission",
               seconds[0] / *std::min_element(seconds.begin(), seconds.end()),
               "x",
               {},
               "no fission"});
}

}  // namespace

int main(int count, char** arguments) {
  const double scale = count > 1 ? std::stod(arguments[1]) : 1;
  bench::Results results("marrow");
  Runtime all;
  const auto devices = all.devices();
  const bool gpu = std::any_of(devices.begin(), devices.end(), [](const DeviceInfo& d) { return d.capability != 0; });
  const std::filesystem::path source = std::filesystem::path(HEDDLE_KERNELS) / "marrow.cu";
  if (gpu) {
    Runtime both({.devices = devices.front().id + ",cpu"});
    Data data(both, scale);
    const Module module = both.compile_file(source);
    results.also_on(devices.front().name);
    for (const Program& program : programs_of(module, data))
      measure_both(results, both, program, {{devices.front().id, 20}, {"cpu", 1}});
  } else {
    fmt::print("no GPU: only the CPU's rows are measured\n");
  }
  Runtime cpu({.devices = "cpu"});
  Data data(cpu, scale);
  const Module module = cpu.compile_file(source);
  for (const Program& program : programs_of(module, data)) measure_fission(results, cpu, program);
  return results.finish();
}
