// Text within XML, HTML and SVG.
#pragma once

#include <string>
#include <string_view>

namespace heddle::base {

// With <, >, & and quotation marks as entities; control characters other than newline and tab are left out.
std::string xml(std::string_view text);

}  // namespace heddle::base
