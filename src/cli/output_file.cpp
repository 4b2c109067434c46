#include "cli/output_file.hpp"

#include <fmt/core.h>

#include "base/file.hpp"
#include "base/format.hpp"

namespace heddle::cli {

bool is_standard_output(const std::filesystem::path& output) { return output == "-"; }

void check_output(const std::filesystem::path& output) {
  if (!is_standard_output(output)) base::require_folder_of(output);
}

void write_output(const std::filesystem::path& output, std::string_view text, std::string_view what,
                  std::string_view form) {
  if (is_standard_output(output)) return fmt::print("{}", text);
  check_output(output);
  base::write_file_atomic(output, text);
  fmt::print("{}: {}, {} of {}\n", output.string(), what, base::format_bytes(text.size()), form);
}

}  // namespace heddle::cli
