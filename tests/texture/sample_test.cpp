// Golden values, computed by hand from the formulas of the CUDA C++ Programming Guide, "Texture Fetching".
#include "texture/sample.hpp"

#include <gtest/gtest.h>

#include "texture/coordinate.hpp"
#include "texture/image.hpp"

namespace heddle::texture {
namespace {

const std::vector<float> four{10, 20, 30, 40};

Texture row_of(const Sampler& sampler) { return {Use::texture, image_of(four, f32, ImageShape::one, 4), sampler}; }

float at(const Texture& texture, float x) { return real(sample(texture, {}, words({x}))[0]); }

TEST(Sample, ThePointFilterTakesTheTexelBelow) {
  const Texture texture = row_of({});
  EXPECT_EQ(at(texture, 0.0f), 10);
  EXPECT_EQ(at(texture, 0.999f), 10);
  EXPECT_EQ(at(texture, 1.0f), 20);
  EXPECT_EQ(at(texture, 3.99f), 40);
  EXPECT_EQ(at(texture, 9.0f), 40);  // clamp
  EXPECT_EQ(at(texture, -9.0f), 10);
}

TEST(Sample, TheLinearFilterWeighsByMultiplesOfOne256th) {
  Sampler sampler;
  sampler.filter = TexelFilter::linear;
  const Texture texture = row_of(sampler);
  EXPECT_EQ(at(texture, 0.5f), 10);  // in the middle of a texel
  EXPECT_EQ(at(texture, 1.0f), 15);  // between two
  EXPECT_EQ(at(texture, 1.0f + 1.0f / 256), 15 + 10.0f / 256);
  EXPECT_EQ(at(texture, 1.0f + 1.0f / 1024), 15);  // the weight has eight bits behind the point
  EXPECT_EQ(at(texture, 1.5f - 1.0f / 1024), 20);  // and may be 1
  EXPECT_EQ(at(texture, 0.0f), 10);
  EXPECT_EQ(at(texture, 4.0f), 40);
}

TEST(Sample, BordersAreMixedIn) {
  Sampler sampler;
  sampler.filter = TexelFilter::linear;
  sampler.address.fill(AddressMode::border);
  sampler.border = {2, 0, 0, 0};
  const Texture texture = row_of(sampler);
  EXPECT_EQ(at(texture, 0.0f), 6);  // half of 10, half of the border
  EXPECT_EQ(at(texture, 4.25f), 0.25f * 40 + 0.75f * 2);
  EXPECT_EQ(at(texture, 40.0f), 2);
}

TEST(Sample, NormalizedCoordinatesWrapAndMirror) {
  Sampler sampler;
  sampler.normalized_coordinates = true;
  sampler.address.fill(AddressMode::wrap);
  EXPECT_EQ(at(row_of(sampler), 0.25f), 20);
  EXPECT_EQ(at(row_of(sampler), 1.25f), 20);
  EXPECT_EQ(at(row_of(sampler), -0.25f), 40);
  sampler.address.fill(AddressMode::mirror);
  EXPECT_EQ(at(row_of(sampler), 1.125f), 40);
  EXPECT_EQ(at(row_of(sampler), 1.0f), 40);
  EXPECT_EQ(at(row_of(sampler), -0.125f), 10);
  EXPECT_EQ(at(row_of(sampler), 2.125f), 10);
  // On borders between texels: as Warp's tests have it from GPUs.
  EXPECT_EQ(at(row_of(sampler), 1.25f), 30);
  EXPECT_EQ(at(row_of(sampler), 1.5f), 20);
  EXPECT_EQ(at(row_of(sampler), 2.0f), 10);
  sampler.filter = TexelFilter::linear;
  sampler.address.fill(AddressMode::wrap);
  EXPECT_EQ(at(row_of(sampler), 0.0f), 25);  // between the last and the first
  EXPECT_EQ(at(row_of(sampler), 1.0f), 25);
}

TEST(Sample, WrapAndMirrorNeedNormalizedCoordinates) {
  Sampler sampler;
  sampler.address.fill(AddressMode::wrap);
  EXPECT_EQ(effective_mode(sampler, 0), AddressMode::clamp);
  EXPECT_EQ(at(row_of(sampler), 4.5f), 40);
}

TEST(Sample, CoordinatesThatAreNoNumbersReadSomething) {
  Sampler sampler;
  EXPECT_EQ(at(row_of(sampler), std::numeric_limits<float>::quiet_NaN()), 10);
  EXPECT_EQ(at(row_of(sampler), std::numeric_limits<float>::infinity()), 40);
  sampler.normalized_coordinates = true;
  sampler.address.fill(AddressMode::wrap);
  EXPECT_EQ(at(row_of(sampler), -std::numeric_limits<float>::infinity()), 10);
}

TEST(Sample, TwoDimensionsAreWeighedTogether) {
  const std::vector<float> texels{0, 1, 2, 4, 8, 16};
  Sampler sampler;
  sampler.filter = TexelFilter::linear;
  const Texture texture{Use::texture, image_of(texels, f32, ImageShape::two, 3, 2), sampler};
  Operation two;
  two.geometry = Geometry::two;
  EXPECT_EQ(real(sample(texture, two, words({1.0f, 1.0f}))[0]), (0 + 1 + 4 + 8) / 4.0f);
  EXPECT_EQ(real(sample(texture, two, words({1.75f, 1.25f}))[0]),
            0.25f * (0.75f * 1 + 0.25f * 2) + 0.75f * (0.75f * 8 + 0.25f * 16));
}

TEST(Sample, ALayerIsChosenAndClamped) {
  const std::vector<float> texels{1, 2, 3, 4, 5, 6};
  const Texture texture{Use::texture, image_of(texels, f32, ImageShape::one, 2, 1, 3), {}};
  Operation layered;
  layered.layered = true;
  EXPECT_EQ(real(sample(texture, layered, {1, words({1.5f})[0]})[0]), 4);
  EXPECT_EQ(real(sample(texture, layered, {9, words({0.5f})[0]})[0]), 5);
}

TEST(Sample, PlainMemoryHasZerosBehindItsEnd) {
  const Texture texture{Use::texture, image_of(four, f32, ImageShape::linear, 4), {}};
  Operation fetch;
  fetch.integer_coordinates = true;
  EXPECT_EQ(real(sample(texture, fetch, {3})[0]), 40);
  EXPECT_EQ(real(sample(texture, fetch, {4})[0]), 0);
  EXPECT_EQ(real(sample(texture, fetch, {0xffffffff})[0]), 0);
}

TEST(Sample, IntegersAreNotFiltered) {
  const std::vector<std::uint8_t> texels{1, 2, 3, 200};
  const Texture texture{Use::texture, image_of(texels, u8, ImageShape::one, 4), {}};
  EXPECT_EQ(sample(texture, {}, words({3.5f}))[0], 200u);
}

TEST(Sample, GatherReadsOneChannelOfFourTexels) {
  const std::vector<float> texels{0, 1, 2, 3, 4, 5, 6, 7, 8};
  const Texture texture{Use::texture, image_of(texels, f32, ImageShape::two, 3, 3), {}};
  Operation gather;
  gather.kind = Kind::gather;
  gather.geometry = Geometry::two;
  const Words got = sample(texture, gather, words({1.6f, 1.6f}));  // texels 1 and 2 of both dimensions
  EXPECT_EQ(real(got[0]), 7);
  EXPECT_EQ(real(got[1]), 8);
  EXPECT_EQ(real(got[2]), 5);
  EXPECT_EQ(real(got[3]), 4);
}

TEST(Sample, OffsetsCountTexels) {
  Operation operation;
  operation.has_offset = true;
  EXPECT_EQ(real(sample(row_of({}), operation, {words({0.5f})[0], 2})[0]), 30);
  EXPECT_EQ(real(sample(row_of({}), operation, {words({2.5f})[0], 0xffffffff})[0]), 20);
}

TEST(Sample, HalvesAreRounded) {
  Operation operation;
  operation.result = Result::half;
  EXPECT_EQ(sample(row_of({}), operation, words({0.5f}))[0], 0x4900u);  // 10
  operation.result = Result::half_pairs;
  const Words got = sample(row_of({}), operation, words({0.5f}));
  EXPECT_EQ(got[0], 0x4900u);
  EXPECT_EQ(got[1], 0x3c000000u);  // the missing channels: 0 and 1
}

// A level of each size that is half of the one before: its texels all hold its number.
struct Levels {
  std::vector<float> texels[3] = {std::vector<float>(16, 0.0f), std::vector<float>(4, 1.0f), {2.0f}};
  Texture texture;
  explicit Levels(TexelFilter filter) {
    texture.image = image_of(texels[0], f32, ImageShape::two, 4, 4);
    texture.image.levels = 3;
    for (std::uint32_t i = 1; i < 3; ++i)
      texture.image.level[i] = image_of(texels[i], f32, ImageShape::two, 4 >> i, 4 >> i).level[0];
    texture.sampler.normalized_coordinates = true;
    texture.sampler.level_filter = filter;
    texture.sampler.most_level = 10;
  }
  float at(float level) const {
    Operation operation;
    operation.geometry = Geometry::two;
    operation.level = LevelBy::level;
    return real(sample(texture, operation, words({0.3f, 0.7f, level}))[0]);
  }
};

TEST(Sample, TheLevelOfDetailIsRoundedOrMixed) {
  const Levels point(TexelFilter::point), linear(TexelFilter::linear);
  EXPECT_EQ(point.at(0.4f), 0);
  EXPECT_EQ(point.at(0.6f), 1);
  EXPECT_EQ(point.at(7.0f), 2);
  EXPECT_EQ(point.at(-7.0f), 0);
  EXPECT_EQ(linear.at(0.25f), 0.25f);
  EXPECT_EQ(linear.at(1.5f), 1.5f);
  EXPECT_EQ(linear.at(0.001f), 0.0f);  // the weight has eight bits too
}

TEST(Sample, BiasAndClampsChangeTheLevel) {
  Levels linear(TexelFilter::linear);
  linear.texture.sampler.level_bias = 0.5f;
  EXPECT_EQ(linear.at(0.25f), 0.75f);
  linear.texture.sampler.most_level = 0.625f;
  EXPECT_EQ(linear.at(0.25f), 0.625f);
  linear.texture.sampler.least_level = 0.125f;
  EXPECT_EQ(linear.at(-4.0f), 0.125f);
}

TEST(Sample, GradientsChooseTheLevel) {
  const Levels linear(TexelFilter::linear);
  Operation operation;
  operation.geometry = Geometry::two;
  operation.level = LevelBy::gradient;
  // Two texels of the first level by x, one by y: level 1.
  EXPECT_EQ(real(sample(linear.texture, operation, words({0.3f, 0.7f, 0.5f, 0, 0, 0.25f}))[0]), 1.0f);
  EXPECT_EQ(real(sample(linear.texture, operation, words({0.3f, 0.7f, 0, 0, 0, 0}))[0]), 0.0f);
}

// Six faces of two texels by two: texel (i, j) of face f holds 100 f + 10 j + i.
struct Cube {
  std::vector<float> texels;
  Texture texture;
  Cube() {
    for (int f = 0; f < 6; ++f)
      for (int j = 0; j < 2; ++j)
        for (int i = 0; i < 2; ++i) texels.push_back(static_cast<float>(100 * f + 10 * j + i));
    texture.image = image_of(texels, f32, ImageShape::cube, 2, 2, 6);
  }
  float at(float x, float y, float z) const {
    Operation operation;
    operation.geometry = Geometry::cube;
    return real(sample(texture, operation, words({x, y, z}))[0]);
  }
};

TEST(Sample, ADirectionMeetsAFaceOfTheCube) {
  const Cube cube;
  // The guide's table: on +x, s is -z and t is -y.
  EXPECT_EQ(cube.at(1, 0.5f, 0.5f), 0);
  EXPECT_EQ(cube.at(1, -0.5f, -0.5f), 11);
  EXPECT_EQ(cube.at(-2, 1, 1), 101);  // on -x, s is z
  EXPECT_EQ(cube.at(0.5f, 1, 0.5f), 211);
  EXPECT_EQ(cube.at(0.5f, -1, 0.5f), 301);
  EXPECT_EQ(cube.at(0.5f, 0.5f, 1), 401);
  EXPECT_EQ(cube.at(0.5f, 0.5f, -1), 500);
}

TEST(Sample, SeamlessFiltersPassOverEdges) {
  Cube cube;
  cube.texture.sampler.filter = TexelFilter::linear;
  // On +z, at its right edge in the upper half: half of its texel, half of the one of +x beside it.
  EXPECT_EQ(cube.at(0.9999999f, 0.5f, 1), 401);
  cube.texture.sampler.seamless = true;
  EXPECT_EQ(cube.at(0.9999999f, 0.5f, 1), (401 + 0) / 2.0f);
  // In the corner three meet, on +z, +x and +y.
  EXPECT_NEAR(cube.at(0.9999998f, 0.9999999f, 1), (401 + 0 + 211) / 3.0, 1e-4);
}

TEST(Sample, QueriesTellTheFormat) {
  const Levels levels(TexelFilter::point);
  Operation query;
  query.kind = Kind::query;
  query.query = Query::width;
  EXPECT_EQ(answer(levels.texture, query, nullptr), 4u);
  query.level = LevelBy::level;
  const std::uint64_t one = 1;
  EXPECT_EQ(answer(levels.texture, query, &one), 2u);
  query.query = Query::levels;
  EXPECT_EQ(answer(levels.texture, query, &one), 3u);
  query.query = Query::channel_data_type;
  EXPECT_EQ(answer(levels.texture, query, &one), 0x10deu);  // CL_FLOAT
  query.query = Query::channel_order;
  EXPECT_EQ(answer(levels.texture, query, &one), 0x10b0u);  // CL_R
}

}  // namespace
}  // namespace heddle::texture
