// Wrong use of the command line ends with 2, whatever files there are: `absent` does not exist. The message names the
// option, and nothing is written. docs/cli.md has the rule.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/file.hpp"
#include "cli/heddle_command.hpp"
#include "cli/small_kernel.hpp"

namespace heddle::tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

namespace fs = std::filesystem;

class WrongUse : public HeddleCommand {
 protected:
  WrongUse() {
    write("k.ptx", kernel);
    write("j.toml", "[[job]]\nname = \"mine\"\nfile = \"k.ptx\"\nblock = 4\nargs = [\"zeros:u32:4\"]\n");
    write("script", "#!/bin/sh\necho ran\n");
    ::chmod((folder_.path() / "script").c_str(), 0755);
  }
  Ran here(const std::string& arguments, const std::string& variables = "") const {
    const std::string place = folder_.path().string();
    return heddle(arguments, "&1",
                  variables + " HEDDLE_CACHE_DIR='" + place + "/cache' HEDDLE_DAEMON='" + place +
                      "/run/daemon' HEDDLE_CPU_WORKERS=2 timeout 100");
  }
  std::set<std::string> files() const {
    std::set<std::string> all;
    for (const auto& entry : fs::directory_iterator(folder_.path()))
      if (entry.path().filename() != "cache") all.insert(entry.path().filename());
    return all;
  }
  void refuses(const std::string& command, const std::string& message, int code = 2) const {
    const auto before = files();
    const Ran ran = here(command);
    EXPECT_EQ(ran.code, code) << command << ": " << ran.output;
    EXPECT_THAT(ran.output, AllOf(StartsWith("heddle: "), HasSubstr(message), Not(HasSubstr("ran\n")))) << command;
    EXPECT_EQ(files(), before) << command;
  }
};

TEST_F(WrongUse, OptionsOfCompiling) {
  for (const std::string command :
       {"compile absent.cu", "inspect absent.cu", "launch absent.cu", "profile absent.cu", "batch absent.toml",
        "compile absent.cu -o o.ptx", "launch k.ptx --arg out:x.npy:u32:4"}) {
    refuses(command + " --arch foo", "--arch foo: 'foo' is not a GPU architecture: expected sm_80");
    refuses(command + " --arch compute_80", "--arch compute_80: ");
    refuses(command + " --arch sm_-1", "--arch sm_-1: ");
    refuses(command + " -D 1X", "-D 1X: '1X' is not a macro definition");
    refuses(command + " -D=3", "-D =3: ");
    refuses(command + " -O 5x", "-O 5x: expected a number from 0 to 3");
    refuses(command + " --compiler gcc", "--compiler gcc: expected clang or nvrtc");
  }
}

TEST_F(WrongUse, BlocksOfTheGrid) {
  const std::string launch = "launch absent.ptx --device cpu --arg out:x.npy:u32:4 ";
  refuses(launch + "--blocks 0:9", "--blocks 0:9: blocks 0 to 9 are not part of a grid of 1 block");
  refuses(launch + "--grid 4x2 --blocks 8:9", "END is at most 8");
  refuses(launch + "--blocks 0:18446744073709551616",
          "blocks 0 to 18446744073709551616 are not part of a grid of 1 block");
  for (const std::string wrong : {"5x", "0:", "5:2", "0:1:2", "nan:inf", "1e400:1e401", "-1:1"})
    refuses(launch + "--blocks " + wrong, "--blocks " + wrong + ": a range is BEGIN:END");
  refuses(launch + "--grid 1x70000", "--grid 1x70000: that is too large; x is at most 2147483647, y 65535 and z 65535");
  refuses(launch + "--block 1x1x65", "--block 1x1x65: that is too large");
}

// Of the device that is named. One that is not on this machine is no wrong use.
TEST_F(WrongUse, LimitsOfTheDevice) {
  const std::string launch = "launch absent.ptx --arg out:x.npy:u32:4 ";
  refuses(launch + "--device cpu --sms 0-99", "--sms 0-99: cpu: there is no worker 99; they are numbered 0 to 1");
  refuses(launch + "--device interp --sms 1", "--sms 1: the interpreter has 1 processor");
  refuses(launch + "--device sim:fermi-c2050 --sms 14", "--sms 14: sim:fermi-c2050 has 14 processors");
  refuses(launch + "--device cpu --block 64x32", "--block 64x32: a block of 2048 threads; on cpu it has 1024 at most");
  refuses(launch + "--device cpu --shared 999999999", "--shared 999999999: a block on cpu has ");
  refuses("inspect absent.ptx --device cpu --block 64x32", "--block 64x32: ");
  refuses("profile absent.ptx --arg zeros:u32:4 --block 64x32", "--block 64x32: ");
  refuses("profile absent.ptx --arg zeros:u32:4 --shared 99999999",
          "--shared 99999999: a block on sim:fermi-c2050 has ");
  refuses(launch + "--device cuda:999", "there is no device 'cuda:999'", 1);
  refuses("launch k.ptx --entry foo", "k.ptx has no kernel 'foo'", 1);
}

TEST_F(WrongUse, BeforeAnyFileIsRead) {
  refuses("profile absent.ptx --grid 0", "--grid 0: a shape is ");
  refuses("profile absent.ptx --arg i32:5x", "--arg i32:5x: ");
  refuses("profile absent.ptx --arg out:q.npy:f32:64",
          "--arg out:q.npy:f32:64: heddle profile writes no results; expected zeros:TYPE:SHAPE");
  refuses("profile absent.ptx --arg inout:q.npy",
          "--arg inout:q.npy: heddle profile writes no results; expected in:FILE.npy");
  refuses("inspect absent.ptx --device cpu --block nan", "--block nan: a shape is ");
  refuses("batch absent.toml --policy direct", "--policy direct ");
  refuses("batch absent.toml --ratios 2", "--ratios is of the pairs that --policy opt measures");
  refuses("batch absent.toml --policy opt --ratios 0", "--ratios 0: expected a number from 1 to ");
  refuses("batch absent.toml --policy serial --again", "--again ");
  refuses("timeline absent.json --from 5 --to 5", "--from 5 is not before --to 5");
}

TEST_F(WrongUse, OptionsOfRun) {
  for (const std::string command : {"run ", "tenant run "}) {
    refuses(command + "--device '' ./script", "--device: its value is empty; expected cpu, cuda:0 ");
    refuses(command + "--device= ./script", "--device: its value is empty; expected cpu, cuda:0 ");
    refuses(command + "--slice '' ./script", "--slice: its value is empty; expected a number of blocks");
    refuses(command + "--timeout '' ./script", "--timeout: its value is empty; expected a number of seconds");
    refuses(command + "--trace '' ./script", "--trace: its value is empty; expected the name of a file");
    refuses(command + "--check=foo ./script", "--check=foo: 'foo' is no kind of check");
    refuses(command + "--sms 0-99 ./script", "--sms is not an option of heddle run");
    refuses(command + "--trace . ./script", "--trace .: it is a folder; name a file", 1);
    refuses(command + "--device sim:fermi-c2050,sample=x ./script", "--device sim:fermi-c2050,sample=x: sample=x: ");
    for (const std::string wrong : {"-1", "0", "5x", "nan", "inf", "1e400", "1.5", "2147483648"})
      refuses(command + "--slice " + wrong + " ./script",
              "--slice " + wrong + ": expected a number of blocks from 1 to 2147483647");
    for (const std::string wrong : {"-1", "0", "5x", "nan", "inf", "1e400", "1e10"})
      refuses(command + "--timeout " + wrong + " ./script", "--timeout " + wrong + ": expected a number of seconds");
  }
  for (const std::string wrong : {"-1", "0", "5x", "nan", "inf", "1e400", "-1G", "nanG", "1e400G", "1023K", "5Q"})
    refuses("tenant run --memory " + wrong + " ./script", "--memory " + wrong + ": expected an amount");
  for (const std::string wrong : {"-1", "5x", "nan", "inf", "1e400", "101%", "-1%", "nan%", "5x%"})
    for (const std::string& command : {"tenant run --quota " + wrong + " ./script", "tenant set x --quota " + wrong})
      refuses(command, "--quota " + wrong + ": the quota '" + wrong + "' is no part of a device; expected 0% to 100%");
  refuses("tenant run --slice 4 ./script", "--slice 4: a tenant's policy decides how its launches are cut");
}

TEST_F(WrongUse, OtherCommands) {
  for (const std::string wrong : {"0x10", "+5", "-1", "nan", "infs", "1e400s", "5h", "5x"})
    refuses("explain x --last " + wrong, "--last " + wrong + ": expected a time up to a day");
  refuses("tenant set x --class foo", "--class foo: there is no class 'foo'");
  refuses("completion tcsh", "shell tcsh: expected bash, zsh or fish");
  refuses("daemon", "heddle daemon lacks its command; there are start, stop, status");
  refuses("sim", "heddle sim lacks its command; there are report, compare, sweep");
  refuses("tune --foo ./script", "heddle tune has no option '--foo'");
  EXPECT_EQ(here("tune ./script --foo").output, "ran\n") << "an option of the program";
  EXPECT_EQ(here("tune -- ./script").output, "ran\n");
}

// Variables are found before the program starts, and are no part of the command line.
TEST_F(WrongUse, VariablesEndWithOne) {
  for (const std::string variable : {"HEDDLE_TENANT=batch:nan:x", "HEDDLE_TENANT=batch", "HEDDLE_RUN_SLICE=2147483648",
                                     "HEDDLE_MEMORY_LIMIT=5x", "HEDDLE_RUN_TIMEOUT_MS=1e400"}) {
    const Ran ran = here("run ./script", variable);
    EXPECT_EQ(ran.code, 1) << ran.output;
    EXPECT_THAT(ran.output, StartsWith("heddle: " + variable + ": ")) << variable;
  }
}

// nvcc's code, and one sentence.
TEST_F(WrongUse, OfCc) {
  refuses("cc --foo",
          "--foo is not an option of heddle cc. An option for the host's compiler is given as -Xcompiler OPTION\n", 1);
  for (const std::string wrong : {"-fmad=foo", "-ftz=1x", "-prec-div=x"})
    refuses("cc -c absent.cu " + wrong, wrong + ": expected true or false", 1);
  refuses("cc -c absent.cu -maxrregcount 5x", "-maxrregcount 5x: expected a number", 1);
  refuses("cc -c absent.cu -t nan", "-t nan: expected a number", 1);
}

TEST_F(WrongUse, StepsOfMoreUnitsThanTheDeviceHas) {
  const Ran ran = here("batch j.toml --device cpu --policy static:64");
  EXPECT_EQ(ran.code, 0) << ran.output;
  const std::string note =
      "heddle: note: the policy static:64: cpu has 2 units, so a tenant gets all of it, or nothing";
  const std::size_t first = ran.output.find(note);
  ASSERT_NE(first, std::string::npos) << ran.output;
  EXPECT_EQ(ran.output.find(note, first + 1), std::string::npos) << "said once";
  EXPECT_THAT(here("batch j.toml --device cpu --policy static:2").output, Not(HasSubstr("note: the policy")));
}

TEST_F(WrongUse, PolicyWithoutANameShowsAll) {
  const Ran ran = here("policy");
  EXPECT_EQ(ran.code, 0) << ran.output;
  EXPECT_THAT(ran.output, AllOf(StartsWith("no daemon runs at "), HasSubstr("with the policy lithos"),
                                HasSubstr("timeslice:MICROSECONDS"), HasSubstr("bounded:MICROSECONDS")));
}

}  // namespace
}  // namespace heddle::tests
