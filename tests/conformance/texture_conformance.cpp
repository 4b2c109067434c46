// Textures and surfaces. What sampling computes is tested in tests/texture; here it is whether kernels get there.
#include <bit>

#include "conformance/conformance.hpp"
#include "heddle/texture.hpp"

namespace heddle::conformance {
namespace {

constexpr const char* texture_kernels = R"ptx(
.version 7.0
.target sm_70
.address_size 64

.global .texref bound;

// Thread i reads at coordinates[2 i], coordinates[2 i + 1].
.visible .entry sample(.param .u64 p_out, .param .u64 p_at, .param .u64 p_texture) {
  .reg .b32 %r<3>;
  .reg .f32 %f<8>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [p_out];
  ld.param.u64 %rd2, [p_at];
  ld.param.u64 %rd3, [p_texture];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd4, %r1, 8;
  add.u64 %rd5, %rd2, %rd4;
  ld.global.v2.f32 {%f1, %f2}, [%rd5];
  tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%rd3, {%f1, %f2}];
  mul.wide.u32 %rd4, %r1, 16;
  add.u64 %rd5, %rd1, %rd4;
  st.global.v4.f32 [%rd5], {%f3, %f4, %f5, %f6};
  ret;
}

// Odd threads fetch from one texture, even ones from another; the first of every four does not.
.visible .entry fetch(.param .u64 p_out, .param .u64 p_even, .param .u64 p_odd) {
  .reg .pred %p<4>;
  .reg .b32 %r<12>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [p_out];
  ld.param.u64 %rd2, [p_even];
  ld.param.u64 %rd3, [p_odd];
  mov.u32 %r1, %tid.x;
  and.b32 %r2, %r1, 1;
  setp.eq.u32 %p1, %r2, 0;
  selp.b64 %rd4, %rd2, %rd3, %p1;
  and.b32 %r3, %r1, 3;
  setp.ne.u32 %p2, %r3, 0;
  mov.u32 %r4, 7;
  @%p2 tex.1d.v4.u32.s32 {%r4, %r5, %r6, %r7}, [%rd4, {%r1}];
  mul.wide.u32 %rd5, %r1, 4;
  add.u64 %rd6, %rd1, %rd5;
  st.global.u32 [%rd6], %r4;
  ret;
}

// One texel for the whole warp, by the variable.
.visible .entry uniform(.param .u64 p_out, .param .f32 p_x) {
  .reg .b32 %r<8>;
  .reg .f32 %f<4>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [p_out];
  ld.param.f32 %f1, [p_x];
  tex.2d.v4.u32.f32 {%r1, %r2, %r3, %r4}, [bound, {%f1, 0f3F000000}];
  st.global.u32 [%rd1], %r1;
  ret;
}

.visible .entry bind(.param .u64 p_handle) {
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [p_handle];
  mov.u64 %rd2, bound;
  st.global.u64 [%rd2], %rd1;
  ret;
}

// Adds one to each texel of a surface of 16-bit numbers, and a hundred to the sum in its first word of another one.
.visible .entry surface(.param .u64 p_surface, .param .u64 p_sum) {
  .reg .b32 %r<8>;
  .reg .b16 %h<3>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [p_surface];
  ld.param.u64 %rd2, [p_sum];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ctaid.x;
  shl.b32 %r3, %r1, 1;
  suld.b.2d.b16.trap %h1, [%rd1, {%r3, %r2}];
  add.u16 %h2, %h1, 1;
  sust.b.2d.b16.trap [%rd1, {%r3, %r2}], %h2;
  mov.u32 %r4, 0;
  mov.u32 %r5, 100;
  sured.b.add.1d.u32.trap [%rd2, {%r4}], %r5;
  ret;
}

.visible .entry ask(.param .u64 p_out, .param .u64 p_texture, .param .u64 p_surface) {
  .reg .pred %p<4>;
  .reg .b32 %r<12>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [p_out];
  ld.param.u64 %rd2, [p_texture];
  ld.param.u64 %rd3, [p_surface];
  txq.width.b32 %r1, [%rd2];
  txq.height.b32 %r2, [%rd2];
  suq.width.b32 %r3, [%rd3];
  istypep.texref %p1, %rd2;
  selp.u32 %r4, 1, 0, %p1;
  istypep.texref %p2, %rd3;
  selp.u32 %r5, 1, 0, %p2;
  istypep.surfref %p3, %rd3;
  selp.u32 %r6, 1, 0, %p3;
  st.global.v2.u32 [%rd1], {%r1, %r2};
  st.global.v4.u32 [%rd1+16], {%r3, %r4, %r5, %r6};
  ret;
}
)ptx";

template <class T>
Image plane(const Buffer<T>& texels, TexelFormat format, ImageShape shape, std::uint32_t width, std::uint32_t height) {
  Image image;
  image.format = format;
  image.shape = shape;
  image.level[0].address = texels.address();
  image.level[0].width = width;
  image.level[0].height = height;
  image.level[0].row_bytes = std::uint64_t{width} * format.bytes();
  image.level[0].slice_bytes = image.level[0].row_bytes * height;
  return image;
}

constexpr TexelFormat f32x2{ChannelKind::floating, 32, 2}, u32{ChannelKind::unsigned_integer, 32, 1},
    u16{ChannelKind::unsigned_integer, 16, 1};

}  // namespace

void Textures::SetUp() {
  Conformance::SetUp();
  if (!device) return;
  table_ = device->textures();
  if (!table_) GTEST_SKIP() << "the device has no textures";
  loaded_ = load(texture_kernels);
}

namespace {

TEST_P(Textures, ThreadsSampleAtTheirOwnCoordinates) {
  const Buffer<float> texels(*device, 12), at(*device, 80), out(*device, 160);
  texels.write(*queue, {0, 0, 1, 10, 2, 20, 3, 30, 4, 40, 5, 50});  // 3 by 2, of two channels
  std::vector<float> coordinates;
  for (int i = 0; i < 40; ++i) {
    coordinates.push_back(0.5f + 0.25f * static_cast<float>(i % 9));
    coordinates.push_back(0.5f + 0.25f * static_cast<float>(i % 5));
  }
  at.write(*queue, coordinates);
  Sampler sampler;
  sampler.filter = TexelFilter::linear;
  const std::uint64_t texture = table().add_texture(plane(texels, f32x2, ImageShape::two, 3, 2), sampler);
  launch(*queue, function("sample"), {.grid = {1}, .block = {40}}, out.address(), at.address(), texture);
  const std::vector<float> got = out.read(*queue);
  for (std::size_t i = 0; i < 40; ++i) {
    const float x = coordinates[2 * i] - 0.5f, y = coordinates[2 * i + 1] - 0.5f;
    const float expected = std::min(x, 2.0f) + 3 * std::min(y, 1.0f);  // the image is linear in x and y
    EXPECT_EQ(got[4 * i], expected) << i;
    EXPECT_EQ(got[4 * i + 1], 10 * expected) << i;
    EXPECT_EQ(got[4 * i + 2], 0) << i;
    EXPECT_EQ(got[4 * i + 3], 1) << i;
  }
}

TEST_P(Textures, HandlesMayDifferFromThreadToThread) {
  const Buffer<std::uint32_t> even(*device, 40), odd(*device, 20), out(*device, 40);
  std::vector<std::uint32_t> a(40), b(20);
  for (std::uint32_t i = 0; i < 40; ++i) a[i] = 1000 + i;
  for (std::uint32_t i = 0; i < 20; ++i) b[i] = 2000 + i;
  even.write(*queue, a);
  odd.write(*queue, b);
  const std::uint64_t first = table().add_texture(plane(even, u32, ImageShape::linear, 40, 1), {});
  const std::uint64_t second = table().add_texture(plane(odd, u32, ImageShape::linear, 20, 1), {});
  launch(*queue, function("fetch"), {.grid = {1}, .block = {40}}, out.address(), first, second);
  const std::vector<std::uint32_t> got = out.read(*queue);
  for (std::uint32_t i = 0; i < 40; ++i)
    EXPECT_EQ(got[i], i % 4 == 0 ? 7u : i % 2 == 0 ? 1000 + i : i < 20 ? 2000 + i : 0u) << i;
}

TEST_P(Textures, AVariableNamesATexture) {
  const Buffer<std::uint32_t> texels(*device, 4), out(*device, 1);
  texels.write(*queue, {5, 6, 7, 8});
  const std::uint64_t texture = table().add_texture(plane(texels, u32, ImageShape::two, 4, 1), {});
  launch(*queue, function("bind"), {.grid = {1}, .block = {1}}, texture);
  launch(*queue, function("uniform"), {.grid = {1}, .block = {64}}, out.address(), 2.5f);
  EXPECT_EQ(out.read(*queue)[0], 7u);
}

TEST_P(Textures, SurfacesAreReadAndWritten) {
  const Buffer<std::uint16_t> texels(*device, 48 * 3);
  const Buffer<std::uint32_t> sum(*device, 4);
  std::vector<std::uint16_t> values(48 * 3);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::uint16_t>(3 * i);
  texels.write(*queue, values);
  sum.write(*queue, {5, 0, 0, 0});
  const std::uint64_t surface = table().add_surface(plane(texels, u16, ImageShape::two, 48, 3));
  const std::uint64_t sums = table().add_surface(plane(sum, u32, ImageShape::one, 4, 1));
  launch(*queue, function("surface"), {.grid = {3}, .block = {48}}, surface, sums);
  const std::vector<std::uint16_t> got = texels.read(*queue);
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_EQ(got[i], values[i] + 1) << i;
  EXPECT_EQ(sum.read(*queue)[0], 5u + 3 * 48 * 100);
}

TEST_P(Textures, KernelsAskForSizesAndKinds) {
  const Buffer<std::uint32_t> texels(*device, 12), out(*device, 8);
  const std::uint64_t texture = table().add_texture(plane(texels, u32, ImageShape::two, 3, 4), {});
  const std::uint64_t surface = table().add_surface(plane(texels, u32, ImageShape::one, 12, 1));
  out.fill(*queue);
  launch(*queue, function("ask"), {.grid = {1}, .block = {1}}, out.address(), texture, surface);
  EXPECT_EQ(out.read(*queue), (std::vector<std::uint32_t>{3, 4, 0, 0, 12, 1, 0, 1}));
}

TEST_P(Textures, WrongHandlesAreFaults) {
  const Buffer<std::uint32_t> texels(*device, 48 * 3), sum(*device, 4);
  const std::uint64_t texture = table().add_texture(plane(texels, u32, ImageShape::one, 4, 1), {});
  const auto run = [&](std::uint64_t surface) {
    return expect_fault(KernelFault::other, [&] {
      launch(*queue, function("surface"), {.grid = {1}, .block = {4}}, surface, surface);
      queue->synchronize();
    });
  };
  EXPECT_THAT(run(0x1234567), testing::HasSubstr("0x1234567 names no texture"));
  EXPECT_THAT(run(texture), testing::HasSubstr("that of a texture, not of a surface"));
  EXPECT_TRUE(table().remove(texture));
  EXPECT_THAT(run(texture), testing::HasSubstr("names no texture"));
  const std::uint64_t small = table().add_surface(plane(texels, u16, ImageShape::two, 2, 1));
  EXPECT_THAT(run(small), testing::HasSubstr("outside the surface"));
}

}  // namespace
}  // namespace heddle::conformance
