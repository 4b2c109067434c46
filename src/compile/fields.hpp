// Texts one behind the other, in files and between programs.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace heddle::compile {

// Fields as "<length>\n<bytes>\n", so that no content can be mistaken for structure.
void append_field(std::string& to, std::string_view field);
// Takes the first one from the front of `from`; nothing where it is damaged or half there.
std::optional<std::string_view> take_field(std::string_view& from);

}  // namespace heddle::compile
