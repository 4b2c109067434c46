// Scalar types of PTX (PTX ISA 9.0, section 5.2 and the alternate floating-point formats of 5.2.3).
#pragma once

#include <cstdint>

namespace heddle::ptx {

enum class Type : std::uint8_t {
  none,
  pred,
  b1,
  b4,
  b8,
  b16,
  b32,
  b64,
  b128,
  u4,
  u8,
  u16,
  u32,
  u64,
  s4,
  s8,
  s16,
  s32,
  s64,
  u16x2,
  s16x2,
  u8x4,
  s8x4,
  f16,
  f16x2,
  bf16,
  bf16x2,
  tf32,
  f32,
  f32x2,
  f64,
  e4m3,
  e5m2,
  e3m2,
  e2m3,
  e2m1,
  ue8m0,
  e4m3x2,
  e5m2x2,
  e3m2x2,
  e2m3x2,
  e2m1x2,
  ue8m0x2,
  e4m3x4,
  e5m2x4,
  e3m2x4,
  e2m3x4,
  e2m1x4,
  texref,
  samplerref,
  surfref,
  count_
};

}  // namespace heddle::ptx
