// Whether the host is about to read what launches have written to an array.
#pragma once

#include <cstdint>

namespace heddle::memory {

// If the host has read the same bytes twice in a row after the same number of launches, it is expected to do so again.
// One thread at a time.
class ReadBack {
 public:
  // Records that a launch modifies the array.
  void modify() {
    if (made_) expected_ = made_ = false;  // the copy was not read
    ++modified_;
    due_ = expected_ && modified_ == usual_;
  }
  // The same for many launches, while no read is expected.
  void modify_unexpected(unsigned times) { modified_ += times; }
  // Records that the host reads bytes [begin, end).
  void read(std::uint64_t begin, std::uint64_t end) {
    if (modified_ == 0) return;
    expected_ = modified_ == usual_ && begin == begin_ && end == end_;
    begin_ = begin;
    end_ = end;
    usual_ = modified_;
    modified_ = 0;
    due_ = made_ = false;
  }
  // Whether the host is expected to read the bytes.
  bool expected() const { return expected_; }
  // Whether the bytes should be copied to the host now, as the last launch before the expected read has been made.
  bool due() const { return due_; }
  std::uint64_t begin() const { return begin_; }
  std::uint64_t end() const { return end_; }
  // start(): the copy begins. made(): the copy was submitted.
  void start() { due_ = false; }
  void made() { made_ = true; }

 private:
  std::uint64_t begin_ = 0, end_ = 0;  // what the host read last
  unsigned modified_ = 0, usual_ = 0;  // launches that modified the array since the last read; and before it
  bool expected_ = false, due_ = false;
  bool made_ = false;  // copied, and not read yet
};

}  // namespace heddle::memory
