// A line on the terminal while a program waits for long: which kernel was launched last, and for how long it has
// waited.
#pragma once

#include <string_view>

namespace heddle::cuda_api {

// While it lives, this thread waits for its device. When that takes more than about two seconds, and
// HEDDLE_RUN_PROGRESS is 1 and standard error a terminal, one line there is written anew each half second, and taken
// away at the end. Where several threads wait, the first one is shown. Any thread; nothing but a test where there is no
// terminal.
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
