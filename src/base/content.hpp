// What a file holds that is no text, for messages: compilers and parsers would tell pages about its bytes.
#pragma once

#include <string_view>

namespace heddle::base {

// "an ELF program or library", "a PNG picture", "binary data", ... Empty for what may be text.
std::string_view binary_kind(std::string_view content);

// Throws invalid_argument where `content`, which messages call `name`, is no text: `expected` as in "CUDA C++".
void require_text(std::string_view content, std::string_view name, std::string_view expected);

}  // namespace heddle::base
