// Compiled kernels on disk: damage, full disks, several processes, processes that die, folders that others may write
// to.
#include "device/cpu/object_cache.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sys/mman.h>
#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <new>
#include <thread>

#include "base/file.hpp"
#include "device/cpu/object.hpp"
#include "support/temporary_folder.hpp"
#include "support/wait_until.hpp"

namespace heddle::device::cpu::test {
namespace {

namespace fs = std::filesystem;

class ObjectCacheTest : public testing::Test {
 protected:
  // Runs `work` in a process of its own, and gives its id.
  template <class Work>
  static pid_t in_child(Work&& work) {
    const pid_t child = ::fork();
    if (child == 0) {
      work();
      ::_exit(0);
    }
    return child;
  }
  static int result_of(pid_t child) {
    int status = 0;
    ::waitpid(child, &status, 0);
    return status;
  }
  static CompiledKernel with_stack(std::uint32_t stack_bytes) {
    CompiledKernel kernel;
    kernel.stack_bytes = stack_bytes;
    kernel.object.assign(200'000, static_cast<char>(stack_bytes));
    return kernel;
  }
  std::vector<fs::path> files() const {
    std::vector<fs::path> found;
    for (const auto& entry : fs::recursive_directory_iterator(path))
      if (entry.is_regular_file()) found.push_back(entry.path());
    return found;
  }
  const tests::TemporaryFolder folder_;
  const fs::path path = folder_.path();
  const std::string key = std::string(64, 'a');
};

TEST_F(ObjectCacheTest, GivesBackWhatWasStored) {
  ObjectCache cache(path, 1 << 30);
  EXPECT_FALSE(cache.load(key));
  CompiledKernel kernel = adding_kernel(3, 7);
  kernel.shape = Shape::fiber;
  kernel.width = 16;
  kernel.may_wait = true;
  kernel.stack_bytes = 1234;
  kernel.static_shared_bytes = 96;
  cache.store(key, kernel);
  const auto again = ObjectCache(path, 1 << 30).load(key);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->object, kernel.object);
  EXPECT_EQ(again->shape, Shape::fiber);
  EXPECT_EQ(again->width, 16u);
  EXPECT_TRUE(again->may_wait);
  EXPECT_EQ(again->stack_bytes, 1234u);
  EXPECT_EQ(again->static_shared_bytes, 96u);
  EXPECT_EQ(again->explanation, kernel.explanation);
  EXPECT_FALSE(cache.load(std::string(64, 'b')));
}

TEST_F(ObjectCacheTest, AnyDamageIsNoticed) {
  ObjectCache cache(path, 1 << 30);
  const CompiledKernel kernel = adding_kernel(3, 7);
  cache.store(key, kernel);
  const std::string good = base::read_file(cache.file_of(key));
  for (std::size_t i = 0; i < good.size(); i += 1 + good.size() / 257) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 0x10);
    base::write_file_atomic(cache.file_of(key), bad);
    EXPECT_FALSE(cache.load(key)) << "byte " << i;
    base::write_file_atomic(cache.file_of(key), std::string_view(good).substr(0, i));
    EXPECT_FALSE(cache.load(key)) << "cut at " << i;
  }
  base::write_file_atomic(cache.file_of(key), good + "x");
  EXPECT_FALSE(cache.load(key));
  // An entry under the name of another.
  const std::string other(64, 'b');
  base::write_file_atomic(cache.file_of(other), good);
  EXPECT_FALSE(cache.load(other));
  cache.store(key, kernel);
  EXPECT_TRUE(cache.load(key));
}

TEST_F(ObjectCacheTest, ForgetsTheLeastRecentlyUsed) {
  const CompiledKernel kernel = adding_kernel(3, 7);
  const auto name = [](int i) {
    return std::string(62, 'c') + static_cast<char>('a' + i / 10) + static_cast<char>('0' + i % 10);
  };
  std::uint64_t entry = 0;
  {
    ObjectCache cache(path, 1 << 30);
    cache.store(name(0), kernel);
    entry = fs::file_size(cache.file_of(name(0)));
    for (int i = 1; i < 20; ++i) cache.store(name(i), kernel);
    const auto now = fs::file_time_type::clock::now();
    for (int i = 0; i < 20; ++i) fs::last_write_time(cache.file_of(name(i)), now - std::chrono::hours(100 - i));
    EXPECT_TRUE(cache.load(name(2)));  // now the most recently used
  }
  ObjectCache small(path, 8 * entry);
  small.store(name(30), kernel);
  EXPECT_TRUE(small.load(name(30)));
  EXPECT_TRUE(small.load(name(2)));
  EXPECT_TRUE(small.load(name(19)));
  EXPECT_FALSE(small.load(name(0)));
  EXPECT_FALSE(small.load(name(5)));
}

TEST_F(ObjectCacheTest, FoldersThatCannotBeUsedOnlyLoseCaching) {
  const fs::path file = path / "file";
  base::write_file_atomic(file, std::string_view("no folder"));
  ObjectCache cache(file / "below", 1 << 30);
  const CompiledKernel kernel = adding_kernel(3, 7);
  EXPECT_NO_THROW(cache.store(key, kernel));
  EXPECT_NO_THROW(cache.store(key, kernel));
  EXPECT_FALSE(cache.load(key));
}

TEST_F(ObjectCacheTest, AFullDiskOnlyLosesCaching) {
  // A process may not write files of more than 4000 bytes: the same error paths as on a full disk.
  const pid_t child = in_child([&] {
    std::signal(SIGXFSZ, SIG_DFL);
    const rlimit limit{4000, 4000};
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) ::_exit(2);
    ObjectCache cache(path, 1 << 30);
    cache.store(key, with_stack(1));
    cache.store(key, with_stack(1));
    ::_exit(cache.load(key) ? 1 : 0);
  });
  EXPECT_EQ(result_of(child), 0);
  EXPECT_TRUE(files().empty()) << "half a file was left";
}

TEST_F(ObjectCacheTest, ProcessesShareAFolder) {
  std::vector<pid_t> children;
  for (std::uint32_t process = 1; process <= 3; ++process) {
    children.push_back(in_child([&] {
      ObjectCache cache(path, 2'000'000);  // ten entries: they remove each other's all the time
      for (std::uint32_t round = 0; round < 300; ++round) {
        const std::string name = std::string(63, 'd') + static_cast<char>('a' + round % 13);
        if (const auto kernel = cache.load(name)) {
          const char expected = static_cast<char>(kernel->stack_bytes);
          for (const char byte : kernel->object)
            if (byte != expected) ::_exit(1);
        }
        cache.store(name, with_stack(process * 1000 + round));
      }
    }));
  }
  for (const pid_t child : children) EXPECT_EQ(result_of(child), 0);
}

TEST_F(ObjectCacheTest, AProcessMayDieWhileItWrites) {
  void* const shared = ::mmap(nullptr, sizeof(unsigned), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(shared, MAP_FAILED);
  for (unsigned round = 0; round < 30; ++round) {
    auto* const stores = new (shared) std::atomic<unsigned>(0);
    const pid_t child = in_child([&] {
      ObjectCache cache(path, 1 << 30);
      for (;;) {
        ++*stores;
        cache.store(key, with_stack(7));
      }
    });
    EXPECT_TRUE(tests::wait_until([&] { return *stores > round / 3; }));
    for (unsigned turns = round * 10; turns > 0; --turns) std::this_thread::yield();
    ::kill(child, SIGKILL);
    result_of(child);
    if (const auto kernel = ObjectCache(path, 1 << 30).load(key)) {
      ASSERT_EQ(kernel->object, with_stack(7).object);
    }
  }
  ::munmap(shared, sizeof(unsigned));
  // What the dead left behind goes when it is old enough to be nobody's.
  base::write_file_atomic(path / "aa" / (key + ".kernel.a1B2c3"), std::string_view("half"));
  const auto long_ago = fs::file_time_type::clock::now() - std::chrono::hours(2);
  for (const fs::path& file : files())
    if (file.extension() != ".kernel") fs::last_write_time(file, long_ago);
  base::write_file_atomic(path / "aa" / (key + ".kernel.d4E5f6"), std::string_view("being written"));
  base::write_file_atomic(path / "aa" / "notes.txt", std::string_view("not ours"));
  fs::last_write_time(path / "aa" / "notes.txt", long_ago);
  ObjectCache(path, 1 << 30).store(key, with_stack(8));
  std::vector<std::string> names;
  for (const fs::path& file : files()) names.push_back(file.filename());
  EXPECT_THAT(names, testing::UnorderedElementsAre(key + ".kernel", key + ".kernel.d4E5f6", "notes.txt"));
}

TEST_F(ObjectCacheTest, FoldersThatOthersMayWriteToAreNotTrusted) {
  ObjectCache cache(path, 1 << 30);
  cache.store(key, with_stack(1));
  ASSERT_TRUE(cache.load(key));
  fs::permissions(path, fs::perms::all);
  EXPECT_FALSE(cache.load(key));
  cache.store(std::string(64, 'b'), with_stack(1));
  fs::permissions(path, fs::perms::owner_all);
  EXPECT_TRUE(cache.load(key));
  EXPECT_FALSE(cache.load(std::string(64, 'b')));
  if (::geteuid() == 0) {
    constexpr uid_t somebody = 12345;
    ASSERT_EQ(::chown(path.c_str(), somebody, somebody), 0);
    EXPECT_FALSE(cache.load(key));
  }
}

}  // namespace
}  // namespace heddle::device::cpu::test
