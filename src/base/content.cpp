#include "base/content.hpp"

#include <array>

#include "base/fail.hpp"

namespace heddle::base {
namespace {

struct Kind {
  std::string_view begin, name;
};

using namespace std::string_view_literals;

constexpr std::array kinds{
    Kind{"\x89PNG\r\n"sv, "a PNG picture"},
    Kind{"\xff\xd8\xff"sv, "a JPEG picture"},
    Kind{"GIF8"sv, "a GIF picture"},
    Kind{"%PDF-"sv, "a PDF document"},
    Kind{"PK\x03\x04"sv, "a zip archive"},
    Kind{"\x1f\x8b"sv, "data packed with gzip"},
    Kind{"\xfd"
         "7zXZ"sv,
         "data packed with xz"},
    Kind{"!<arch>\n"sv, "an archive of object files"},
    Kind{"\x93NUMPY"sv, "an array of NumPy (.npy)"},
    Kind{"BC\xc0\xde"sv, "LLVM bitcode"},
    Kind{"\x50\xed\x55\xba"sv, "a fat binary of GPU code"},
    Kind{"\xff\xfe"sv, "text in UTF-16 (UTF-8 is expected)"},
    Kind{"\xfe\xff"sv, "text in UTF-16 (UTF-8 is expected)"},
};

// Bytes 16 and 18 of the header: the type of the file and the machine.
std::string_view elf_kind(std::string_view content) {
  constexpr char relocatable = 1, cuda = static_cast<char>(190);
  if (content.size() > 18 && content[18] == cuda) return "machine code for a GPU (a cubin)";
  if (content.size() > 16 && content[16] == relocatable) return "an object file (ELF)";
  return "a program or library (ELF)";
}

}  // namespace

std::string_view binary_kind(std::string_view content) {
  if (content.starts_with("\x7f"
                          "ELF"))
    return elf_kind(content);
  for (const Kind& kind : kinds)
    if (content.starts_with(kind.begin)) return kind.name;
  // Zeros at the end are what an image in memory may have behind its text.
  const std::size_t last = content.find_last_not_of('\0');
  const std::string_view text = content.substr(0, last == std::string_view::npos ? 0 : last + 1);
  return text.find('\0') != std::string_view::npos ? "binary data" : "";
}

std::string_view without_byte_order_mark(std::string_view text) {
  constexpr std::string_view mark = "\xef\xbb\xbf";
  if (text.starts_with(mark)) text.remove_prefix(mark.size());
  return text;
}

void require_text(std::string_view content, std::string_view name, std::string_view expected) {
  const std::string_view kind = binary_kind(content);
  if (!kind.empty()) fail(ErrorCode::invalid_argument, "{} is {}; expected is {}, a text", name, kind, expected);
}

}  // namespace heddle::base
