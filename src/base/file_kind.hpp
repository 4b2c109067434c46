// Protection of files that are something else than what a command writes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

namespace heddle::base {

enum class FileKind : std::uint8_t { ptx, svg, html, dot, npy };

// Whether a file that begins with `text` is of the kind, whoever has written it. An empty one may become anything.
bool is_of_kind(std::string_view text, FileKind kind);

// Throws invalid_argument if there is a regular file of another kind: somebody's notes, which the output would replace.
// `option` is for the message, as "-o". Throws io_error if the file cannot be read.
void refuse_other_kind(std::string_view option, const std::filesystem::path& output, FileKind kind);

}  // namespace heddle::base
