// A program as a process group of its own, with a time limit.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace heddle::bench {

struct Command {
  std::vector<std::string> words;  // the program first
  std::filesystem::path folder;    // where it runs
  double seconds = 120;            // after these its group is killed
};

struct Ended {
  int code = -1;   // its exit code; -1 when a signal ended it
  int signal = 0;  // 0: none
  bool timed_out = false;
  double seconds = 0;
  std::string output;       // stdout and stderr as they were written; of more than 4 MiB the first and the last half
  std::string not_started;  // why; empty: it was started
};

// Runs it to its end, its standard input empty and its output kept in `log`. What it leaves running in its group is
// ended too. No core files. Several threads may run programs at once.
Ended run_to_end(const Command& command, const std::filesystem::path& log);

// Ends what runs and what is started from now on; async-signal-safe.
void interrupt_all() noexcept;
bool interrupted() noexcept;

}  // namespace heddle::bench
