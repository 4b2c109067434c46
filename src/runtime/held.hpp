// Public objects that have been moved from.
#pragma once

#include <memory>
#include <string_view>

#include "base/fail.hpp"

namespace heddle::runtime {

// The state that a public object holds. Throws invalid_argument if the object was moved from; `what` is its class.
template <typename T>
T& held(const std::shared_ptr<T>& state, std::string_view what) {
  if (!state)
    base::fail(ErrorCode::invalid_argument,
               "this heddle::{} was moved from and holds nothing; use the object that it was moved to", what);
  return *state;
}

}  // namespace heddle::runtime
