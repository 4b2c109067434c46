// A line on a terminal that shows that long work is in progress.
#pragma once

#include <condition_variable>
#include <functional>
#include <string>
#include <thread>

#include "base/thread_safety.hpp"

namespace heddle::cli {

// While it exists, and once a second has passed, writes "what ... 3 s" to stderr if that is a terminal; clears the line
// at the end.
class Progress {
 public:
  // `done`: how much of the work is done, from 0 to 1, which makes it "what, 12.3 % ... 3 s". Another thread asks.
  explicit Progress(const std::string& what, std::function<double()> done = {});
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

 private:
  void show();

  std::string what_;
  std::function<double()> done_part_;
  base::Mutex mutex_;
  std::condition_variable finished_;
  bool done_ HEDDLE_GUARDED_BY(mutex_) = false;
  std::thread thread_;  // last: uses the others
};

}  // namespace heddle::cli
