// The record of a process whose disk becomes full.
#include "trace/recorder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <string>

#include "base/clock.hpp"
#include "base/file.hpp"
#include "heddle/error.hpp"
#include "support/temporary_folder.hpp"
#include "trace/timeline.hpp"

namespace {

std::size_t room = ~std::size_t{0};  // bytes of each file
std::size_t writes = 0;

}  // namespace

// As on a disk with so much room.
extern "C" ssize_t pwrite(int file, const void* data, std::size_t bytes, off_t at) {
  ++writes;
  const auto begin = static_cast<std::size_t>(at);
  if (begin >= room) {
    errno = ENOSPC;
    return -1;
  }
  return syscall(SYS_pwrite64, file, data, std::min(bytes, room - begin), at);
}

namespace heddle::trace {
namespace {

class FullDisk : public testing::Test {
 protected:
  ~FullDisk() override { room = ~std::size_t{0}; }
  std::filesystem::path file() const { return folder_.path() / "t.json"; }
  // One launch, which starts before the one before has ended if `busy`.
  void launch(bool busy = false) {
    RecordedTask task;
    task.behind = {last_};
    last_ = recorder_->begin_task(std::move(task));
    base::TraceEvent event{
        .command = command_, .device = "cpu", .queue = 1, .name = "kernel", .task = recorder_->task()};
    recorder_->end_task();
    recorder_->event(event);
    if (busy) std::swap(event, before_);
    event.phase = base::TraceEvent::Phase::end;
    if (command_++ > 0 || !busy) recorder_->event(event);
  }
  std::string refusal() {
    try {
      recorder_->save(false);
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }

  tests::TemporaryFolder folder_;
  std::unique_ptr<Recorder> recorder_ = std::make_unique<Recorder>(file(), std::make_shared<base::SteadyClock>());
  base::TraceEvent before_;
  std::uint64_t command_ = 0, last_ = 0;
};

TEST_F(FullDisk, EndsTheRecordAndNotTheProgram) {
  room = 20'000;
  for (int i = 0; i < 200; ++i) launch();
  const std::size_t writes_before = writes;
  const std::size_t memory_before = mallinfo2().uordblks;
  for (int i = 0; i < 2000; ++i) launch();
  EXPECT_EQ(writes, writes_before);
  EXPECT_LT(mallinfo2().uordblks, memory_before + 10'000);
  EXPECT_THAT(refusal(), testing::HasSubstr("t.json cannot be written: No space left on device"));
  const std::string text = base::read_file(file());
  EXPECT_GT(text.size(), 19'000u);
  EXPECT_LE(text.size(), room);
  EXPECT_GT(parse_timeline(text, "t.json").commands.size(), 40u);
  room *= 2;  // too late: there is a gap
  EXPECT_THAT(refusal(), testing::HasSubstr("No space left on device"));
  recorder_.reset();
  EXPECT_EQ(base::read_file(file()), text);
}

TEST_F(FullDisk, LeavesNoEmptyPicture) {
  recorder_ = std::make_unique<Recorder>(folder_.path() / "t.svg", std::make_shared<base::SteadyClock>());
  room = 2000;
  for (int i = 0; i < 20; ++i) launch();
  EXPECT_THAT(refusal(), testing::HasSubstr("t.svg cannot be written: No space left on device"));
  recorder_.reset();
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "t.svg"));
}

// A device that is never idle writes what is pending in large pieces.
TEST_F(FullDisk, LeavesWhatThereWasRoomFor) {
  room = 40'000;
  for (int i = 0; i < 2000; ++i) launch(true);
  EXPECT_THAT(refusal(), testing::HasSubstr("No space left on device"));
  const std::string text = base::read_file(file());
  EXPECT_GT(text.size(), 39'000u);
  EXPECT_GT(parse_timeline(text, "t.json").commands.size(), 80u);
}

TEST_F(FullDisk, LosesNothingWhereThereIsRoomInTime) {
  launch();
  launch();
  room = 600;
  EXPECT_NE(refusal(), "no error");
  room = 100'000;
  EXPECT_EQ(refusal(), "no error");
  launch();
  EXPECT_EQ(refusal(), "no error");
  EXPECT_EQ(read_timeline(file()).commands.size(), 3u);
}

}  // namespace
}  // namespace heddle::trace
