// Where the daemon is found: in one place, whatever the environment of a program is.
#include "daemon/place.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <map>
#include <string>

#include "daemon/listener.hpp"
#include "heddle/error.hpp"
#include "support/temporary_folder.hpp"

namespace heddle::daemon {
namespace {

namespace fs = std::filesystem;

class DaemonPlace : public testing::Test {
 protected:
  DaemonPlace() {
    for (const char* name : {"HEDDLE_DAEMON", "XDG_RUNTIME_DIR", "TMPDIR"}) {
      if (const char* const value = ::getenv(name)) before_[name] = value;
      ::unsetenv(name);
    }
  }
  ~DaemonPlace() override {
    for (const char* name : {"HEDDLE_DAEMON", "XDG_RUNTIME_DIR", "TMPDIR"}) ::unsetenv(name);
    for (const auto& [name, value] : before_) ::setenv(name.c_str(), value.c_str(), 1);
  }

  const tests::TemporaryFolder folder_;

 private:
  std::map<std::string, std::string> before_;
};

TEST_F(DaemonPlace, IsTheSameForEveryFolderOfTemporaryFiles) {
  const fs::path usual = socket_path();
  EXPECT_TRUE(usual.is_absolute()) << usual;
  for (const std::string& folder : {folder_.path().string(), std::string("/nowhere"), std::string()}) {
    ::setenv("TMPDIR", folder.c_str(), 1);
    EXPECT_EQ(socket_path(), usual) << folder;
  }
}

TEST_F(DaemonPlace, IsInTheFolderOfTheSessionIfThatIsTheUsers) {
  const fs::path usual = socket_path();
  ::setenv("XDG_RUNTIME_DIR", (folder_.path() / "none").c_str(), 1);
  EXPECT_EQ(socket_path(), usual);
  ::setenv("XDG_RUNTIME_DIR", folder_.path().c_str(), 1);
  const fs::path own = folder_.path() / "heddle" / "daemon";
  if (!connect_to(usual)) {
    EXPECT_EQ(socket_path(), own);
  }
  make_own_folder(own.parent_path());
  const Descriptor listener = listen_at(own);
  EXPECT_EQ(socket_path(), own);
}

TEST_F(DaemonPlace, IsThatOfTheVariable) {
  ::setenv("HEDDLE_DAEMON", (folder_.path() / "d").c_str(), 1);
  EXPECT_EQ(socket_path(), folder_.path() / "d");
}

}  // namespace
}  // namespace heddle::daemon
