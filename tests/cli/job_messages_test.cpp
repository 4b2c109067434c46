// What heddle batch, profile and sim sweep say about their files: what is wrong, and where.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "base/file.hpp"
#include "base/npy.hpp"
#include "cli/heddle_command.hpp"
#include "cli/small_kernel.hpp"

namespace heddle::tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

namespace fs = std::filesystem;

constexpr const char* mangled = R"(.version 7.0
.target sm_80
.address_size 64
.visible .entry _Z6writesPj(.param .u64 a)
{
  .reg .u64 %p;
  ld.param.u64 %p, [a];
  st.global.u32 [%p], 1;
  ret;
}
)";

class JobMessages : public HeddleCommand {
 protected:
  JobMessages() {
    write("k.ptx", kernel);
    write("m.ptx", mangled);
  }
  Ran batch(const std::string& lines, const std::string& file = "k.ptx") const {
    write("j.toml", "[[job]]\nname = \"mine\"\nfile = \"" + file + "\"\n" + lines);
    return here("batch j.toml --device interp --policy serial");
  }
};

TEST_F(JobMessages, ShapesAreNumbersOrTexts) {
  for (const char* key : {"grid", "block"})
    for (const char* wrong : {"1.5", "[4, 4]", "true", "{x = 1}"}) {
      const Ran ran = batch(std::string(key) + " = " + wrong + "\n");
      EXPECT_EQ(ran.code, 1) << ran.output;
      EXPECT_THAT(ran.output, HasSubstr("j.toml:4, job 'mine': '" + std::string(key) +
                                        "' must be a whole number, or a text as \"64x32\""))
          << wrong;
    }
  EXPECT_EQ(batch("grid = \"2x2\"\nblock = 4\nargs = [\"zeros:u32:4\"]\n").code, 0);
}

TEST_F(JobMessages, TheJobAndItsLineAreNamed) {
  for (const auto& [lines, why] :
       {std::pair("args = [\"i33:4\"]\n", "i33:4"), std::pair("args = [\"in:absent.npy\"]\n", "absent.npy"),
        std::pair("args = [\"f64:4\"]\n", "was given a floating-point number"),
        std::pair("args = []\n", "takes 1 argument"), std::pair("block = \"x\"\n", "block"),
        std::pair("kernel = \"two\"\n", "two"), std::pair("block = 2048\nargs = [\"zeros:u32:4\"]\n", "2048")}) {
    const Ran ran = batch(lines);
    EXPECT_EQ(ran.code, 1) << ran.output;
    EXPECT_THAT(ran.output, AllOf(StartsWith("heddle: j.toml:1, job 'mine': "), HasSubstr(why))) << lines;
  }
  const Ran second = batch("args = [\"zeros:u32:4\"]\n[[job]]\nfile = \"k.ptx\"\nargs = [\"i33:4\"]\n");
  EXPECT_THAT(second.output, StartsWith("heddle: j.toml:5: "));
}

// Two jobs of one kernel differ in their lines.
TEST_F(JobMessages, AFailureOfALaunchNamesItsJob) {
  write("j.toml",
        "[[job]]\nfile = \"k.ptx\"\nblock = 4\nargs = [\"zeros:u32:4\"]\n"
        "[[job]]\nfile = \"k.ptx\"\nblock = 64\nargs = [\"zeros:u32:1\"]\n");
  for (const char* options :
       {"--device interp --policy serial", "--device cpu --check --policy serial", "--policy serial"}) {
    const Ran ran = here("batch j.toml " + std::string(options));
    EXPECT_EQ(ran.code, 99) << options << ": " << ran.output;
    EXPECT_THAT(ran.output, StartsWith("heddle: j.toml:5: kernel 'one'")) << options;
  }
  // Both run, and either may be meant.
  const Ran ran = here("batch j.toml --policy base");
  EXPECT_EQ(ran.code, 99) << ran.output;
  EXPECT_THAT(ran.output, StartsWith("heddle: j.toml:1 or j.toml:5: kernel 'one'"));
  const Ran late = batch("arrival = 1e8\nargs = [\"zeros:u32:4\"]\n");
  EXPECT_EQ(late.code, 1) << late.output;
  EXPECT_THAT(late.output, StartsWith("heddle: j.toml:1, job 'mine': a launch of mine would arrive after"));
}

TEST_F(JobMessages, WhatChecksFindNamesItsJob) {
  write("race.ptx",
        ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry race(.param .u64 a)\n{\n  .reg .u64 %p; .reg "
        ".u32 %t;\n  ld.param.u64 %p, [a];\n  mov.u32 %t, %tid.x;\n  st.global.u32 [%p], %t;\n  ret;\n}\n");
  const std::string job = "file = \"race.ptx\"\nblock = 64\nargs = [\"zeros:u32:4\"]\n";
  write("j.toml", "[[job]]\n" + job + "[[job]]\nname = \"second\"\n" + job);
  const Ran ran = here("batch j.toml --device cpu --policy serial --check=race");
  EXPECT_EQ(ran.code, 99) << ran.output;
  EXPECT_THAT(ran.output, AllOf(HasSubstr("heddle: j.toml:1: race (write after write): kernel 'race'"),
                                HasSubstr("heddle: j.toml:5, job 'second': race (write after write): kernel")));
}

TEST_F(JobMessages, JobsOfOneKernelHaveNamesOfTheirOwn) {
  const std::string job = "file = \"k.ptx\"\nblock = 4\nargs = [\"zeros:u32:4\"]\n";
  write("j.toml", "[[job]]\n" + job + "[[job]]\n" + job + "[[job]]\nname = \"x\"\n" + job);
  EXPECT_THAT(here("batch j.toml --device interp --policy serial").output,
              AllOf(HasSubstr("\none (line 1) "), HasSubstr("\none (line 5) "), HasSubstr("\nx ")));
  write("j.toml", "[[job]]\n" + job + "[[job]]\nname = \"x\"\n" + job);
  EXPECT_THAT(here("batch j.toml --device interp --policy serial").output, HasSubstr("\none "));
}

TEST_F(JobMessages, EveryKeyIsRefusedWithItsJob) {
  for (const char* line : {"count = 1.5", "arrival = \"x\"", "args = 4", "args = [4]", "any-type = 1", "speed = 3"})
    EXPECT_THAT(batch(line + std::string("\n")).output, StartsWith("heddle: j.toml:4, job 'mine': ")) << line;
}

TEST_F(JobMessages, AnyTypeIsNamedAsJobFilesHaveIt) {
  EXPECT_THAT(batch("args = [\"zeros:f32:4\"]\n", "m.ptx").output, HasSubstr("any-type = true in a job"));
}

TEST_F(JobMessages, TwoJobsThatWriteOneFileAreNamedByTheirLines) {
  const std::string job = "file = \"k.ptx\"\nblock = 4\nargs = [\"out:z.npy:u32:4\"]\n";
  write("j.toml", "[[job]]\n" + job + "[[job]]\n" + job);
  const Ran ran = here("batch j.toml --device interp --policy serial");
  EXPECT_EQ(ran.code, 1) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("j.toml:1: out:z.npy:u32:4 and j.toml:5: out:z.npy:u32:4 would both write z.npy"));
}

// A job file has no options of the command line.
TEST_F(JobMessages, WhatIsWrongIsNamedAsTheUserWroteIt) {
  for (const auto& [lines, why] :
       {std::pair("args = [\"i33:4\"]\n", "args: i33:4: 'i33' is no known form"),
        std::pair("args = [\"f32:x\"]\n", "args: f32:x: 'x' is no number"),
        std::pair("grid = \"0\"\n", "grid = 0: a shape is"), std::pair("block = \"4x\"\n", "block = 4x: a shape is")}) {
    const Ran ran = batch(lines);
    EXPECT_EQ(ran.code, 1) << ran.output;
    EXPECT_THAT(ran.output, AllOf(StartsWith("heddle: j.toml:1, job 'mine': "), HasSubstr(why), Not(HasSubstr("--arg")),
                                  Not(HasSubstr("--out-dir"))))
        << lines;
  }
  write("two.ptx",
        ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry two(.param .u64 a, .param .u64 b)\n{\n  "
        "ret;\n}\n");
  EXPECT_THAT(batch("args = [\"out:z.npy:u32:4\", \"out:./z.npy:u32:4\"]\n", "two.ptx").output,
              AllOf(HasSubstr("args: out:z.npy:u32:4 and args: out:./z.npy:u32:4 would both write ./z.npy"),
                    HasSubstr("give each another name"), Not(HasSubstr("--arg")), Not(HasSubstr("--out-dir"))));
  const std::string profile = "profile k.ptx --device sim:tesla-g80 ";
  for (const auto& [words, why] :
       {std::pair("--arg i33:4", "--arg i33:4: 'i33' is no known form"), std::pair("--grid 0", "--grid 0: a shape"),
        std::pair("--block 4x", "--block 4x: a")}) {
    const Ran ran = here(profile + words);
    EXPECT_EQ(ran.code, 2) << ran.output;
    EXPECT_THAT(ran.output, StartsWith(std::string("heddle: ") + why));
  }
}

// A file of 512 GiB, most of which is not on the disk.
TEST_F(JobMessages, TypesAreCheckedBeforeArraysAreRead) {
  constexpr std::uint64_t count = std::uint64_t{1} << 36;
  std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (" + std::to_string(count) + ",), }";
  header.resize(117, ' ');
  header += '\n';
  write("large.npy", std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(header.size()) + '\0' + header);
  const fs::path file = folder_.path() / "large.npy";
  std::error_code error;
  fs::resize_file(file, fs::file_size(file) + count * 8, error);
  if (error) GTEST_SKIP() << "no file of 512 GiB: " << error.message();
  const Ran runs[] = {batch("block = 4\nargs = [\"in:large.npy\"]\n", "m.ptx"),
                      here("profile m.ptx --block 4 --arg in:large.npy"),
                      here("launch m.ptx --device interp --block 4 --arg in:large.npy"),
                      here("launch m.ptx --device interp --block 4 --arg inout:large.npy")};
  for (const Ran& ran : runs) {
    EXPECT_EQ(ran.code, 1) << ran.output;
    EXPECT_THAT(ran.output, HasSubstr("was given an array of double")) << ran.output;
  }
}

// What is read at the beginning need not be there at the end.
TEST_F(JobMessages, ResultsOfInoutNeedNoSecondLookAtTheFile) {
  base::write_npy(folder_.path() / "x.npy", {base::NpyType::u32, {2, 2}, std::vector<std::byte>(16)});
  EXPECT_EQ(batch("block = 4\nargs = [\"inout:x.npy\"]\n").code, 0);
  const base::NpyArray made = base::read_npy(folder_.path() / "x.out.npy");
  EXPECT_EQ(made.shape, (std::vector<std::uint64_t>{2, 2}));
  EXPECT_EQ(made.type, base::NpyType::u32);
}

TEST_F(JobMessages, ReportsOfLaunchesAreNotOfBatchesAndProfiles) {
  write("j.toml", "[[job]]\nfile = \"k.ptx\"\nblock = 4\nargs = [\"zeros:u32:4\"]\n");
  for (const std::string command : {"batch j.toml", "profile k.ptx --block 4 --arg zeros:u32:4"}) {
    for (const char* option : {"report=x.npy", "report=text", "report=r.json", "trace=t.json"}) {
      const Ran ran = here(command + " --device sim:tesla-g80," + option);
      EXPECT_EQ(ran.code, 2) << command << " " << option << ": " << ran.output;
      EXPECT_THAT(ran.output, AllOf(HasSubstr("heddle launch and heddle run write it"), Not(HasSubstr("run.json"))));
    }
    const Ran several = here(command + " --device sim:tesla-g80,cpu");
    EXPECT_EQ(several.code, 2) << several.output;
    EXPECT_THAT(several.output, HasSubstr("uses one device"));
    // Its blocks have 512 threads at most, also those that measure it.
    EXPECT_EQ(here(command + " --device sim:tesla-g80,report=none").code, 0) << command;
  }
}

TEST_F(JobMessages, CommandsThatUseOneDeviceRefuseSeveral) {
  const std::pair<std::string, std::string> commands[] = {{"heddle launch", "launch k.ptx --block 4 --arg zeros:u32:4"},
                                                          {"heddle inspect", "inspect k.ptx --block 4"},
                                                          {"heddle daemon start", "daemon start"}};
  for (const auto& [command, words] : commands) {
    for (const std::string devices : {"cpu,interp", "sim:tesla-g80,scheduler=lrr,cpu"}) {
      const Ran ran = here(words + " --device " + devices);
      EXPECT_EQ(ran.code, 2) << words << ": " << ran.output;
      EXPECT_EQ(ran.output, "heddle: --device " + devices + ": " + command + " uses one device\n");
    }
    EXPECT_THAT(here(words + " --device cpu,cpu").output, HasSubstr("'cpu' is there more than once"));
  }
  EXPECT_EQ(here("launch k.ptx --block 4 --arg zeros:u32:4 --device sim:tesla-g80,scheduler=lrr").code, 0);
}

TEST_F(JobMessages, ProfilesCountAndNameOnce) {
  const Ran one = here("profile k.ptx --block 1024 --arg zeros:u32:1024");
  EXPECT_EQ(one.code, 0) << one.output;
  EXPECT_THAT(one.output, AllOf(HasSubstr("kernel        one\n"), HasSubstr("(1 block of 32 warps on an SM)"),
                                HasSubstr("slice         1 block on each SM at least"), Not(HasSubstr("1 blocks"))));
  const Ran other = here("profile m.ptx --block 4 --arg zeros:u32:4");
  EXPECT_THAT(other.output, HasSubstr("kernel        _Z6writesPj (writes(unsigned int*))\n"));
}

TEST_F(JobMessages, TextsOfFilesAreNotEmpty) {
  for (const auto& [key, line] : {std::pair("results", 1), std::pair("machines", 2)}) {
    const std::string results = std::string(key) == "results" ? "" : "r.db",
                      machine = results.empty() ? "tesla-g80" : "";
    write("s.toml", "results = \"" + results + "\"\nmachines = [\"" + machine + "\"]\n[[kernels]]\nfile = \"k.ptx\"\n");
    const Ran ran = here("sim sweep s.toml");
    EXPECT_EQ(ran.code, 1) << ran.output;
    EXPECT_THAT(ran.output, HasSubstr("s.toml:" + std::to_string(line) + ": " + (machine.empty() ? "each of " : "") +
                                      key + " must not be an empty text"));
  }
  for (const char* key : {"name", "file", "kernel", "grid", "block"}) {
    write("j.toml", "[[job]]\n" + std::string(key) + " = \"\"\n");
    EXPECT_THAT(here("batch j.toml").output,
                HasSubstr("j.toml:2: '" + std::string(key) + "' must not be an empty text"));
  }
}

}  // namespace
}  // namespace heddle::tests
