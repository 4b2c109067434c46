// Which folders are used for caches: those that nobody else can put files into.
#include "base/cache_folder.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <utility>

#include "base/file.hpp"
#include "support/temporary_folder.hpp"

namespace heddle::base {
namespace {

using testing::AllOf;
using testing::HasSubstr;

namespace fs = std::filesystem;

class CacheFolder : public testing::Test {
 protected:
  void SetUp() override { ::setenv("HEDDLE_CACHE_DIR", top_.c_str(), 1); }
  void TearDown() override {
    ::unsetenv("HEDDLE_CACHE_DIR");
    if (!home_.empty()) ::setenv("HOME", home_.c_str(), 1);
  }
  static mode_t mode_of(const fs::path& path) {
    struct stat info{};
    EXPECT_EQ(::stat(path.c_str(), &info), 0) << path;
    return info.st_mode & 07777;
  }
  // What may_use_cache says, and what it writes to standard error.
  static std::pair<bool, std::string> asked(const fs::path& folder) {
    testing::internal::CaptureStderr();
    const bool usable = may_use_cache(folder);
    return {usable, testing::internal::GetCapturedStderr()};
  }

  const tests::TemporaryFolder folder_;
  const fs::path top_ = folder_.path() / "cache";
  const std::string home_ = ::getenv("HOME") ? ::getenv("HOME") : "";
};

TEST_F(CacheFolder, FollowsTheEnvironment) {
  ::setenv("HEDDLE_CACHE_DIR", "/c/own", 1);
  EXPECT_EQ(cache_directory(), "/c/own");
  ::unsetenv("HEDDLE_CACHE_DIR");
  ::setenv("XDG_CACHE_HOME", "/c/xdg", 1);
  EXPECT_EQ(cache_directory(), "/c/xdg/heddle");
  ::setenv("HOME", "/c/home", 1);
  ::setenv("XDG_CACHE_HOME", "c/xdg", 1);  // a relative path counts for nothing
  EXPECT_EQ(cache_directory(), "/c/home/.cache/heddle");
  ::unsetenv("XDG_CACHE_HOME");
  EXPECT_EQ(cache_directory(), "/c/home/.cache/heddle");
  ::setenv("HOME", "c/home", 1);
  EXPECT_THAT(cache_directory().string(), testing::EndsWith("/heddle-" + std::to_string(::getuid())));
  ::unsetenv("HOME");
  EXPECT_THAT(cache_directory().string(), testing::EndsWith("/heddle-" + std::to_string(::getuid())));
}

TEST_F(CacheFolder, IsMadeForThisUserAloneWhateverTheMask) {
  const mode_t mask = ::umask(0);
  EXPECT_TRUE(make_cache(top_ / "compile/ab"));
  ::umask(mask);
  for (const char* each : {"", "compile", "compile/ab"}) EXPECT_EQ(mode_of(top_ / each), 0700u) << each;
  EXPECT_TRUE(may_use_cache(top_ / "compile/ab"));
  EXPECT_TRUE(make_cache(top_ / "compile/ab"));
}

TEST_F(CacheFolder, ThatCannotBeMadeHasAReason) {
  std::string why;
  EXPECT_FALSE(make_cache("/dev/null/cache", &why));
  EXPECT_EQ(why, "cannot make the folder /dev/null: Not a directory");
  ::setenv("HEDDLE_CACHE_DIR", top_.c_str(), 1);
  ASSERT_TRUE(make_cache(top_));
  std::ofstream(top_ / "cpu") << "a file";
  EXPECT_FALSE(make_cache(top_ / "cpu", &why));
  EXPECT_EQ(why, "cannot make the folder " + (top_ / "cpu").string() + ": Not a directory");
}

TEST_F(CacheFolder, ThatIsNotThereYetIsNoReasonForAWarning) {
  EXPECT_EQ(asked(top_ / "cpu"), std::pair(true, std::string()));
  EXPECT_FALSE(fs::exists(top_));
}

TEST_F(CacheFolder, ThatOthersMayWriteToIsRefusedAndSaidOnce) {
  for (const mode_t mode : {0777, 0770, 0702}) {
    make_cache(top_ / "cpu");
    ASSERT_EQ(::chmod(top_.c_str(), mode), 0);
    const auto [usable, warning] = asked(top_ / "cpu");
    EXPECT_FALSE(usable);
    EXPECT_THAT(warning, AllOf(HasSubstr(top_.string() + " is not used"), HasSubstr(fmt::format("(mode {:o})", mode)),
                               HasSubstr("chmod go-w '" + top_.string() + "'"), HasSubstr("HEDDLE_CACHE_DIR")));
    EXPECT_EQ(asked(top_ / "cpu"), std::pair(false, std::string())) << "warned twice";
    EXPECT_FALSE(make_cache(top_ / "other"));
    EXPECT_FALSE(fs::exists(top_ / "other"));
    ::chmod(top_.c_str(), 0755);
    EXPECT_TRUE(may_use_cache(top_ / "cpu"));
  }
}

// chmod of /tmp would take it from all other users.
TEST_F(CacheFolder, ThatManyUsersShareIsLeftAsItIs) {
  make_cache(top_ / "cpu");
  ASSERT_EQ(::chmod(top_.c_str(), 01777), 0);
  const auto [usable, warning] = asked(top_ / "cpu");
  EXPECT_FALSE(usable);
  EXPECT_THAT(warning, AllOf(HasSubstr("others may write to it (mode 1777)"), testing::Not(HasSubstr("chmod")),
                             HasSubstr(fmt::format("Set HEDDLE_CACHE_DIR to a folder of your own, as {}/heddle-{}.",
                                                   top_.string(), ::geteuid()))));
}

// Who does not own a folder cannot change its mode.
TEST_F(CacheFolder, OfRootThatOthersMayWriteToNeedsAnotherFolder) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can make a folder of root's";
  make_cache(top_);
  ASSERT_EQ(::chmod(top_.c_str(), 0777), 0);
  ASSERT_EQ(::chmod(folder_.path().c_str(), 0755), 0);
  constexpr uid_t somebody = 12345;
  ASSERT_EQ(::seteuid(somebody), 0);
  const std::string warning = distrust(top_);
  ASSERT_EQ(::seteuid(0), 0);
  EXPECT_THAT(warning, AllOf(HasSubstr("others may write to it"), testing::Not(HasSubstr("chmod")),
                             HasSubstr("Set HEDDLE_CACHE_DIR to a folder of your own.")));
}

TEST_F(CacheFolder, EveryFolderBelowCounts) {
  ASSERT_TRUE(make_cache(top_ / "compile/ab"));
  ::chmod((top_ / "compile").c_str(), 0775);
  EXPECT_FALSE(asked(top_ / "compile/ab").first);
  EXPECT_TRUE(may_use_cache(top_ / "cpu"));
  ::setenv("HEDDLE_CACHE_DIR", (top_.string() + "/").c_str(), 1);
  EXPECT_FALSE(may_use_cache(cache_directory() / "compile/ab"));
  ::chmod((top_ / "compile").c_str(), 0700);
  EXPECT_TRUE(may_use_cache(cache_directory() / "compile/ab"));
}

TEST_F(CacheFolder, ThatBelongsToSomebodyElseIsRefused) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  constexpr uid_t somebody = 12345;
  ASSERT_TRUE(make_cache(top_));
  ASSERT_EQ(::chown(top_.c_str(), somebody, somebody), 0);
  const auto [usable, warning] = asked(top_);
  EXPECT_FALSE(usable);
  EXPECT_THAT(warning, AllOf(HasSubstr("belongs to user 12345"), HasSubstr("Set HEDDLE_CACHE_DIR")));
  // A link of somebody else, to a folder of ours.
  ASSERT_EQ(::chown(top_.c_str(), 0, 0), 0);
  const fs::path link = folder_.path() / "link";
  fs::create_directory_symlink(top_, link);
  EXPECT_TRUE(may_use_cache(link));
  ASSERT_EQ(::lchown(link.c_str(), somebody, somebody), 0);
  EXPECT_THAT(asked(link).second, HasSubstr("the link belongs to user 12345"));
}

TEST_F(CacheFolder, WithoutAHomeIsHeldToTheSameRule) {
  ::unsetenv("HEDDLE_CACHE_DIR");
  ::unsetenv("HOME");
  const char* temporary = ::getenv("TMPDIR");
  const std::string before = temporary ? temporary : "";
  ::setenv("TMPDIR", folder_.path().c_str(), 1);
  ASSERT_TRUE(make_cache(cache_directory() / "compile"));
  ::chmod(cache_directory().c_str(), 0777);
  EXPECT_FALSE(asked(cache_directory() / "compile").first);
  temporary ? ::setenv("TMPDIR", before.c_str(), 1) : ::unsetenv("TMPDIR");
}

TEST_F(CacheFolder, ThatCannotBeMadeIsNotUsed) {
  write_file_atomic(folder_.path() / "file", std::string_view("no folder"));
  EXPECT_FALSE(make_cache(folder_.path() / "file/cache"));
  ::setenv("HEDDLE_CACHE_DIR", (folder_.path() / "file").c_str(), 1);
  EXPECT_FALSE(make_cache(cache_directory() / "compile"));
}

}  // namespace
}  // namespace heddle::base
