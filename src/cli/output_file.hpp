// Files that commands write for -o.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "base/overwrite.hpp"

namespace heddle::cli {

// Whether this is -, standard output.
bool is_standard_output(const std::filesystem::path& output);
// Throws UsageError if the file is one of `inputs`. `option` names the output in that message.
void check_overwrite(std::string_view option, const std::filesystem::path& output,
                     std::span<const std::filesystem::path> inputs);
// Before there is something to write: as check_overwrite, and throws not_found if the folder of such a file does not
// exist.
void check_output(std::string_view option, const std::filesystem::path& output,
                  std::span<const std::filesystem::path> inputs);
// Throws UsageError if two of them are one file, or both are -.
void check_outputs(std::span<const base::Output> outputs);
// Writes the file and prints that: "t.svg: 12 commands, 3.4 KiB of SVG", with "12 commands" as `what` and "SVG" as
// `form`. For -, prints the text alone. Throws not_found and io_error.
void write_output(const std::filesystem::path& output, std::string_view text, std::string_view what,
                  std::string_view form);

}  // namespace heddle::cli
