// The record of a process that closes descriptors.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/file.hpp"
#include "base/trace_claim.hpp"
#include "heddle/error.hpp"
#include "support/temporary_folder.hpp"
#include "trace/recorder.hpp"
#include "trace/timeline.hpp"

namespace heddle::trace {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class ClosedDescriptors : public testing::Test {
 protected:
  ~ClosedDescriptors() override {
    for (const int file : users_) ::close(file);
  }
  fs::path timeline() const { return folder_.path() / "t.json"; }
  void start(const fs::path& path) {
    recorder_ = std::make_unique<Recorder>(path, std::make_shared<base::SteadyClock>());
  }
  void launch() {
    base::TraceEvent event{.command = ++command_, .device = "cpu", .queue = 1, .name = "kernel"};
    recorder_->event(event);
    event.phase = base::TraceEvent::Phase::end;
    recorder_->event(event);
  }
  // As a daemon does, but for what the test itself needs; then files of the program's own take the numbers.
  void close_all() {
    std::vector<int> closed;
    for (const auto& entry : fs::directory_iterator("/proc/self/fd")) {
      std::error_code gone;
      const std::string target = fs::read_symlink(entry.path(), gone).string();
      if (target.find(folder_.path().filename()) != target.npos || target.find("heddle-trace") != target.npos)
        closed.push_back(std::stoi(entry.path().filename()));
    }
    ASSERT_FALSE(closed.empty());
    for (const int file : closed) ::close(file);
    for (std::size_t i = 0; i < closed.size(); ++i) {
      users_.push_back(::open(user(users_.size()).c_str(), O_RDWR | O_CREAT, 0600));
      ASSERT_EQ(::write(users_.back(), "USERDATA", 8), 8);
    }
  }
  fs::path user(std::size_t number) const { return folder_.path() / ("user" + std::to_string(number)); }
  void expect_users_files_whole() const {
    for (std::size_t i = 0; i < users_.size(); ++i) {
      EXPECT_EQ(base::read_file(user(i)), "USERDATA");
      EXPECT_EQ(::lseek(users_[i], 0, SEEK_CUR), 8) << "its descriptor was closed";
    }
  }
  std::string refusal() const {
    try {
      recorder_->save(false);
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }

  tests::TemporaryFolder folder_;
  std::unique_ptr<Recorder> recorder_;
  std::vector<int> users_;
  std::uint64_t command_ = 0;
};

TEST_F(ClosedDescriptors, LeaveTheRecordWhereItIs) {
  start(timeline());
  launch();
  close_all();
  for (int i = 0; i < 9; ++i) launch();
  EXPECT_EQ(refusal(), "no error");
  recorder_.reset();
  expect_users_files_whole();
  EXPECT_EQ(parse_timeline(base::read_file(timeline()), "t.json").commands.size(), 10u);
}

// And what the program has put there instead stays.
TEST_F(ClosedDescriptors, EndARecordThatIsNotThereAnyMore) {
  start(timeline());
  fs::remove(timeline());
  base::write_file_atomic(timeline(), std::string_view("the program's"));
  close_all();
  for (int i = 0; i < 9; ++i) launch();
  EXPECT_THAT(refusal(), HasSubstr("t.json cannot be written: the program has closed the file"));
  recorder_.reset();
  expect_users_files_whole();
  EXPECT_EQ(base::read_file(timeline()), "the program's");
}

TEST_F(ClosedDescriptors, EndTheRecordOfAPicture) {
  start(folder_.path() / "t.svg");
  launch();
  close_all();
  launch();
  EXPECT_THAT(refusal(), HasSubstr("the program has closed the file"));
  recorder_.reset();
  expect_users_files_whole();
}

// What the program prints goes nowhere, and not into the record.
TEST_F(ClosedDescriptors, OfStandardFilesAreNotTaken) {
  for (const char* const name : {"t.json", "t.svg"}) {
    const fs::path path = folder_.path() / name;
    const int kept = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 100);
    ::close(STDOUT_FILENO);
    base::claim_trace(path.string(), base::claim_of(path.string()));
    const bool claim_is_free = ::fcntl(STDOUT_FILENO, F_GETFD) < 0;
    start(path);
    const bool record_is_free = ::fcntl(STDOUT_FILENO, F_GETFD) < 0;
    ::dup2(kept, STDOUT_FILENO);
    ::close(kept);
    EXPECT_TRUE(claim_is_free) << name;
    EXPECT_TRUE(record_is_free) << name;
  }
}

}  // namespace
}  // namespace heddle::trace
