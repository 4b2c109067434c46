#include "cli/source.hpp"

#include "base/content.hpp"
#include "base/file.hpp"
#include "runtime/compile_text.hpp"

namespace heddle::cli {
namespace {

// `text` without the spaces and comments that it begins with.
std::string_view after_comments(std::string_view text) {
  for (;;) {
    const std::size_t begin = text.find_first_not_of(" \t\r\n");
    if (begin == text.npos) return {};
    text.remove_prefix(begin);
    const bool line = text.starts_with("//"), block = text.starts_with("/*");
    if (!line && !block) return text;
    const std::size_t end = text.find(line ? "\n" : "*/", 2);
    if (end == text.npos) return {};
    text.remove_prefix(end + (line ? 1 : 2));
  }
}

}  // namespace

bool is_standard_input(std::string_view file) { return file == "-"; }

Source read_standard_source() {
  Source source{base::read_standard_input(), "standard input"};
  source.is_ptx = after_comments(base::without_byte_order_mark(source.text)).starts_with('.');
  return source;
}

std::string ptx_of(const Source& source, const CompileOptions& options) {
  if (!source.is_ptx) return runtime::compile_text(source.text, source.name, options);
  base::require_text(source.text, source.name, "PTX");
  return source.text;
}

}  // namespace heddle::cli
