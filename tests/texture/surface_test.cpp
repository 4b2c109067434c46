#include "texture/surface.hpp"

#include <gtest/gtest.h>

#include "texture/image.hpp"

namespace heddle::texture {
namespace {

struct Plane {
  std::vector<std::uint16_t> texels = std::vector<std::uint16_t>(12, 0);  // 4 by 3
  Texture surface{Use::surface, image_of(texels, {ChannelKind::unsigned_integer, 16, 1}, ImageShape::two, 4, 3), {}};
  Operation operation;
  Plane() {
    operation.geometry = Geometry::two;
    operation.elements = 1;
    operation.element_bytes = 2;
  }
  Words run(Kind kind, std::vector<std::uint64_t> arguments) {
    operation.kind = kind;
    const SurfaceAccess access = find_access(surface, operation, arguments.data());
    trapped = access.trap;
    return access_surface(surface, operation, access, arguments.data());
  }
  bool trapped = false;
};

TEST(Surface, TheFirstCoordinateCountsBytes) {
  Plane plane;
  plane.run(Kind::store, {4, 1, 77});
  EXPECT_EQ(plane.texels[6], 77);
  EXPECT_EQ(plane.run(Kind::load, {4, 1})[0], 77u);
}

TEST(Surface, OutsideItTrapsClampsOrReadsZeros) {
  Plane plane;
  for (std::size_t i = 0; i < plane.texels.size(); ++i) plane.texels[i] = static_cast<std::uint16_t>(i + 1);
  plane.run(Kind::load, {8, 0});
  EXPECT_TRUE(plane.trapped);
  plane.run(Kind::load, {7, 0});  // the second byte is outside
  EXPECT_TRUE(plane.trapped);
  plane.operation.bounds = OutOfBounds::zero;
  EXPECT_EQ(plane.run(Kind::load, {8, 0})[0], 0u);
  EXPECT_FALSE(plane.trapped);
  plane.run(Kind::store, {0, 3, 99});
  EXPECT_EQ(plane.texels[8], 9);
  plane.operation.bounds = OutOfBounds::clamp;
  EXPECT_EQ(plane.run(Kind::load, {80, 0xffffffff})[0], 4u);
}

TEST(Surface, FormattedStoresConvert) {
  Plane plane;
  plane.operation.element_bytes = 4;
  plane.run(Kind::store_formatted, {3, 2, 70000});
  EXPECT_EQ(plane.texels[11], 65535);
}

TEST(Surface, ReductionsCombineWithWhatIsThere) {
  const std::vector<std::int32_t> texels{5, -7, 1, 0};
  Texture surface{Use::surface, image_of(texels, {ChannelKind::signed_integer, 32, 1}, ImageShape::one, 4), {}};
  Operation operation;
  operation.kind = Kind::reduce;
  operation.elements = 1;
  operation.is_signed = true;
  const auto run = [&](Combine combine, std::uint64_t x, std::int32_t value) {
    operation.combine = combine;
    const std::uint64_t arguments[] = {x, static_cast<std::uint32_t>(value)};
    access_surface(surface, operation, find_access(surface, operation, arguments), arguments);
  };
  run(Combine::add, 0, -8);
  run(Combine::max, 4, -9);
  run(Combine::min, 8, -2);
  run(Combine::or_, 12, 6);
  EXPECT_EQ(texels, (std::vector<std::int32_t>{-3, -7, -2, 6}));
}

}  // namespace
}  // namespace heddle::texture
