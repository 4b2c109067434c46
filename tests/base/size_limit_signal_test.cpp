// Files over the limit on their size, in a program that SIGXFSZ would end.
#include "base/size_limit_signal.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string>

#include "base/file.hpp"
#include "heddle/error.hpp"
#include "support/temporary_folder.hpp"

namespace heddle::base {
namespace {

class SizeLimitSignalDeathTest : public testing::Test {
 protected:
  static void limit() {
    ::signal(SIGXFSZ, SIG_DFL);
    const rlimit bytes{10, 10}, none{};
    ::setrlimit(RLIMIT_CORE, &none);
    ::setrlimit(RLIMIT_FSIZE, &bytes);
  }
  bool fails_to_write() const {
    const int file = ::open((folder_.path() / "x").c_str(), O_WRONLY | O_CREAT, 0600);
    errno = 0;
    return ::pwrite(file, "x", 1, 10) < 0 && errno == EFBIG;
  }
  const tests::TemporaryFolder folder_;
};

TEST_F(SizeLimitSignalDeathTest, WritesOnlyFail) {
  EXPECT_EXIT(
      {
        limit();
        bool failed = false;
        {
          const WithoutSizeLimitSignal held;
          failed = fails_to_write() && fails_to_write();
        }
        ::_exit(failed && errno == EFBIG ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(SizeLimitSignalDeathTest, OthersOfTheProgramRaiseItAsBefore) {
  EXPECT_EXIT(
      {
        limit();
        {
          const WithoutSizeLimitSignal held;
        }
        static_cast<void>(fails_to_write());
        ::_exit(0);
      },
      testing::KilledBySignal(SIGXFSZ), "");
}

TEST_F(SizeLimitSignalDeathTest, OneThatWasPendingStaysSo) {
  EXPECT_EXIT(
      {
        limit();
        sigset_t set;
        sigemptyset(&set);
        sigaddset(&set, SIGXFSZ);
        ::sigprocmask(SIG_BLOCK, &set, nullptr);
        static_cast<void>(fails_to_write());
        {
          const WithoutSizeLimitSignal held;
        }
        sigset_t pending;
        ::sigpending(&pending);
        ::_exit(sigismember(&pending, SIGXFSZ) == 1 ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(SizeLimitSignalDeathTest, FilesOfHeddleAreAnError) {
  EXPECT_EXIT(
      {
        limit();
        try {
          write_file_atomic(folder_.path() / "file", std::string(100, 'x'));
        } catch (const Error&) {
          ::_exit(0);
        }
        ::_exit(1);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace heddle::base
