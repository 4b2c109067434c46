// Random images, samplers and coordinates against the independent reference.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "texture/image.hpp"
#include "texture/reference.hpp"
#include "texture/sample.hpp"

namespace heddle::texture {
namespace {

using tests::PlainImage;

class RandomSample : public ::testing::TestWithParam<int> {
 protected:
  unsigned below(unsigned n) { return static_cast<unsigned>(generator_() % n); }
  float between(float low, float high) { return std::uniform_real_distribution<float>(low, high)(generator_); }
  Sampler random_sampler() {
    Sampler sampler;
    sampler.normalized_coordinates = below(2) == 1;
    for (AddressMode& mode : sampler.address)
      mode = sampler.normalized_coordinates ? static_cast<AddressMode>(below(4))
                                            : (below(2) == 0 ? AddressMode::clamp : AddressMode::border);
    sampler.filter = static_cast<TexelFilter>(below(2));
    sampler.border[0] = between(-2, 2);
    return sampler;
  }
  std::mt19937 generator_{42};
};

TEST_P(RandomSample, IsWhatTheFormulasSay) {
  const int dimensions = GetParam();
  for (int turn = 0; turn < 400; ++turn) {
    PlainImage plain;
    plain.width = static_cast<int>(1 + below(9));
    plain.height = dimensions > 1 ? static_cast<int>(1 + below(9)) : 1;
    plain.depth = static_cast<int>(1 + below(5));
    std::vector<float> texels(static_cast<std::size_t>(plain.width * plain.height * plain.depth));
    for (float& texel : texels) plain.values.push_back(static_cast<double>(texel = between(-100, 100)));
    const auto size = [](int n) { return static_cast<std::uint32_t>(n); };
    const ImageShape shape[] = {ImageShape::one, ImageShape::two, ImageShape::three};
    Texture texture{
        Use::texture,
        image_of(texels, f32, shape[dimensions - 1], size(plain.width), size(plain.height), size(plain.depth)),
        random_sampler()};
    Operation operation;
    operation.geometry = static_cast<Geometry>(dimensions - 1);
    operation.layered = texture.image.layered;
    const int layer = dimensions < 3 ? static_cast<int>(below(size(plain.depth))) : 0;
    const float reach = texture.sampler.normalized_coordinates ? 1.0f : 10.0f;
    for (int i = 0; i < 50; ++i) {
      std::array<double, 3> at{};
      std::vector<std::uint64_t> arguments;
      if (operation.layered) arguments.push_back(static_cast<std::uint64_t>(layer));
      for (int d = 0; d < dimensions; ++d) {
        const float x = between(-1.5f * reach, 2.5f * reach);
        at[static_cast<std::size_t>(d)] = static_cast<double>(x);
        arguments.push_back(words({x})[0]);
      }
      const double expected = tests::reference_sample(plain, dimensions, at, layer, texture.sampler);
      EXPECT_NEAR(static_cast<double>(real(sample(texture, operation, arguments)[0])), expected,
                  std::fabs(expected) * 1e-6 + 1e-5)
          << "turn " << turn << ", coordinate " << at[0] << ", " << at[1] << ", " << at[2];
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Dimensions, RandomSample, ::testing::Values(1, 2, 3));

}  // namespace
}  // namespace heddle::texture
