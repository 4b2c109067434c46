// Where the program is that calls Heddle, for messages.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::base {

// The program's part of a thread's stack, the innermost caller first. Copying it is cheap.
class CallerPlace {
 public:
  struct Frame {
    const std::string* file = nullptr;  // never freed
    std::uintptr_t address = 0;         // in the file, of the call
  };
  CallerPlace() = default;
  CallerPlace(std::vector<Frame> frames, std::string symbol);

  bool empty() const { return frames_.empty(); }
  // The line of the program's source that made the call, and its code: "saxpy.cu:12 (saxpy+0x1234)". Functions of
  // headers that do not belong to the program are passed over, and so are functions that are named as CUDA's and only
  // hand the call on (cudaMallocHost<float>). Without debug information "saxpy+0x1234", what addr2line -e saxpy 0x1234
  // takes, with the function's name where the program exports it. Empty for an empty place. Takes milliseconds.
  std::string text() const;

 private:
  std::vector<Frame> frames_;
  std::string symbol_;  // of the innermost frame
};

// Of this thread. Empty where no code but Heddle's is on the stack: the thread is Heddle's, or the program is heddle or
// Python. Takes microseconds.
CallerPlace caller_place() noexcept;

}  // namespace heddle::base
