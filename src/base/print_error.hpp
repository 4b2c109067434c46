// Messages on standard error.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <utility>

namespace heddle::base {

// Unlike fmt::print(stderr, ...) it does not throw where the message cannot be written, as on a full disk: that is no
// failure of the work.
template <class... Arguments>
void print_error(fmt::format_string<Arguments...> text, Arguments&&... arguments) {
  std::fputs(fmt::format(text, std::forward<Arguments>(arguments)...).c_str(), stderr);
}

}  // namespace heddle::base
