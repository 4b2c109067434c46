// What a survey has found, for people (markdown) and as figures.
#pragma once

#include <string>
#include <vector>

#include "compat/survey.hpp"
#include "support/results.hpp"

namespace heddle::bench {

struct Report {
  const ProgramList& list;
  std::vector<Way> ways;
  std::vector<Row> rows;
};

struct Count {
  std::size_t passed = 0, counted = 0;  // left out: not counted
  double percent() const {
    return counted == 0 ? 0 : 100.0 * static_cast<double>(passed) / static_cast<double>(counted);
  }
};
Count count(const Report& report, std::size_t way);

// "passed 1.25 s", "refused: heddle error: ..."
std::string cell(const Judgement& judgement);

// Tables with a row for each program, one table for each group; figures for each way; what did not pass, by verdict.
std::string markdown(const Report& report, const std::string& device);

// For each way the percentage that passed, against the list's bar. Where there is a bare way: for each program that
// passed in it too, how many times as long it takes in the others, without a bar.
void add_results(const Report& report, Results& results);

}  // namespace heddle::bench
