// A pipeline of filters over the lines of a photograph: Gaussian noise, solarize, mirror.
#include <algorithm>
#include <cmath>

#include "program.hpp"

namespace heddle::bench::marrow {
namespace {

using namespace skeleton;

constexpr float strength = 0.1f, threshold = 0.5f;

std::uint32_t noise_bits(std::uint32_t x) {
  x ^= x >> 16;
  x *= 0x7feb352dU;
  x ^= x >> 15;
  x *= 0x846ca68bU;
  return x ^ (x >> 16);
}

// The pixel at this place of the image, with noise and solarized.
float filtered(float pixel, std::uint64_t place) {
  std::uint32_t seed = noise_bits(static_cast<std::uint32_t>(place));
  float sum = 0;
  for (std::uint32_t n = 0; n < 4; ++n) {
    seed = noise_bits(seed + n);
    sum += static_cast<float>(seed >> 8) * (1.0f / 16777216.0f) - 0.5f;
  }
  const float noisy = std::clamp(pixel + strength * sum, 0.0f, 1.0f);
  return noisy > threshold ? 1.0f - noisy : noisy;
}

class Filter final : public Program {
 public:
  Filter(Runtime& runtime, const Module& module, const Inputs& inputs, const Photo& photo)
      : photo_(resized(photo, inputs.width, inputs.height)),
        noise_(module.kernel("gaussian_noise")),
        solarize_(module.kernel("solarize")),
        mirror_(module.kernel("mirror")),
        image_(runtime.array<float>(photo_.grey.size())),
        between_(runtime.array<float>(photo_.grey.size())),
        result_(runtime.array<float>(photo_.grey.size())) {}

  std::string name() const override { return "Filter"; }
  double bar() const override { return 1.0; }
  std::vector<Value> arguments() override { return {value_of(image_), value_of(between_), value_of(result_)}; }

  Tree tree() const override {
    const auto line = [&](unsigned number) { return arg<float>(number).unit(static_cast<std::size_t>(photo_.width)); };
    const Slot between = line(1).resident();
    const KernelOptions two{.per_thread = 2};
    return pipeline(kernel(noise_, two, skeleton::size, offset, strength, line(0), between),
                    kernel(solarize_, two, skeleton::size, threshold, between),
                    kernel(mirror_, two, skeleton::size, photo_.width, between, result(line(2))));
  }

  void fill() override { std::copy(photo_.grey.begin(), photo_.grey.end(), image_.write().begin()); }
  void take_to_host() override { image_.write(); }

  std::string verify(Executor& executor) override {
    fill();
    std::ranges::fill(result_.write(), -1.0f);
    run(executor);
    const std::span<const float> found = result_.read();
    const auto width = static_cast<std::size_t>(photo_.width);
    for (std::size_t i = 0; i < found.size(); ++i) {
      const std::size_t from = i / width * width + width - 1 - i % width;
      const float expected = filtered(photo_.grey[from], from);
      // Compilers may add a product exactly.
      if (!(std::abs(found[i] - expected) <= 1e-6f)) return differs("pixel", i, found[i], expected);
    }
    return {};
  }

 private:
  Photo photo_;
  Kernel noise_, solarize_, mirror_;
  Array<float> image_, between_, result_;
};

}  // namespace

std::unique_ptr<Program> make_filter(Runtime& runtime, const Module& module, const Inputs& inputs, const Photo& photo) {
  return std::make_unique<Filter>(runtime, module, inputs, photo);
}

}  // namespace heddle::bench::marrow
