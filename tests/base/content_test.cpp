#include "base/content.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/file.hpp"
#include "heddle/error.hpp"

namespace heddle::base {
namespace {

using namespace std::string_view_literals;

TEST(Content, TellsWhatIsNoText) {
  struct Case {
    std::string_view content, kind;
  };
  const std::string program = read_file("/proc/self/exe");
  const std::string header =
      "\x7f"
      "ELF\x02\x01\x01" +
      std::string(9, '\0');
  const std::string object = header + '\1' + '\0' + '\x3e' + '\0', cubin = header + '\2' + '\0' + '\xbe' + '\0';
  for (const Case& one : {
           Case{program, "a program or library (ELF)"},
           Case{object, "an object file (ELF)"},
           Case{cubin, "machine code for a GPU (a cubin)"},
           Case{"\x89PNG\r\n\x1a\n"sv, "a PNG picture"},
           Case{"\xff\xfe/\0/\0"sv, "text in UTF-16 (UTF-8 is expected)"},
           Case{"int\0x;"sv, "binary data"},
           Case{""sv, ""},
           Case{"__global__ void k() {}"sv, ""},
           Case{"// Gr\xc3\xbc\xc3\x9f"
                "e"sv,
                ""},
           Case{"// Latin-1: \xfc"sv, ""},
           Case{"\xef\xbb\xbf// with a mark of its encoding"sv, ""},
           Case{".version 8.0\n\0\0"sv, ""},
       })
    EXPECT_EQ(binary_kind(one.content), one.kind) << one.content.substr(0, 20);
}

TEST(Content, AByteOrderMarkIsNoPartOfTheText) {
  EXPECT_EQ(without_byte_order_mark("\xef\xbb\xbf{}"), "{}");
  EXPECT_EQ(without_byte_order_mark("\xef\xbb\xbf"), "");
  EXPECT_EQ(without_byte_order_mark("\xef\xbb{}"), "\xef\xbb{}");
  EXPECT_EQ(without_byte_order_mark("{}"), "{}");
}

TEST(Content, TheMessageSaysWhatIsExpected) {
  EXPECT_NO_THROW(require_text(".version 8.0", "k.ptx", "PTX"));
  try {
    require_text("GIF89a", "k.ptx", "PTX");
    FAIL() << "nothing thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    EXPECT_STREQ(error.what(), "k.ptx is a GIF picture; expected is PTX, a text");
  }
}

}  // namespace
}  // namespace heddle::base
