// Files that commands write for -o.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace heddle::cli {

// Whether this is -, standard output.
bool is_standard_output(const std::filesystem::path& output);
// Throws not_found if the folder of such a file does not exist, before there is something to write.
void check_output(const std::filesystem::path& output);
// Writes the file and prints that: "t.svg: 12 commands, 3.4 KiB of SVG", with "12 commands" as `what` and "SVG" as
// `form`. For -, prints the text alone. Throws as check_output does, and io_error.
void write_output(const std::filesystem::path& output, std::string_view text, std::string_view what,
                  std::string_view form);

}  // namespace heddle::cli
