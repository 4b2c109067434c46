// Files that commands write for -o.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "base/file_kind.hpp"
#include "base/overwrite.hpp"

namespace heddle::cli {

// Whether this is -, standard output.
bool is_standard_output(const std::filesystem::path& output);
// Before there is something to write. Throws invalid_argument if the file is one of `inputs`, a source, or a file of
// another kind, and not_found if its folder does not exist. `option` names the output in the message.
void check_output(std::string_view option, const std::filesystem::path& output,
                  std::span<const std::filesystem::path> inputs, base::FileKind kind);
// Throws invalid_argument if two of them are one file, or both are -.
void check_outputs(std::span<const base::Output> outputs);
// Writes the file and prints that: "t.svg: 12 commands, 3.4 KiB of SVG", with "12 commands" as `what` and "SVG" as
// `form`. For -, prints the text alone. Throws not_found and io_error.
void write_output(const std::filesystem::path& output, std::string_view text, std::string_view what,
                  std::string_view form);

}  // namespace heddle::cli
