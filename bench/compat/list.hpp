// The list of a folder of CUDA programs: which there are, how each is started, and how its success is recognised.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::bench {

struct Program {
  std::string name;
  std::string group;     // a heading of the table; may be empty
  std::string left_out;  // the reason; empty: it is run
  std::filesystem::path file, folder;
  std::vector<std::string> arguments;
  std::string passes, fails;  // regular expressions (ECMAScript) of what it writes; empty: not asked
  int exit_code = 0;          // of a success
  double seconds = 120;       // that it may take
};

struct ProgramList {
  std::string title;          // of the table; the folder's name where the list has none
  double least_percent = 95;  // of the counted programs that must pass
  std::vector<Program> programs;
};

// A list is text. A line that is not indented begins a program, "NAME: COMMAND" or "NAME: left out: REASON". Indented
// lines below it say more: "passes: REGEX", "fails: REGEX", "exit: CODE", "seconds: NUMBER", "folder: FOLDER". A
// command is words, with quotes where a word has spaces; its program and the folder are seen from `root`, and the
// folder is the program's own where none is named. "*:" instead of a program begins settings for all programs below it,
// "group: NAME" among them. "title: TEXT" and "at least: PERCENT" stand alone; # begins a comment. Throws
// invalid_argument with the line.
ProgramList parse_program_list(std::string_view text, const std::filesystem::path& root);

// "programs.txt" in `folder`. Throws not_found, invalid_argument.
ProgramList read_program_list(const std::filesystem::path& folder);

}  // namespace heddle::bench
