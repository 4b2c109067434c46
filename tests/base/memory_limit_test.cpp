// What messages say of the limits of a process. Each limit is of a process of its own.
#include "base/memory_limit.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string>

#include "base/system_limits.hpp"
#include "base/thread.hpp"
#include "heddle/error.hpp"

namespace heddle::base {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

constexpr rlim_t mib = 1 << 20, none = RLIM_INFINITY;

void set(rlim_t space, rlim_t data) {
  const rlimit of_space{space, RLIM_INFINITY}, of_data{data, RLIM_INFINITY};
  if (::setrlimit(RLIMIT_AS, &of_space) != 0 || ::setrlimit(RLIMIT_DATA, &of_data) != 0) ::_exit(1);
}

[[noreturn]] void say(const std::string& text) {
  std::fputs(text.c_str(), stderr);
  ::_exit(0);
}

[[noreturn]] void say_note(rlim_t space, rlim_t data) {
  set(space, data);
  const std::string note = memory_limit_note();
  char text[160], little[8];
  if (note != memory_limit_note(text) || !note.starts_with(memory_limit_note(little))) say("they differ");
  say("'" + note + (names_memory_limit("no memory" + note) ? "' named" : "' nothing"));
}

[[noreturn]] void say_thread(rlim_t space, rlim_t data) {
  set(space, data);
  try {
    start_thread("test", [] {}).join();
  } catch (const Error& error) {
    say(error.what());
  }
  say("started");
}

class MemoryLimit : public testing::Test {
 protected:
  void SetUp() override {
    if (sanitized) GTEST_SKIP() << "sanitizers need address space";
    GTEST_FLAG_SET(death_test_style, "threadsafe");
  }
};

TEST_F(MemoryLimit, IsNamedWhereItMayBeShort) {
  EXPECT_EXIT(say_note(none, none), testing::ExitedWithCode(0), "^'' nothing$");
  EXPECT_EXIT(say_note(195 * mib, none), testing::ExitedWithCode(0),
              "^'; the limit of this process \\(ulimit -v\\) is 195 MiB' named$");
  EXPECT_EXIT(say_note(none, 20'480'000), testing::ExitedWithCode(0),
              "^'; the limit of this process \\(ulimit -d\\) is 20 MiB' named$");
  EXPECT_EXIT(say_note(none, 4'000 * 1'024), testing::ExitedWithCode(0),
              "^'; the limit of this process \\(ulimit -d\\) is 4000 KiB' named$");
  EXPECT_EXIT(say_note(400 * mib, 100 * mib), testing::ExitedWithCode(0),
              "^'; the limits of this process are 100 MiB \\(ulimit -d\\) and 400 MiB \\(ulimit -v\\)' named$");
  for (const rlim_t data : {400 * mib, 500 * mib})
    EXPECT_EXIT(say_note(400 * mib, data), testing::ExitedWithCode(0),
                "^'; the limit of this process \\(ulimit -v\\) is 400 MiB' named$");
}

TEST_F(MemoryLimit, IsNamedWithTheTextOfTheSystem) {
  EXPECT_EXIT((set(none, 100 * mib), say(system_message(ENOMEM))), testing::ExitedWithCode(0),
              "^Cannot allocate memory; the limit of this process \\(ulimit -d\\) is 100 MiB$");
}

// A stack wants 8 MiB, of which there are 4: more threads would be no help.
TEST_F(MemoryLimit, IsNamedWhereThreadsLackMemory) {
  constexpr const char* words = "^the process can have no more threads: there is no memory for another one; the limit ";
  EXPECT_EXIT(say_thread(none, 4 * mib), testing::ExitedWithCode(0),
              std::string(words) + "of this process \\(ulimit -d\\) is 4096 KiB$");
  EXPECT_EXIT(say_thread(none, none), testing::ExitedWithCode(0), "^started$");
  EXPECT_EXIT(say_thread(none, 100 * mib), testing::ExitedWithCode(0), "^started$");
}

}  // namespace
}  // namespace heddle::base
