#include "tenancy/models.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/fail.hpp"
#include "heddle/error.hpp"
#include "tenancy/random.hpp"

namespace heddle::tenancy {
namespace {

constexpr double shortest_block = 4e-6;

std::uint64_t seed_of(std::string_view name) {
  std::uint64_t seed = 1469598103934665603ULL;
  for (const char c : name) seed = (seed ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return seed;
}

KernelModel make_kernel(const ModelFigures& figures, double seconds, unsigned units, unsigned grain, Random& random) {
  KernelModel kernel;
  // Kernels that do not fill the device have one wave: of more blocks, they would. Long ones fill it.
  constexpr double longest_unfilled = 1e-3;
  const bool fills = random.uniform() >= figures.unfilled || seconds > longest_unfilled;
  const double filled = fills ? 1.0 : 0.15 + 0.8 * random.uniform();
  const double wanted = std::max(figures.block_seconds * std::exp(0.5 * random.normal()), shortest_block);
  // Grids have any size, so that the last wave is full only by chance.
  const double waves = fills ? std::max(1.0, seconds / wanted) : 1.0;
  kernel.block_seconds = seconds / std::ceil(waves);
  kernel.resident_blocks = 1u << (random.next() % 4);
  const double at_once = std::max(1.0, std::round(filled * units)) * grain * kernel.resident_blocks;
  kernel.blocks = static_cast<std::uint64_t>(at_once * waves);
  kernel.memory_share = std::clamp(figures.memory + 0.25 * random.normal(), 0.05, 0.95) * filled;
  kernel.sensitivity = std::clamp(1.1 - kernel.memory_share, 0.1, 1.0);
  return kernel;
}

}  // namespace

const std::vector<ModelFigures>& inference_models() {
  static const std::vector<ModelFigures> models = {
      {"llama3", 80, 40e-3, 0.8, 40e-6, 0.5, 0.5, 120e-3}, {"gptj", 84, 36e-3, 0.8, 40e-6, 0.5, 0.5, 110e-3},
      {"bert", 50, 10e-3, 0.7, 30e-6, 0.4, 0.35, 40e-3},   {"retinanet", 60, 24e-3, 0.9, 40e-6, 0.4, 0.4, 70e-3},
      {"yolov4", 50, 6e-3, 0.8, 25e-6, 0.4, 0.4, 25e-3},   {"resnet50", 40, 2.4e-3, 0.6, 15e-6, 0.5, 0.45, 15e-3},
      {"dlrm", 8, 0.4e-3, 0.5, 15e-6, 0.5, 0.5, 3e-3}};
  return models;
}

const std::vector<ModelFigures>& training_models() {
  static const std::vector<ModelFigures> models = {
      {"vgg19-train", 60, 291e-3, 1.0, 150e-6, 0.1, 0.4},     {"resnet50-train", 160, 281e-3, 0.9, 100e-6, 0.2, 0.5},
      {"mobilenet-train", 160, 254e-3, 0.8, 60e-6, 0.3, 0.6}, {"dlrm-train", 24, 74e-3, 1.6, 200e-6, 0.2, 0.7},
      {"bert-train", 110, 159e-3, 0.8, 120e-6, 0.2, 0.4},     {"llama3-train", 140, 690e-3, 0.9, 150e-6, 0.1, 0.4}};
  return models;
}

const ModelFigures& model_figures(std::string_view name) {
  std::string known;
  for (const auto* models : {&inference_models(), &training_models()})
    for (const ModelFigures& figures : *models) {
      if (figures.name == name) return figures;
      known += (known.empty() ? "" : ", ") + std::string(figures.name);
    }
  base::fail(ErrorCode::not_found, "there is no model '{}'; there are {}", name, known);
}

ModelSequence make_model(std::string_view name, unsigned units, unsigned grain) {
  const ModelFigures& figures = model_figures(name);
  Random random(seed_of(name));
  std::vector<double> seconds;
  double sum = 0;
  for (unsigned i = 0; i < figures.kernels; ++i)
    sum += seconds.emplace_back(std::exp(figures.spread * random.normal()));
  ModelSequence made{std::string(name), {}};
  for (unsigned i = 0; i < figures.kernels; ++i) {
    const double each = std::max(seconds[i] / sum * figures.seconds, shortest_block);
    KernelModel kernel = make_kernel(figures, each, units, grain, random);
    // A few functions, launched by several layers.
    const std::uint64_t function = random.next() % 12;
    kernel.name = made.name + "_k" + std::to_string(function);
    kernel.signature = seed_of(kernel.name);
    made.kernels.push_back(std::move(kernel));
  }
  return made;
}

}  // namespace heddle::tenancy
