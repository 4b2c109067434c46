// Files that are written beside their place go with the process that a signal ends.
#include "base/unfinished_file.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "base/file.hpp"
#include "base/replaced_file.hpp"
#include "heddle/error.hpp"
#include "support/temporary_folder.hpp"

namespace heddle::base {
namespace {

namespace fs = std::filesystem;

class Unfinished : public testing::Test {
 protected:
  bool is_empty() const { return fs::is_empty(folder_.path()); }
  // Runs it in another process, which ends with what it says, and without destructors: these would wait for ever.
  template <class Work>
  static int in_child(const Work& work) {
    const pid_t child = ::fork();
    if (child == 0) work([](bool good) { ::_exit(good ? 0 : 1); });
    int status = -1;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  const tests::TemporaryFolder folder_;
  const std::string start_ = (folder_.path() / "x").string();
};

TEST_F(Unfinished, GoesUnlessItIsKept) {
  {
    const UnfinishedFile file(start_, "x");
    EXPECT_TRUE(fs::exists(file.path()));
  }
  EXPECT_TRUE(is_empty());
  {
    UnfinishedFile file(start_, "x");
    fs::rename(file.path(), start_);
    file.keep();
  }
  EXPECT_TRUE(fs::exists(start_));
}

TEST_F(Unfinished, GoesBeforeASignalEndsTheProcess) {
  EXPECT_EQ(in_child([&](auto end) {
              const UnfinishedFile one(start_, "x"), other(start_, "x");
              UnfinishedFile::remove_all();
              end(is_empty());
            }),
            0);
}

TEST_F(Unfinished, OldFilesTakeTheirNames) {
  write_file_atomic(start_, std::string_view("old"));
  EXPECT_EQ(in_child([&](auto end) {
              const ReplacedFile old(start_);
              write_file_atomic(start_, std::string_view("a part"));
              ReplacedFile::restore_all();
              end(read_file(start_) == "old");
            }),
            0);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()), 1);
}

TEST_F(Unfinished, SaysWhatCannotBeWritten) {
  try {
    const UnfinishedFile file((folder_.path() / "absent" / "x").string(), "mine");
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "cannot write mine: No such file or directory");
  }
}

}  // namespace
}  // namespace heddle::base
