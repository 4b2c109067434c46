// Selectors of the operands of video instructions (a.b2, b.h10, c.b3210), as Operand::selector holds them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace heddle::ptx {

// "b0" to "b3" are 1 to 4, "h0" and "h1" 5 and 6; selectors of several parts have larger numbers. 0: no selector.
std::uint16_t selector_from_name(std::string_view name);
// Without the dot.
std::string selector_name(std::uint16_t selector);

}  // namespace heddle::ptx
