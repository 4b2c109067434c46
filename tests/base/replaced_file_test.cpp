// The old file at a place where a new one grows is there until the new one is whole.
#include "base/replaced_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <optional>
#include <string>
#include <thread>

#include "base/file.hpp"
#include "support/temporary_folder.hpp"
#include "support/wait_until.hpp"

namespace heddle::base {
namespace {

namespace fs = std::filesystem;

class Replaced : public testing::Test {
 protected:
  Replaced() { write_file_atomic(file_, std::string_view("old")); }
  void write(std::string_view text) const { write_file_atomic(file_, text); }
  std::string now() const { return fs::exists(file_) ? read_file(file_) : "none"; }
  std::string kept() const { return fs::exists(kept_) ? read_file(kept_) : "none"; }
  // Runs it in another process, which ends by exit() or _exit().
  template <class Work>
  static void in_child(const Work& work) {
    const pid_t child = ::fork();
    if (child == 0) work();
    ::waitpid(child, nullptr, 0);
  }

  const tests::TemporaryFolder folder_;
  const fs::path file_ = folder_.path() / "t.json", kept_ = folder_.path() / "t.json.heddle-old";
};

TEST_F(Replaced, GoesWhenTheNewOneIsWhole) {
  ASSERT_EQ(::chmod(file_.c_str(), 0640), 0);
  {
    const ReplacedFile old(file_);
    EXPECT_EQ(now(), "none");
    EXPECT_EQ(kept(), "old");
    EXPECT_EQ(old.mode(), 0640u);
    write("new");
  }
  EXPECT_EQ(now(), "new");
  EXPECT_EQ(kept(), "none");
}

TEST_F(Replaced, ComesBackAfterAFailure) {
  {
    ReplacedFile old(file_);
    write("part");
    old.set_failed(true);
  }
  EXPECT_EQ(now(), "old");
  EXPECT_EQ(kept(), "none");
}

TEST_F(Replaced, StaysUntilTheEndIfItIsToStay) {
  {
    const ReplacedFile old(file_, ReplacedFile::Old::stays);
    EXPECT_EQ(now(), "old");
  }
  EXPECT_EQ(now(), "old");
}

// As the program of `heddle run --trace`, for which another process has set the old file aside.
TEST_F(Replaced, IsTakenOverFromAnotherProcess) {
  fs::rename(file_, kept_);
  write("\n");
  {
    ReplacedFile old(file_);
    write("part");
    old.set_failed(true);
  }
  EXPECT_EQ(now(), "old");
  fs::rename(file_, kept_);
  write("\n");
  {
    const ReplacedFile old(file_);
  }
  EXPECT_EQ(kept(), "none");
}

TEST_F(Replaced, EndsWithTheProcess) {
  for (const bool failed : {false, true}) {
    in_child([&] {
      auto* const old = new ReplacedFile(file_);  // never destroyed
      write("new");
      old->set_failed(failed);
      std::exit(0);
    });
    EXPECT_EQ(now(), failed ? "old" : "new");
    EXPECT_EQ(kept(), "none");
    write("old");
  }
  write("old");
  in_child([&] {
    if (::chdir(folder_.path().c_str()) != 0) ::_exit(1);
    new ReplacedFile("t.json");
    write("new");
    if (::chdir("/") != 0) ::_exit(1);
    std::exit(0);
  });
  EXPECT_EQ(now(), "new");
  EXPECT_EQ(kept(), "none");
  in_child([&] {
    new ReplacedFile(file_);
    write("new");
    ReplacedFile::end_all();
    ::_exit(0);
  });
  EXPECT_EQ(now(), "new");
  EXPECT_EQ(kept(), "none");
}

// Nothing is lost if the process is cut off, nor by a child that ends before it.
TEST_F(Replaced, IsKeptByAProcessThatIsCutOff) {
  in_child([&] {
    new ReplacedFile(file_);
    write("part");
    ::_exit(0);
  });
  EXPECT_EQ(now(), "part");
  EXPECT_EQ(kept(), "old");
  write("\n");
  ReplacedFile old(file_);
  in_child([&] { std::exit(0); });
  EXPECT_EQ(kept(), "old");
  old.set_failed(true);
}

// What the first one left is whole; what the others left are parts.
TEST_F(Replaced, IsKeptByManyProcessesThatAreCutOff) {
  const fs::path part = folder_.path() / "t.json.heddle-part";
  for (const char* text : {"first part", "second part", "third part"}) {
    in_child([&] {
      new ReplacedFile(file_);
      write(text);
      ::_exit(0);
    });
    EXPECT_EQ(now(), text);
    EXPECT_EQ(kept(), "old");
  }
  EXPECT_EQ(read_file(part), "second part");
  {
    ReplacedFile old(file_);
    EXPECT_EQ(now(), "none");
    EXPECT_EQ(read_file(part), "third part");
    old.set_failed(true);
  }
  EXPECT_EQ(now(), "third part");
  EXPECT_EQ(kept(), "old");
  {
    const ReplacedFile old(file_);
    write("new");
  }
  EXPECT_EQ(now(), "new");
  EXPECT_EQ(kept(), "none");
  EXPECT_FALSE(fs::exists(part));
}

// As `heddle run --trace` and the program that it becomes, which is cut off each time.
TEST_F(Replaced, IsKeptWhereTwoProcessesAreCutOffBehindAClaim) {
  for (int i = 0; i < 3; ++i) {
    in_child([&] {
      new ReplacedFile(file_);
      write("\n");
      new ReplacedFile(file_);
      write("part");
      ::_exit(0);
    });
    EXPECT_EQ(now(), "part");
    EXPECT_EQ(kept(), "old");
  }
}

// The signal comes when the old file has been moved, and the new one is about to be opened.
TEST_F(Replaced, IsNotOpenedInThePlaceOfTheNewOne) {
  in_child([&] {
    ReplacedFile old(file_);
    std::atomic<pid_t> watcher{0};
    std::atomic<bool> restored{false};
    std::thread ends;
    const int file = old.opened([&] {
      ends = std::thread([&] {
        watcher = ::gettid();
        ReplacedFile::restore_all();
        restored = true;
      });
      // It has restored already, or waits for this to end.
      if (!tests::wait_until([&] { return restored || (watcher != 0 && tests::is_blocked(watcher)); })) ::_exit(1);
      return ::open(file_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    });
    [[maybe_unused]] const ssize_t written = ::write(file, "part", 4);
    ends.join();
    ::_exit(0);
  });
  EXPECT_EQ(now(), "old");
}

TEST_F(Replaced, LinksStayLinks) {
  const fs::path link = folder_.path() / "link";
  fs::create_symlink("t.json", link);
  {
    const ReplacedFile old(link);
    EXPECT_EQ(kept(), "old");
    write("new");
  }
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(read_file(link), "new");
  EXPECT_EQ(kept(), "none");
}

}  // namespace
}  // namespace heddle::base
