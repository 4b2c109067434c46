// What each form of a texture instruction asks for, and where its arguments are.
#include "device/texture_use.hpp"

#include <gtest/gtest.h>

#include <string>

#include "ptx/parser.hpp"

namespace heddle::device {
namespace {

using texture::Geometry;
using texture::Kind;
using texture::LevelBy;

// The instruction and its module, which the use refers to.
struct Used {
  ptx::Module module;
  TextureUse use;
  explicit Used(const std::string& text)
      : module(ptx::parse(".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p) {\n"
                          ".reg .pred %p<4>; .reg .b16 %h<8>; .reg .b32 %r<20>; .reg .f32 %f<20>; .reg .b64 %rd<8>;\n" +
                              text + "\nret; }\n",
                          "use.ptx")),
        use(texture_use(module.functions[0].body[0])) {}
  // The registers that hold the arguments, by their names.
  std::string arguments() const {
    std::string names;
    for (const TextureUse::Argument& argument : use.arguments())
      names += (names.empty() ? "" : " ") +
               (argument.operand->is_reg() ? module.functions[0].registers[argument.operand->index].name : "?");
    return names;
  }
};

TEST(TextureUse, CoordinatesComeInTheOrderOfTheAxes) {
  const Used two("tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6}];");
  EXPECT_EQ(two.use.operation.kind, Kind::sample);
  EXPECT_EQ(two.use.operation.geometry, Geometry::two);
  EXPECT_FALSE(two.use.operation.integer_coordinates);
  EXPECT_EQ(two.arguments(), "%f5 %f6");
  EXPECT_EQ(two.use.results().size(), 4u);
  EXPECT_EQ(two.use.operation.arguments, 2u);
  EXPECT_EQ(two.use.operation.results, 4u);
  // The fourth coordinate is padding.
  EXPECT_EQ(Used("tex.3d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6, %f7, %f8}];").arguments(), "%f5 %f6 %f7");
  const Used fetch("tex.1d.v4.u32.s32 {%r1, %r2, %r3, %r4}, [%rd1, {%r5}];");
  EXPECT_TRUE(fetch.use.operation.integer_coordinates);
}

TEST(TextureUse, TheLayerComesFirst) {
  const Used layered("tex.a2d.v4.s32.f32 {%r1, %r2, %r3, %r4}, [%rd1, {%r5, %f5, %f6, %f6}];");
  EXPECT_TRUE(layered.use.operation.layered);
  EXPECT_EQ(layered.arguments(), "%r5 %f5 %f6");
  EXPECT_EQ(Used("tex.acube.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%r5, %f5, %f6, %f7}];").arguments(),
            "%r5 %f5 %f6 %f7");
}

TEST(TextureUse, LevelsGradientsAndOffsetsFollow) {
  const Used level("tex.level.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6}], %f7, {%r1, %r2};");
  EXPECT_EQ(level.use.operation.level, LevelBy::level);
  EXPECT_FALSE(level.use.operation.integer_level);
  EXPECT_TRUE(level.use.operation.has_offset);
  EXPECT_EQ(level.arguments(), "%f5 %f6 %f7 %r1 %r2");
  const Used grad(
      "tex.grad.3d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6, %f7, %f7}], {%f8, %f9, %f10, %f10}, "
      "{%f11, %f12, %f13, %f13};");
  EXPECT_EQ(grad.use.operation.level, LevelBy::gradient);
  EXPECT_EQ(grad.arguments(), "%f5 %f6 %f7 %f8 %f9 %f10 %f11 %f12 %f13");
  const Used whole("tex.level.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd1, {%r5}], %r6;");
  EXPECT_TRUE(whole.use.operation.integer_level);
}

TEST(TextureUse, GatherNamesItsChannel) {
  const Used gather("tld4.b.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}|%p1, [%rd1, {%f5, %f6}];");
  EXPECT_EQ(gather.use.operation.kind, Kind::gather);
  EXPECT_EQ(gather.use.operation.component, 2);
  EXPECT_NE(gather.use.resident, nullptr);
}

TEST(TextureUse, SurfacesHaveTheirValuesBehindTheCoordinates) {
  const Used store("sust.b.a2d.v2.b32.clamp [%rd1, {%r1, %r2, %r3, %r3}], {%r4, %r5};");
  EXPECT_EQ(store.use.operation.kind, Kind::store);
  EXPECT_EQ(store.use.operation.bounds, texture::OutOfBounds::clamp);
  EXPECT_EQ(store.use.operation.elements, 2);
  EXPECT_EQ(store.use.operation.element_bytes, 4);
  EXPECT_EQ(store.arguments(), "%r1 %r2 %r3 %r4 %r5");
  const Used load("suld.b.3d.b16.zero %h1, [%rd1, {%r1, %r2, %r3, %r3}];");
  EXPECT_EQ(load.use.operation.kind, Kind::load);
  EXPECT_EQ(load.use.operation.element_bytes, 2);
  EXPECT_EQ(load.arguments(), "%r1 %r2 %r3");
  const Used reduce("sured.b.min.1d.s32.trap [%rd1, {%r1}], %r2;");
  EXPECT_EQ(reduce.use.operation.kind, Kind::reduce);
  EXPECT_EQ(reduce.use.operation.combine, texture::Combine::min);
  EXPECT_TRUE(reduce.use.operation.is_signed);
  EXPECT_EQ(Used("sust.p.2d.v4.b32.trap [%rd1, {%r1, %r2}], {%r3, %r4, %r5, %r6};").use.operation.kind,
            Kind::store_formatted);
}

TEST(TextureUse, WhatIsNotDoneIsSaid) {
  EXPECT_NE(Used("tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, %rd2, {%f5, %f6}];").use.refusal, nullptr);
  EXPECT_NE(Used("tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6}], {%r1, %r2}, %f7;").use.refusal, nullptr);
  EXPECT_NE(Used("tex.2dms.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd1, {%r1, %r2, %r3, %r3}];").use.refusal, nullptr);
  EXPECT_EQ(Used("tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6}];").use.refusal, nullptr);
}

}  // namespace
}  // namespace heddle::device
