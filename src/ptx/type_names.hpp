// The names of the types, for tables built at compile time.
#pragma once

#include <iterator>
#include <string_view>

#include "ptx/scalar_type.hpp"

namespace heddle::ptx {

// In the order of the enumeration.
inline constexpr std::string_view type_names[] = {
    "",       "pred",   "b1",     "b4",     "b8",     "b16",        "b32",     "b64",    "b128",   "u4",      "u8",
    "u16",    "u32",    "u64",    "s4",     "s8",     "s16",        "s32",     "s64",    "u16x2",  "s16x2",   "u8x4",
    "s8x4",   "f16",    "f16x2",  "bf16",   "bf16x2", "tf32",       "f32",     "f32x2",  "f64",    "e4m3",    "e5m2",
    "e3m2",   "e2m3",   "e2m1",   "ue8m0",  "e4m3x2", "e5m2x2",     "e3m2x2",  "e2m3x2", "e2m1x2", "ue8m0x2", "e4m3x4",
    "e5m2x4", "e3m2x4", "e2m3x4", "e2m1x4", "texref", "samplerref", "surfref",
};
static_assert(std::size(type_names) == static_cast<std::size_t>(Type::count_));

}  // namespace heddle::ptx
