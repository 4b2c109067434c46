// For devices of tests, so that kernels that are deadlocked end soon.
#pragma once

#include <chrono>

namespace heddle::test {

inline constexpr std::chrono::milliseconds short_patience{200};

}  // namespace heddle::test
