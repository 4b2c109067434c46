// The version of these headers; CMake checks that it is the project's.
#pragma once

namespace heddle {

inline constexpr int version_major = 0, version_minor = 1, version_patch = 0;
inline constexpr const char* version = "0.1.0";

}  // namespace heddle
