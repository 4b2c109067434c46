// Temporary folders: gone with their owner, also when it was killed, and never while it lives.
#include "base/temporary_folder.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "base/file.hpp"
#include "heddle/error.hpp"
#include "support/temporary_folder.hpp"
#include "support/wait_until.hpp"

namespace {

// Called when a folder has been made and its maker does not know yet.
std::function<void()> made;

}  // namespace

// In front of the C library's.
extern "C" char* mkdtemp(char* name) noexcept {
  static const auto real = reinterpret_cast<char* (*)(char*)>(::dlsym(RTLD_NEXT, "mkdtemp"));
  char* const folder = real(name);
  if (folder != nullptr && made) std::exchange(made, nullptr)();
  return folder;
}

namespace heddle::base {
namespace {

namespace fs = std::filesystem;

class TemporaryFolders : public testing::Test {
 protected:
  std::size_t count() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(parent_.path()), fs::directory_iterator()));
  }
  // A process that has a folder with a file in it and waits to be killed; it has made it when this returns.
  pid_t owner() const {
    int ends[2];
    EXPECT_EQ(::pipe(ends), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      TemporaryFolder folder;
      folder.create(parent_.path(), "test");
      write_file_atomic(folder.path() / "sub/file", std::string_view("x"));
      [[maybe_unused]] const ssize_t written = ::write(ends[1], "m", 1);
      for (;;) ::pause();
    }
    char byte = 0;
    EXPECT_EQ(::read(ends[0], &byte, 1), 1);
    ::close(ends[0]);
    ::close(ends[1]);
    return child;
  }
  static void end(pid_t child) {
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
  }

  static int status_of(pid_t child) {
    int status = -1;
    ::waitpid(child, &status, 0);
    return status;
  }

  const tests::TemporaryFolder parent_;
};

TEST_F(TemporaryFolders, GoWithTheirObjects) {
  {
    TemporaryFolder folder;
    EXPECT_TRUE(folder.path().empty());
    folder.create(parent_.path(), "test");
    write_file_atomic(folder.path() / "sub/file", std::string_view("x"));
    struct stat info{};
    ASSERT_EQ(::stat(folder.path().c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 07777, 0700u);
  }
  EXPECT_EQ(count(), 0u);
}

TEST_F(TemporaryFolders, OfTheKilledGoWhenTheNextIsMade) {
  const pid_t killed = owner(), living = owner();
  end(killed);
  EXPECT_EQ(count(), 2u);
  TemporaryFolder next;
  next.create(parent_.path(), "test");
  EXPECT_EQ(count(), 2u) << "the living one's and the next one";
  end(living);
}

TEST_F(TemporaryFolders, OfTheLivingStay) {
  const pid_t living = owner();
  TemporaryFolder mine;
  mine.create(parent_.path(), "test");
  for (int i = 0; i < 10; ++i) {
    TemporaryFolder other;
    other.create(parent_.path(), "test");
    EXPECT_EQ(count(), 3u);
    EXPECT_TRUE(fs::exists(mine.path()));
  }
  end(living);
}

TEST_F(TemporaryFolders, OnlyThoseOfThisKindAreRemoved) {
  for (const char* name : {"heddle-test.backup1", "heddle-other.a1b2c3", "heddle-testXa1b2c3", "test.a1b2c3"}) {
    fs::create_directory(parent_.path() / name);
    fs::permissions(parent_.path() / name, fs::perms::owner_all);
  }
  write_file_atomic(parent_.path() / "heddle-test.a1b2c3", std::string_view("a file"));
  fs::create_directory(parent_.path() / "heddle-test.open12");  // made by hand: others may read it
  fs::create_directory_symlink(parent_.path() / "heddle-other.a1b2c3", parent_.path() / "heddle-test.link12");
  TemporaryFolder next;
  next.create(parent_.path(), "test");
  EXPECT_EQ(count(), 8u);
}

TEST_F(TemporaryFolders, ThreadsAndProcessesDoNotRemoveEachOthers) {
  const auto work = [&] {
    for (int i = 0; i < 200; ++i) {
      TemporaryFolder folder;
      folder.create(parent_.path(), "test");
      if (!fs::exists(folder.path())) return false;
      write_file_atomic(folder.path() / "file", std::string_view("x"));
      if (!fs::exists(folder.path() / "file")) return false;
    }
    return true;
  };
  std::vector<pid_t> children;
  for (int i = 0; i < 3; ++i) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(work() ? 0 : 1);
    children.push_back(child);
  }
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) threads.emplace_back([&] { EXPECT_TRUE(work()); });
  for (std::thread& thread : threads) thread.join();
  for (const pid_t child : children) {
    int status = -1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(count(), 0u);
}

TEST_F(TemporaryFolders, OfThisProcessCanBeRemovedAtOnce) {
  const pid_t other = owner();
  const pid_t child = ::fork();  // nobody can make folders in it afterwards
  if (child == 0) {
    TemporaryFolder first, second;
    first.create(parent_.path(), "test");
    second.create(parent_.path(), "other");
    if (count() != 3) ::_exit(1);
    TemporaryFolder::remove_all();
    ::_exit(count() == 1 ? 0 : 2);
  }
  EXPECT_EQ(status_of(child), 0);
  end(other);
}

// A signal may come while a folder is being made. Ends the process: with 0 if the folder is gone.
[[noreturn]] void remove_while_it_is_made() {
  const tests::TemporaryFolder parent;
  std::atomic<pid_t> remover{0};
  made = [&] {
    std::thread([&] {
      remover = ::gettid();
      TemporaryFolder::remove_all();
      const bool gone = fs::is_empty(parent.path());
      fs::remove_all(parent.path());
      ::_exit(gone ? 0 : 1);
    }).detach();
    (void)tests::wait_until([&] { return remover != 0 && tests::is_blocked(remover); });
  };
  TemporaryFolder folder;
  folder.create(parent.path(), "test");
  for (;;) ::pause();
}

// In a process that is started anew: ThreadSanitizer starts no thread in the fork of a process that has threads.
TEST(TemporaryFoldersDeathTest, OneThatIsBeingMadeIsRemovedToo) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(remove_while_it_is_made(), testing::ExitedWithCode(0), "");
}

TEST_F(TemporaryFolders, ThatCannotBeMadeAreAnError) {
  TemporaryFolder folder;
  EXPECT_THROW(folder.create(parent_.path() / "absent", "test"), Error);
}

}  // namespace
}  // namespace heddle::base
