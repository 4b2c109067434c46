// Transforms of 512 complex numbers, forward and back.
#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "program.hpp"

namespace heddle::bench::marrow {
namespace {

using namespace skeleton;

constexpr std::size_t points = 512;

struct Complex {
  float re, im;
};

class Fft final : public Program {
 public:
  Fft(Runtime& runtime, const Module& module, const Inputs& inputs)
      : unit_(inputs.transforms_together * points),
        fft_(module.kernel("fft512")),
        signal_(runtime.array<Complex>(inputs.transforms * points)) {}

  std::string name() const override { return "FFT"; }
  double bar() const override { return 1.0; }
  std::vector<Value> arguments() override { return {value_of(signal_)}; }
  Tree tree() const override { return pipeline(forward(), transform(1.0f, 1.0f / points)); }

  void fill() override {
    const std::span<Complex> signal = signal_.write();
    for (std::size_t i = 0; i < signal.size(); ++i) signal[i] = input(i);
  }
  void take_to_host() override { signal_.write(); }

  // The spectrum of some transforms against their sums in double precision, then all signals against the inputs.
  std::string verify(Executor& executor) override {
    fill();
    executor.run(map(forward()), arguments()).get();
    if (std::string wrong = verify_spectra(); !wrong.empty()) return wrong;
    fill();
    run(executor);
    const std::span<const Complex> signal = signal_.read();
    for (std::size_t i = 0; i < signal.size(); ++i) {
      const Complex expected = input(i);
      if (!(std::abs(signal[i].re - expected.re) <= 1e-4f)) return differs("signal", i, signal[i].re, expected.re);
      if (!(std::abs(signal[i].im - expected.im) <= 1e-4f)) return differs("signal", i, signal[i].im, expected.im);
    }
    return {};
  }

 private:
  Tree transform(float direction, float scale) const {
    return kernel(fft_, {.block = 32, .per_thread = 8 * points / 32}, size, direction, scale,
                  result(arg(0).unit(unit_)));
  }
  Tree forward() const { return transform(-1.0f, 1.0f); }

  static Complex input(std::size_t i) {
    const auto hash = static_cast<std::uint32_t>(i * 2654435761U);
    return {static_cast<float>(hash >> 16) / 65536.0f - 0.5f, static_cast<float>(hash & 0xffff) / 65536.0f - 0.5f};
  }

  std::string verify_spectra() const {
    const std::span<const Complex> found = signal_.read();
    const std::size_t transforms = found.size() / points;
    for (std::size_t k = 0; k < 8; ++k) {
      const std::size_t first = k * (transforms - 1) / 7 * points;
      for (std::size_t frequency = 0; frequency < points; ++frequency) {
        std::complex<double> sum = 0;
        for (std::size_t i = 0; i < points; ++i) {
          const Complex value = input(first + i);
          const double turns = static_cast<double>(frequency * i % points) / static_cast<double>(points);
          sum += std::complex<double>(value.re, value.im) * std::polar(1.0, -2 * std::numbers::pi * turns);
        }
        const Complex value = found[first + frequency];
        if (!(std::abs(std::complex<double>(value.re, value.im) - sum) <= 1e-3))
          return differs("spectrum", first + frequency, value.re, sum.real());
      }
    }
    return {};
  }

  std::size_t unit_;
  Kernel fft_;
  Array<Complex> signal_;
};

}  // namespace

std::unique_ptr<Program> make_fft(Runtime& runtime, const Module& module, const Inputs& inputs) {
  return std::make_unique<Fft>(runtime, module, inputs);
}

}  // namespace heddle::bench::marrow
