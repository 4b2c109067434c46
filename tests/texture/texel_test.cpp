// Formats: by their definitions, and by values that the CUDA C++ Programming Guide and IEC 61966-2-1 give.
#include "texture/texel.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>

#include "texture/half.hpp"

namespace heddle::texture {
namespace {

template <class T>
std::array<float, 4> reals(TexelFormat format, std::initializer_list<T> channels, bool normalized = false,
                           bool srgb = false) {
  std::vector<T> texel(channels);
  return real_channels(format, reinterpret_cast<const std::byte*>(texel.data()), normalized, srgb);
}
template <class T>
std::array<std::uint32_t, 4> integers(TexelFormat format, std::initializer_list<T> channels) {
  std::vector<T> texel(channels);
  return integer_channels(format, reinterpret_cast<const std::byte*>(texel.data()));
}

TEST(Texel, NormalizedIntegersAreFractionsOfTheirLargestNumber) {
  const auto v = reals<std::uint8_t>({ChannelKind::unsigned_integer, 8, 4}, {0, 255, 51, 128}, true);
  EXPECT_EQ(v[0], 0.0f);
  EXPECT_EQ(v[1], 1.0f);
  EXPECT_FLOAT_EQ(v[2], 0.2f);
  EXPECT_FLOAT_EQ(v[3], 128.0f / 255.0f);
  const auto s = reals<std::int8_t>({ChannelKind::signed_integer, 8, 4}, {-128, -127, 127, 0}, true);
  EXPECT_EQ(s[0], -1.0f);  // the guide: the most negative number is -1 too
  EXPECT_EQ(s[1], -1.0f);
  EXPECT_EQ(s[2], 1.0f);
  EXPECT_EQ(s[3], 0.0f);
  EXPECT_FLOAT_EQ(reals<std::uint16_t>({ChannelKind::unsigned_normalized, 16, 1}, {13107})[0], 0.2f);
  EXPECT_EQ(reals<std::int16_t>({ChannelKind::signed_normalized, 16, 1}, {-32768})[0], -1.0f);
}

TEST(Texel, IntegersAreExtendedByTheirSign) {
  const auto s = integers<std::int8_t>({ChannelKind::signed_integer, 8, 2}, {-3, 100});
  EXPECT_EQ(static_cast<std::int32_t>(s[0]), -3);
  EXPECT_EQ(s[1], 100u);
  EXPECT_EQ(s[2], 0u);
  EXPECT_EQ(s[3], 1u);
  EXPECT_EQ(integers<std::uint16_t>({ChannelKind::unsigned_integer, 16, 1}, {0xfffd})[0], 0xfffdu);
}

TEST(Texel, SrgbIsDecodedInThreeOfFourChannels) {
  const auto v = reals<std::uint8_t>({ChannelKind::unsigned_integer, 8, 4}, {10, 128, 255, 128}, true, true);
  EXPECT_NEAR(v[0], 10.0 / 255 / 12.92, 1e-7);
  EXPECT_NEAR(v[1], 0.2158605, 1e-6);  // the linear value of sRGB 128
  EXPECT_EQ(v[2], 1.0f);
  EXPECT_FLOAT_EQ(v[3], 128.0f / 255.0f);
}

TEST(Texel, EveryHalfThatIsANumberSurvivesTheWayThroughFloat) {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    if ((bits & 0x7c00u) == 0x7c00u && (bits & 0x3ffu) != 0) continue;  // no number
    EXPECT_EQ(float_to_half(half_to_float(static_cast<std::uint16_t>(bits))), bits) << std::hex << bits;
  }
  EXPECT_EQ(half_to_float(0x3c00), 1.0f);
  EXPECT_EQ(half_to_float(0xc000), -2.0f);
  EXPECT_EQ(half_to_float(0x7bff), 65504.0f);
  EXPECT_EQ(half_to_float(0x0001), std::ldexp(1.0f, -24));
  EXPECT_TRUE(std::isinf(half_to_float(0x7c00)));
}

TEST(Texel, FloatsAreRoundedToTheNearestEvenHalf) {
  EXPECT_EQ(float_to_half(1.0f + std::ldexp(1.0f, -11)), 0x3c00);  // half way: to the even one
  EXPECT_EQ(float_to_half(1.0f + 3 * std::ldexp(1.0f, -11)), 0x3c02);
  EXPECT_EQ(float_to_half(65519.0f), 0x7bff);
  EXPECT_EQ(float_to_half(65520.0f), 0x7c00);
  EXPECT_EQ(float_to_half(std::ldexp(1.0f, -25)), 0);
  EXPECT_EQ(float_to_half(-std::ldexp(1.5f, -25)), 0x8001);
}

TEST(Texel, StoredNumbersAreTheNearestThatTheFormatHolds) {
  std::byte texel[16] = {};
  store_channels({ChannelKind::signed_integer, 8, 2}, texel, {static_cast<std::uint32_t>(-300), 200, 0, 0});
  EXPECT_EQ(std::bit_cast<std::int8_t>(texel[0]), -128);
  EXPECT_EQ(std::bit_cast<std::int8_t>(texel[1]), 127);
  store_channels({ChannelKind::unsigned_normalized, 8, 1}, texel, {std::bit_cast<std::uint32_t>(0.5f), 0, 0, 0});
  EXPECT_EQ(std::to_integer<int>(texel[0]), 128);  // 127.5 to the even one
  store_channels({ChannelKind::floating, 16, 1}, texel, {std::bit_cast<std::uint32_t>(-2.0f), 0, 0, 0});
  std::uint16_t half = 0;
  std::memcpy(&half, texel, 2);
  EXPECT_EQ(half, 0xc000);
}

}  // namespace
}  // namespace heddle::texture
