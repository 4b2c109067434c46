// Texts that begin with the byte order mark of UTF-8, as some editors write them: every input is read as without it,
// and messages name the same line and column.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "base/file.hpp"
#include "cli/heddle_command.hpp"
#include "cli/small_kernel.hpp"

namespace heddle::tests {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string mark = "\xef\xbb\xbf";
constexpr const char* source = R"(#include "two.h"
extern "C" __global__ void one(int* p) { p[threadIdx.x] = TWO; }
#ifdef MAIN
int main() {}
#endif
)";

class ByteOrderMark : public HeddleCommand {
 protected:
  ByteOrderMark() {
    write("k.ptx", mark + kernel);
    write("a.cu", mark + source);
    write("two.h", mark + "#define TWO 2\n");
    write("s.toml", mark +
                        "machines = [\"m.toml\"]\n[[kernels]]\nfile = \"k.ptx\"\narguments = [\"--block\", \"4\", "
                        "\"--arg\", \"zeros:u32:4\"]\n");
    write("m.toml", mark + "based-on = \"tesla-g80\"\n");
    write("j.toml", mark + "[[job]]\nfile = \"k.ptx\"\nblock = 4\nargs = [\"zeros:u32:4\"]\n");
    write("options", mark + "-O1 -DMAIN");
  }
};

TEST_F(ByteOrderMark, IsNoPartOfSources) {
  for (const char* command :
       {"inspect k.ptx", "inspect - <k.ptx", "launch k.ptx --block 4 --arg zeros:u32:4 --device cpu",
        "launch - --block 4 --arg zeros:u32:4 --device interp <k.ptx", "compile a.cu -o a.ptx", "inspect a.cu",
        "inspect -I . - <a.cu", "compile -I . - -o b.ptx <a.cu", "cc -DMAIN a.cu -o prog",
        "cc -optf options a.cu -o prog", "run --device cpu ./prog",
        "launch a.cu --block 4 --arg zeros:i32:4 --device interp"}) {
    const Ran ran = here(command);
    EXPECT_EQ(ran.code, 0) << command << ": " << ran.output;
  }
}

TEST_F(ByteOrderMark, IsNoPartOfDescriptions) {
  for (const char* command : {"sim sweep s.toml", "batch j.toml --device interp",
                              "launch k.ptx --block 4 --arg zeros:u32:4 --device sim:./m.toml"}) {
    const Ran ran = here(command);
    EXPECT_EQ(ran.code, 0) << command << ": " << ran.output;
  }
}

TEST_F(ByteOrderMark, IsNoPartOfWhatWasWritten) {
  ASSERT_EQ(here("launch k.ptx --block 4 --arg zeros:u32:4 --device sim:tesla-g80,report=r.json").code, 0);
  write("r.json", mark + read("r.json"));
  write("t.json", mark + "{\"traceEvents\": []}");
  for (const char* command :
       {"sim report r.json", "sim compare r.json r.json", "timeline t.json", "graph t.json -o -", "metrics t.json"}) {
    const Ran ran = here(command);
    EXPECT_EQ(ran.code, 0) << command << ": " << ran.output;
  }
  // They are what is replaced, as without the mark.
  write("a.ptx", mark + kernel);
  write("t.svg", mark + read("t.svg"));
  EXPECT_EQ(here("compile a.cu -o a.ptx").code, 0);
  EXPECT_EQ(here("timeline t.json").code, 0);
}

TEST_F(ByteOrderMark, ShiftsNoPlacesInMessages) {
  write("one.ptx", mark + "junk");
  EXPECT_THAT(here("inspect one.ptx").output, HasSubstr("one.ptx:1:1: found 'junk'"));
  // Longer than what is looked at before all is read.
  write("long.json", mark + "[" + std::string(10'000, ' ') + "\n  oops]");
  EXPECT_THAT(here("metrics long.json").output, HasSubstr("it is no JSON at line 2, column 3"));
  write("short.json", mark + "oops");
  EXPECT_THAT(here("metrics short.json").output, HasSubstr("it is no JSON at line 1, column 1"));
  write("bad.toml", mark + "machines = [\n");
  EXPECT_THAT(here("sim sweep bad.toml").output, HasSubstr("bad.toml:1"));
  write("bad.cu", mark + "\noops;\n");
  EXPECT_THAT(here("compile - <bad.cu").output, HasSubstr("standard input:2:1"));
  for (const char* empty : {"inspect empty.ptx", "metrics empty.json", "compile empty.cu -o -"}) {
    write(std::string(empty).substr(8, std::string(empty).find(' ', 8) - 8), mark);
    EXPECT_THAT(here(empty).output, Not(HasSubstr("U+FEFF"))) << empty;
  }
}

// A header that is included in the first line is looked for as any other: one that comes to lie in front is taken.
TEST_F(ByteOrderMark, HidesNoIncludeFromTheCache) {
  base::write_file_atomic(folder_.path() / "late/two.h", std::string_view("#define TWO 3\n"));
  write("b.cu", mark + "#include <two.h>\nextern \"C\" __global__ void one(int* p) { *p = TWO; }\n");
  ASSERT_EQ(here("compile -I early -I late b.cu -o b.ptx").code, 0);
  EXPECT_THAT(read("b.ptx"), HasSubstr("3;"));
  base::write_file_atomic(folder_.path() / "early/two.h", std::string_view("#define TWO 4711\n"));
  ASSERT_EQ(here("compile -I early -I late b.cu -o b.ptx").code, 0);
  EXPECT_THAT(read("b.ptx"), HasSubstr("4711"));
}

}  // namespace
}  // namespace heddle::tests
