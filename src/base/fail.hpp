// Throwing heddle::Error with a formatted sentence.
#pragma once

#include <fmt/format.h>

#include <utility>

#include "heddle/error.hpp"

namespace heddle::base {

// fail(ErrorCode::not_found, "no kernel '{}' in {}", kernel, module);
template <typename... Args>
[[noreturn]] void fail(ErrorCode code, fmt::format_string<Args...> format, Args&&... args) {
  throw Error(code, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace heddle::base
