// Recognises files that are not text, for messages. Compilers and parsers would report pages of errors about them.
#pragma once

#include <string_view>

namespace heddle::base {

// "an ELF program or library", "a PNG picture", "binary data", ... Empty if it may be text.
std::string_view binary_kind(std::string_view content);

// `text` without the byte order mark of UTF-8 (EF BB BF) that some editors put in front.
std::string_view without_byte_order_mark(std::string_view text);

// Throws invalid_argument if `content` is not text. `name`: its name in messages. `expected`: what it should be, as
// "CUDA C++".
void require_text(std::string_view content, std::string_view name, std::string_view expected);

}  // namespace heddle::base
