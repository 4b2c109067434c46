#include "cli/output_file.hpp"

#include <fmt/core.h>

#include "base/fail.hpp"
#include "base/file.hpp"
#include "base/format.hpp"
#include "base/printable.hpp"

namespace heddle::cli {

bool is_standard_output(const std::filesystem::path& output) { return output == "-"; }

void check_outputs(std::span<const base::Output> outputs) {
  const base::Output* printed = nullptr;
  for (const base::Output& output : outputs) {
    if (!is_standard_output(output.file)) continue;
    if (printed)
      base::fail(ErrorCode::invalid_argument, "{} and {} would both be printed; name a file for one of them",
                 printed->option, output.option);
    printed = &output;
  }
  base::refuse_same_outputs(outputs);
}

void check_output(std::string_view option, const std::filesystem::path& output,
                  std::span<const std::filesystem::path> inputs, base::FileKind kind) {
  if (is_standard_output(output)) return;
  base::require_folder_of(output);
  base::refuse_overwrite(option, output, inputs);
  base::refuse_other_kind(option, output, kind);
}

void write_output(const std::filesystem::path& output, std::string_view text, std::string_view what,
                  std::string_view form) {
  if (is_standard_output(output)) return fmt::print("{}", text);
  base::require_folder_of(output);
  base::write_users_file(output, text);
  fmt::print("{}: {}, {} of {}\n", base::printable(output.string()), what, base::format_bytes(text.size()), form);
}

}  // namespace heddle::cli
