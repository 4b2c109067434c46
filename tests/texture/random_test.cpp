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
    sampler.normalized_values = true;
    return sampler;
  }
  TexelFormat random_format() {
    const ChannelKind kinds[] = {ChannelKind::floating, ChannelKind::unsigned_integer, ChannelKind::signed_integer,
                                 ChannelKind::unsigned_normalized, ChannelKind::signed_normalized};
    const ChannelKind kind = kinds[below(5)];
    const unsigned bits = kind == ChannelKind::floating ? 32 : 8 << below(2);
    return {kind, static_cast<std::uint8_t>(bits), static_cast<std::uint8_t>(1u << below(3))};
  }
  // Writes a texel, and says what its first channel stands for.
  double random_texel(const TexelFormat& format, std::byte* to) {
    for (unsigned i = 0; i < format.bytes(); ++i) to[i] = static_cast<std::byte>(below(256));
    if (format.kind == ChannelKind::floating) {
      const float value = between(-100, 100);
      std::memcpy(to, &value, sizeof value);
      return static_cast<double>(value);
    }
    long number = std::to_integer<long>(to[0]) + (format.bits == 16 ? 256 * std::to_integer<long>(to[1]) : 0);
    const long all = 1L << format.bits;
    const bool with_sign = format.kind == ChannelKind::signed_integer || format.kind == ChannelKind::signed_normalized;
    if (!with_sign) return static_cast<double>(number) / static_cast<double>(all - 1);
    if (number >= all / 2) number -= all;
    return std::fmax(static_cast<double>(number) / static_cast<double>(all / 2 - 1), -1.0);
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
    const TexelFormat format = random_format();
    const auto count = static_cast<std::size_t>(plain.width * plain.height * plain.depth);
    std::vector<std::byte> texels(count * format.bytes());
    for (std::size_t i = 0; i < count; ++i) plain.values.push_back(random_texel(format, &texels[i * format.bytes()]));
    const auto size = [](int n) { return static_cast<std::uint32_t>(n); };
    const ImageShape shape[] = {ImageShape::one, ImageShape::two, ImageShape::three};
    Texture texture{
        Use::texture,
        image_of(texels, format, shape[dimensions - 1], size(plain.width), size(plain.height), size(plain.depth)),
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
