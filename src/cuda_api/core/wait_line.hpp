// A line on the terminal during a long wait of a program: which kernel was launched last, and how long the wait has
// taken.
#pragma once

#include <string_view>

namespace heddle::cuda_api {

// While it exists, this thread waits for its device. If that takes more than about two seconds, HEDDLE_RUN_PROGRESS is
// 1 and standard error is a terminal, one line there is written anew each half second, and removed at the end. If
// several threads wait, the first one is shown. Any thread; costs only a test without a terminal.
class WaitLine {
 public:
  WaitLine();
  ~WaitLine();
  WaitLine(const WaitLine&) = delete;
  WaitLine& operator=(const WaitLine&) = delete;

 private:
  bool shown_ = false;
};

// The kernel that was launched last, for the line.
void note_launch(std::string_view kernel);

}  // namespace heddle::cuda_api
