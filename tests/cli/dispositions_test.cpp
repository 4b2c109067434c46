// Programs that heddle starts, and those that it becomes, ignore and block the signals that heddle itself was started
// with.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <cstdint>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "cli/heddle_command.hpp"

namespace heddle::tests {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Dispositions : public HeddleCommand {
 protected:
  void SetUp() override {
    script("look", "grep -E '^Sig(Blk|Ign)' /proc/self/status > seen\n");
    script("clang.sh", "'" + at("look") + "'\nexec clang-19 \"$@\"\n");
    write("k.cu", "extern \"C\" __global__ void k(int* p) { *p = 1; }\nint main() {}\n");
    write("s.toml",
          "results = \"r.db\"\nmachines = [\"tesla-g80\"]\n"
          "[[kernels]]\nfile = \"k.cu\"\narguments = [\"--entry\", \"k\", \"--arg\", \"zeros:i32:4\"]\n");
  }
  std::string at(const std::string& name) const { return (folder_.path() / name).string(); }
  void script(const std::string& name, const std::string& text) const {
    write(name, "#!/bin/sh\ncd '" + folder_.path().string() + "'\n" + text);
    fs::permissions(at(name), fs::perms::owner_all);
  }
  // Blocked and ignored signals, one a bit. The C library uses those from 32 on in programs with threads.
  std::vector<std::uint64_t> masks(const std::string& name) const {
    std::istringstream text(read(name));
    std::vector<std::uint64_t> all;
    for (std::string label, digits; text >> label >> digits;)
      all.push_back(std::stoull(digits, nullptr, 16) & 0x7fffffff);
    return all;
  }
  // What ./look sees when the shell starts it, and when heddle does, after the shell's command `before`.
  void expect_the_same(const std::string& command, const std::string& before) const {
    fs::remove(at("seen"));
    const Ran ran = heddle(command, "&1",
                           before + " ./look; mv seen native; HEDDLE_CACHE_DIR='" + at("cache") + "' HEDDLE_CLANG='" +
                               at("clang.sh") + "'");
    EXPECT_EQ(ran.code, 0) << command << ": " << ran.output;
    ASSERT_TRUE(fs::exists(at("seen"))) << command;
    EXPECT_EQ(masks("native").size(), 2u);
    EXPECT_EQ(masks("seen"), masks("native")) << command;
    fs::remove_all(at("cache"));
    fs::remove(at("r.db"));
  }
};

TEST_F(Dispositions, AreThoseThatHeddleFound) {
  for (const char* command : {"run --device cpu ./look", "tenant run ./look", "tune ./look", "compile k.cu -o k.ptx",
                              "cc k.cu -o prog", "sim sweep s.toml"})
    expect_the_same(command, "");
}

TEST_F(Dispositions, IgnoredSignalsStayIgnored) {
  for (const char* command : {"run --device cpu ./look", "compile k.cu -o k.ptx"})
    expect_the_same(command, "trap '' XFSZ PIPE HUP QUIT INT;");
}

// The program that heddle becomes would not know of it.
TEST_F(Dispositions, ASignalJustBeforeTheProgramStartsIsNotLost) {
  if (sanitized) GTEST_SKIP() << "another library in front";
  script("says", "echo ran\n");
  for (int attempt = 0; attempt < 10; ++attempt) {
    const Ran ran =
        heddle("run --device cpu ./says", "&1", "trap - TERM; LD_PRELOAD='" HEDDLE_SIGNAL_AT_EXEC_LIBRARY "'");
    EXPECT_EQ(ran.code, 128 + SIGTERM);
    EXPECT_THAT(ran.output, Not(HasSubstr("ran")));
  }
}

// The signal ends the compiler then.
TEST_F(Dispositions, ALimitOnTheSizeOfFilesIsNamedForCompilersToo) {
  write("large.cu", "int h[400000] = {1};\nint main() { return h[1]; }\n");
  const Ran ran = heddle("cc -c large.cu -o large.o", "&1", "ulimit -f 400; HEDDLE_CACHE_DIR='" + at("cache") + "'");
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.output, AllOf(HasSubstr("could not write its result for large.o"), HasSubstr("ulimit -f"),
                                Not(HasSubstr("Stack dump"))));
}

}  // namespace
}  // namespace heddle::tests
