#include "base/file_kind.hpp"

#include <cctype>
#include <string>

#include "base/content.hpp"
#include "base/fail.hpp"
#include "base/file.hpp"

namespace heddle::base {
namespace {

constexpr std::size_t beginning_bytes = 1 << 16;  // licences stand first in some files

bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

void skip_to_end_of(std::string_view& text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  text.remove_prefix(at == text.npos ? text.size() : at + mark.size());
}

// Without spaces and comments of C, or of XML, in front.
std::string_view without_comments(std::string_view text, bool xml) {
  text = without_byte_order_mark(text);
  while (true) {
    while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
    if (xml && text.starts_with("<!--"))
      skip_to_end_of(text, "-->");
    else if (xml && text.starts_with("<?"))
      skip_to_end_of(text, "?>");
    else if (!xml && text.starts_with("//"))
      skip_to_end_of(text, "\n");
    else if (!xml && text.starts_with("/*"))
      skip_to_end_of(text, "*/");
    else
      return text;
  }
}

// In any case of the letters; `word` is in small ones.
bool begins(std::string_view text, std::string_view word) {
  if (text.size() < word.size()) return false;
  for (std::size_t i = 0; i < word.size(); ++i)
    if (std::tolower(static_cast<unsigned char>(text[i])) != word[i]) return false;
  return true;
}

bool begins_svg(std::string_view text) {
  if (begins(text, "<!doctype svg")) skip_to_end_of(text, ">");
  return without_comments(text, true).starts_with("<svg");
}

const char* name(FileKind kind) {
  switch (kind) {
    case FileKind::ptx: return "PTX";
    case FileKind::svg: return "SVG picture";
    case FileKind::html: return "HTML page";
    case FileKind::dot: return "DOT graph";
    case FileKind::npy: return ".npy array";
  }
  return "output";
}

}  // namespace

bool is_of_kind(std::string_view text, FileKind kind) {
  if (text.empty()) return true;
  const std::string_view code = without_comments(text, false), page = without_comments(text, true);
  switch (kind) {
    case FileKind::ptx: return code.starts_with(".version");
    case FileKind::svg: return begins_svg(page);
    case FileKind::html: return begins(page, "<!doctype html") || begins(page, "<html");
    case FileKind::dot: return begins(code, "digraph") || begins(code, "graph") || begins(code, "strict");
    case FileKind::npy: return text.starts_with("\x93NUMPY");
  }
  return false;
}

void refuse_other_kind(std::string_view option, const std::filesystem::path& output, FileKind kind) {
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(output, unknown)) return;
  if (is_of_kind(read_beginning(output, beginning_bytes), kind)) return;
  fail(ErrorCode::invalid_argument,
       "{} {}: the output would replace this file, which is no {}; name another file, or remove this one. Nothing was "
       "written.",
       option, output.string(), name(kind));
}

}  // namespace heddle::base
