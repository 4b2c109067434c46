// Folders that may not be read or written, and odd values of the variables that name folders.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

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

// root may write everywhere, so the commands are those of another user, who owns nothing.
class Unwritable : public HeddleCommand {
 protected:
  void SetUp() override {
    if (::geteuid() == 0) user_ = "setpriv --reuid=65534 --regid=65534 --clear-groups";
    fs::permissions(folder_.path(), fs::perms(0755));
    if (heddle("version", "&1", user_).code != 0) GTEST_SKIP() << "no other user can run this build";
    write("k.ptx", kernel);
    write("a.cu", "extern \"C\" __global__ void k(int* p) { *p = 1; }\n#ifdef MAIN\nint main() {}\n#endif\n");
    write("s.toml",
          "machines = [\"tesla-g80\"]\n[[kernels]]\nfile = \"k.ptx\"\narguments = [\"--block\", \"4\", \"--arg\", "
          "\"zeros:u32:4\"]\n");
    write("t.json", "[]");
    for (const char* folder : {"home", "tmp"}) fs::create_directory(folder_.path() / folder);
  }
  void TearDown() override { may_write(true); }
  void may_write(bool may) const {
    for (const char* folder : {"", "home", "tmp"})
      if (fs::exists(folder_.path() / folder)) fs::permissions(folder_.path() / folder, fs::perms(may ? 0777 : 0555));
  }
  Ran here(const std::string& arguments, const std::string& variables) const {
    return heddle(arguments, "&1",
                  "env -u HEDDLE_CACHE_DIR -u XDG_CACHE_HOME -u HOME " + variables + " timeout 100 " + user_);
  }

  std::string user_;
};

TEST_F(Unwritable, FoldersAreNamedWithTheReason) {
  may_write(false);
  const std::string folder = fs::canonical(folder_.path()).string();
  const std::string variables = "HOME='" + folder + "/home' TMPDIR='" + folder + "/tmp'";
  for (const auto& [command, named] : {
           std::pair{"sim sweep s.toml", "s.db: unable to open database file"},
           {"compile a.cu", "/tmp"},
           {"cc -DMAIN a.cu -o prog", "/tmp"},
           {"launch k.ptx --block 4 --arg out:x.npy:u32:4 --device interp", "x.npy"},
           {"launch k.ptx --block 4 --arg zeros:u32:4 --device sim:tesla-g80,report=r.json", "r.json"},
           {"run --trace new.json /bin/true", "new.json"},
           {"timeline t.json", "t.svg"},
       }) {
    const Ran ran = here(command, variables);
    EXPECT_EQ(ran.code, 1) << command << ": " << ran.output;
    EXPECT_THAT(ran.output, AllOf(StartsWith("heddle: "), HasSubstr(named), HasSubstr("Permission denied"),
                                  Not(HasSubstr("No such file"))))
        << command;
  }
}

TEST_F(Unwritable, FoldersHinderNothingThatWritesNothing) {
  may_write(false);
  const std::string folder = folder_.path().string();
  for (const char* command :
       {"inspect k.ptx", "launch k.ptx --block 4 --arg zeros:u32:4 --device interp",
        "launch k.ptx --block 4 --arg zeros:u32:4 --device cpu",
        "launch k.ptx --block 4 --arg zeros:u32:4 --device sim:tesla-g80", "run /bin/true",
        "profile k.ptx --block 4 --arg zeros:u32:4", "knowledge list", "knowledge forget --all"}) {
    const Ran ran = here(command, "HOME='" + folder + "/home' TMPDIR='" + folder + "/tmp'");
    EXPECT_EQ(ran.code, 0) << command << ": " << ran.output;
  }
}

// As the XDG base directory specification says. Else each working folder would get a cache.
TEST_F(Unwritable, RelativeCachesAreNone) {
  may_write(true);
  for (const char* variables : {"HOME=rel", "XDG_CACHE_HOME=rel HOME=rel", "HOME=.", "HOME=", "HOME=/dev/null"}) {
    const Ran ran =
        here("compile a.cu -o o.ptx", std::string(variables) + " TMPDIR='" + folder_.path().string() + "/tmp'");
    EXPECT_EQ(ran.code, 0) << variables << ": " << ran.output;
    for (const char* made : {"rel", ".cache"}) EXPECT_FALSE(fs::exists(folder_.path() / made)) << variables;
  }
}

TEST_F(Unwritable, NothingElseIsNeededOfTheEnvironment) {
  may_write(true);
  const std::string cache = "HEDDLE_CACHE_DIR='" + (folder_.path() / "tmp/cache").string() + "' ";
  for (const char* variables : {"PATH=/usr/bin LC_ALL=tr_TR.UTF-8 LANG=de_DE.UTF-8", "TZ=:/etc/passwd",
                                "XDG_RUNTIME_DIR=rel", "TMPDIR=/proc/absent", "TMPDIR=/dev/null"})
    for (const char* command : {"compile a.cu -o o.ptx", "launch k.ptx --block 4 --arg zeros:u32:4 --device cpu",
                                "sim sweep s.toml", "timeline t.json -o -"}) {
      const Ran ran = here(command + std::string(" <&-"), cache + variables);
      EXPECT_EQ(ran.code, 0) << variables << ", " << command << ": " << ran.output;
    }
}

TEST_F(Unwritable, AnOutputIsNamedAndNotTheTemporaryFolder) {
  may_write(false);
  const Ran ran = here("cc -DMAIN a.cu -o prog", "HEDDLE_LOG=off TMPDIR=/tmp");
  EXPECT_EQ(ran.code, 1) << ran.output;
  EXPECT_EQ(ran.output, "heddle: cannot write prog: Permission denied\n");
}

// A folder that the system has mounted without writing: as of a container, or of a disk with errors. Commands work
// without a cache, or say what they cannot write.
TEST_F(Unwritable, ReadOnlyFileSystems) {
  const std::string folder = fs::canonical(folder_.path()).string();
  const std::string mount = "unshare -rm sh -c 'mount --bind " + folder + " " + folder +
                            " && mount -o remount,ro,bind " + folder + " && cd " + folder + " && exec \"$0\" \"$@\"'";
  const auto mounted = [&](const std::string& arguments, const std::string& temporary) {
    return heddle(arguments, "&1",
                  "env -u XDG_CACHE_HOME HEDDLE_CACHE_DIR=" + folder + "/home HOME=" + folder +
                      "/home HEDDLE_DAEMON=" + folder + "/home/socket TMPDIR=" + temporary + " timeout 100 " + mount);
  };
  if (mounted("version", "/tmp").code != 0) GTEST_SKIP() << "no file system can be mounted here";
  const std::string launch = "launch k.ptx --block 4 --arg ";
  for (const std::string temporary : {"/tmp", "tmp"}) {
    for (const std::string& command :
         {launch + "zeros:u32:4 --device cpu", launch + "zeros:u32:4 --device interp",
          launch + "zeros:u32:4 --device sim:tesla-g80", std::string("run --device cpu /bin/true"),
          std::string("inspect k.ptx"), std::string("metrics t.json"), std::string("devices"),
          std::string("knowledge list")}) {
      const Ran ran = mounted(command, temporary);
      EXPECT_EQ(ran.code, 0) << command << ": " << ran.output;
    }
    for (const std::string& command :
         {launch + "out:x.npy:u32:4 --device interp", launch + "zeros:u32:4 --device sim:tesla-g80,report=r.json",
          std::string("compile a.cu"), std::string("cc -DMAIN a.cu -o prog"), std::string("sim sweep s.toml"),
          std::string("run --trace new.json /bin/true"), std::string("timeline t.json")}) {
      const Ran ran = mounted(command, temporary);
      EXPECT_EQ(ran.code, 1) << command << ": " << ran.output;
      EXPECT_THAT(ran.output, AllOf(HasSubstr("heddle: "), HasSubstr("Read-only file system"))) << command;
    }
  }
}

// "No daemon runs" would be wrong: another user may not see it.
TEST_F(Unwritable, ADaemonInAFolderOfAnotherUserIsNotDenied) {
  const fs::path place = folder_.path() / "theirs";
  fs::create_directory(place);
  fs::permissions(place, fs::perms(0700));
  const std::string variables = "HEDDLE_DAEMON='" + (place / "daemon").string() + "'";
  if (::geteuid() == 0) {
    ASSERT_EQ(heddle("daemon start --units 2", "&1", variables).code, 0);
  } else {
    fs::permissions(place, fs::perms::none);
  }
  for (const char* command : {"top --once", "daemon status", "daemon stop", "daemon start --units 2", "policy lithos",
                              "tenant list", "explain x"}) {
    const Ran ran = here(command, variables);
    EXPECT_EQ(ran.code, 1) << command << ": " << ran.output;
    EXPECT_THAT(ran.output, AllOf(HasSubstr("whether a daemon runs at " + (place / "daemon").string() +
                                            " cannot be seen: Permission denied; " + place.string() + " belongs to "),
                                  Not(HasSubstr("no daemon runs"))))
        << command;
  }
  EXPECT_THAT(here("policy", variables).output, AllOf(HasSubstr("cannot be seen"), Not(HasSubstr("no daemon runs"))));
  if (::geteuid() == 0) {
    EXPECT_EQ(heddle("daemon stop", "&1", variables).code, 0);
  }
  fs::permissions(place, fs::perms(0700));
}

// As root sees one that it may reach, but not use.
TEST_F(Unwritable, ADaemonOfAnotherUserIsNamed) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root reaches the sockets of others";
  const fs::path place = folder_.path() / "home" / "own" / "daemon";
  fs::permissions(folder_.path() / "home", fs::perms(0777));
  const std::string variables = "HEDDLE_DAEMON='" + place.string() + "'";
  const Ran started = here("daemon start --units 2", variables);
  ASSERT_EQ(started.code, 0) << started.output;
  for (const char* command : {"top --once", "daemon status", "daemon stop", "daemon start --units 2", "policy"}) {
    const Ran ran = heddle(command, "&1", variables);
    EXPECT_EQ(ran.code, std::string(command) == "policy" ? 0 : 1) << command << ": " << ran.output;
    EXPECT_THAT(ran.output,
                AllOf(HasSubstr("the daemon at " + place.string() + " belongs to the user with number 65534, " +
                                "and serves the programs of that user alone"),
                      Not(HasSubstr("no daemon runs"))))
        << command;
  }
  EXPECT_EQ(here("daemon stop", variables).code, 0);
}

}  // namespace
}  // namespace heddle::tests
