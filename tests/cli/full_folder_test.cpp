// A full TMPDIR, as such: everything else can be written.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "base/file.hpp"
#include "cli/heddle_command.hpp"

namespace heddle::tests {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

namespace fs = std::filesystem;

class FullFolder : public HeddleCommand {
 protected:
  void SetUp() override {
    if (sanitized) GTEST_SKIP() << "a sanitizer's runtime must be the first library of a process";
    write("a.cu",
          "extern \"C\" __global__ void k(int* p) { p[threadIdx.x] = 1; }\n#ifdef MAIN\nint main() {}\n#endif\n");
    fs::create_directory(folder_.path() / "full");
    full_ = fs::canonical(folder_.path() / "full").string();
  }
  Ran here(const std::string& arguments) const {
    return heddle(arguments, "&1",
                  "TMPDIR='" + full_ + "' FULL_FOLDER='" + full_ +
                      "' LD_PRELOAD=" HEDDLE_FULL_FOLDER_LIBRARY " HEDDLE_CACHE_DIR='" + folder_.path().string() +
                      "/cache' timeout 100");
  }
  std::string full_;
};

TEST_F(FullFolder, IsNamedAndNotTheSource) {
  for (const char* command :
       {"compile -D X=1 a.cu -o a.ptx", "inspect -D X=1 a.cu", "cc -c a.cu -o a.o", "cc -DMAIN a.cu -o a", "run a.cu",
        "launch -D X=1 a.cu --device interp --block 4 --arg out:x.npy:i32:4"}) {
    const Ran ran = here(command);
    EXPECT_EQ(ran.code, 1) << command << ": " << ran.output;
    EXPECT_THAT(ran.output, AllOf(testing::StartsWith("heddle: "), HasSubstr(full_),
                                  AnyOf(HasSubstr("No space left on device"), HasSubstr("no space left on device")),
                                  Not(HasSubstr("does not compile"))))
        << command;
    for (const char* result : {"a.ptx", "a.o", "a", "x.npy"}) EXPECT_FALSE(fs::exists(folder_.path() / result));
  }
  EXPECT_TRUE(fs::is_empty(full_));
}

// Nothing of a timeline or of the results of a sweep stays there.
TEST_F(FullFolder, GetsNoEmptyOutputs) {
  write("s.toml", "results = \"full/r.db\"\nmachines = [\"tesla-g80\"]\n[[kernels]]\nfile = \"k.ptx\"\n");
  write("k.ptx", ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n  ret;\n}\n");
  for (const char* command :
       {"sim sweep s.toml", "run --trace full/t.json /bin/true", "run --trace full/t.svg /bin/true"}) {
    const Ran ran = here(command);
    EXPECT_EQ(ran.code, 1) << command << ": " << ran.output;
    EXPECT_THAT(ran.output, AllOf(testing::StartsWith("heddle: "), HasSubstr("full/"),
                                  AnyOf(HasSubstr("No space left on device"), HasSubstr("database or disk is full"))))
        << command;
    EXPECT_TRUE(fs::is_empty(full_)) << command;
  }
}

// What needs no temporary file.
TEST_F(FullFolder, HindersNothingElse) {
  write("k.ptx", ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n  ret;\n}\n");
  for (const char* command :
       {"compile a.cu -o a.ptx", "inspect k.ptx", "launch k.ptx --device cpu", "launch k.ptx --device interp",
        "launch k.ptx --device sim:tesla-g80,report=r.json", "devices", "run /bin/true"}) {
    const Ran ran = here(command);
    EXPECT_EQ(ran.code, 0) << command << ": " << ran.output;
  }
  EXPECT_THAT(base::read_file(folder_.path() / "a.ptx"), HasSubstr(".visible .entry k("));
}

}  // namespace
}  // namespace heddle::tests
