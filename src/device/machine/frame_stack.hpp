// The activations of functions of one thread.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "device/machine/frame.hpp"

namespace heddle::device::machine {

// The kernel's, and above it those of called functions. Most threads have the kernel's alone, which takes no memory of
// its own.
class FrameStack {
 public:
  std::size_t size() const { return 1 + (calls_ ? calls_->size() : 0); }
  Frame& front() { return kernel_; }
  const Frame& front() const { return kernel_; }
  Frame& back() { return calls_ && !calls_->empty() ? calls_->back() : kernel_; }
  const Frame& back() const { return calls_ && !calls_->empty() ? calls_->back() : kernel_; }
  const Frame& operator[](std::size_t i) const { return i == 0 ? kernel_ : (*calls_)[i - 1]; }
  void push_back(Frame frame) {
    if (!calls_) calls_ = std::make_unique<std::vector<Frame>>();
    calls_->push_back(std::move(frame));
  }
  void pop_back() { calls_->pop_back(); }  // of a called function

 private:
  Frame kernel_;
  std::unique_ptr<std::vector<Frame>> calls_;
};

}  // namespace heddle::device::machine
