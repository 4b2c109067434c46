// Runs a list of programs in one or several ways: as they are, through `heddle run`, with launches cut into slices.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "compat/list.hpp"
#include "compat/verdict.hpp"

namespace heddle::bench {

struct Way {
  std::string title;               // "heddle --slice 64"
  std::vector<std::string> front;  // words before the program's; empty: it runs as it is
};

struct SurveyOptions {
  std::filesystem::path heddle;  // the program
  std::string device;            // empty: heddle run's own choice
  std::uint64_t slice = 0;       // 0: no way with slices
  bool bare = false;             // a way without Heddle, the first
  int rounds = 1;                // a program's time is the median of these runs, in each way
  int jobs = 1;                  // programs at a time
  double patience = 1;           // the time limits of the list, times this: for a busy machine
  double seconds = 0;            // after so many no other program is started; 0: no such limit
  std::filesystem::path logs;    // PROGRAM.WAY.log in this folder
};

std::vector<Way> ways_of(const SurveyOptions& options);

struct Row {
  const Program* program = nullptr;
  std::vector<Judgement> judgements;  // one for each way; none for a program that was left out
};

// The rows in the order of the list. `done` is told of each program as it ends, one at a time: its row, and how many
// are done. What was not run when interrupted, or when the time was over, is not among the rows.
std::vector<Row> survey(const ProgramList& list, const SurveyOptions& options,
                        const std::function<void(const Row&, std::size_t done)>& done);

}  // namespace heddle::bench
