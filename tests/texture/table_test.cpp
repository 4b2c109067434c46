#include "texture/table.hpp"

#include <gtest/gtest.h>

#include <set>

#include "heddle/error.hpp"
#include "texture/image.hpp"

namespace heddle::texture {
namespace {

const std::vector<float> texels(16, 1.0f);
Image plane() { return image_of(texels, f32, ImageShape::two, 4, 4); }

TEST(Table, HandlesAreFoundUntilTheyAreRemoved) {
  Table table;
  const std::uint64_t first = table.add_texture(plane(), {}), second = table.add_surface(plane());
  ASSERT_NE(table.find(first), nullptr);
  EXPECT_EQ(table.find(first)->use, Use::texture);
  EXPECT_EQ(table.find(second)->use, Use::surface);
  EXPECT_TRUE(table.remove(first));
  EXPECT_EQ(table.find(first), nullptr);
  EXPECT_FALSE(table.remove(first));
  const std::uint64_t third = table.add_texture(plane(), {});
  EXPECT_NE(third, first);  // a stale handle does not find another texture
  EXPECT_NE(table.find(third), nullptr);
}

TEST(Table, NumbersThatAreNoHandlesFindNothing) {
  Table table;
  table.add_texture(plane(), {});
  for (const std::uint64_t handle : {std::uint64_t{0}, std::uint64_t{2}, ~std::uint64_t{0}, std::uint64_t{1} << 32})
    EXPECT_EQ(table.find(handle), nullptr) << handle;
}

TEST(Table, ThousandsHaveRoom) {
  Table table;
  std::set<std::uint64_t> handles;
  for (int i = 0; i < 3000; ++i) handles.insert(table.add_texture(plane(), {}));
  EXPECT_EQ(handles.size(), 3000u);
  for (const std::uint64_t handle : handles) EXPECT_NE(table.find(handle), nullptr);
}

TEST(Table, WhatMakesNoSenseIsRefused) {
  Table table;
  Image image = plane();
  Sampler linear;
  linear.filter = TexelFilter::linear;
  image.format.kind = ChannelKind::unsigned_integer;
  EXPECT_THROW(table.add_texture(image, linear), Error);
  image = plane();
  image.shape = ImageShape::cube;
  EXPECT_THROW(table.add_texture(image, {}), Error);
  image = plane();
  image.format.channels = 3;
  EXPECT_THROW(table.add_surface(image), Error);
}

}  // namespace
}  // namespace heddle::texture
