// Rows of a table in a file, so that a survey can be made in several parts: a line of JSON for each program that was
// run.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compat/survey.hpp"

namespace heddle::bench {

// {"program": "add", "results": [{"way": "bare", "verdict": "passed", "reason": "", "seconds": 1.5}, ...]}, without the
// end of the line; results are empty for a program that was left out.
std::string row_line(const Row& row, std::span<const Way> ways);

struct Merged {
  std::vector<Way> ways;             // in the order of the rows; only a way called "bare" has no words in front
  std::vector<Row> rows;             // in the order of the list; of a program that has several, the last
  std::vector<std::string> missing;  // programs of the list that have none
};

// What files with such lines say of the list's programs. `texts`: name and content of each. Throws invalid_argument
// with file and line for what is no row, for programs that the list does not have, and for rows with other ways than
// the first.
Merged merge_rows(const ProgramList& list, std::span<const std::pair<std::string, std::string>> texts);

// "2/3": every third program of the list from the second on. Throws invalid_argument.
void keep_part(ProgramList& list, std::string_view part);

}  // namespace heddle::bench
