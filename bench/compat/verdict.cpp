#include "compat/verdict.hpp"

#include <fmt/format.h>

#include <cstring>
#include <regex>
#include <sstream>

namespace heddle::bench {
namespace {

constexpr std::size_t longest_reason = 240;

std::string first_line(const std::string& output, const std::regex& wanted) {
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    // Beyond this std::regex may need more stack than there is.
    if (line.size() > 4096) line.resize(4096);
    if (std::regex_search(line, wanted)) return line;
  }
  return {};
}

bool has_line(const std::string& output, const std::string& expression) {
  return !first_line(output, std::regex(expression)).empty();
}

std::string cut(std::string line) {
  std::erase_if(line, [](char c) { return static_cast<unsigned char>(c) < ' '; });
  return line.size() <= longest_reason ? line : line.substr(0, longest_reason - 3) + "...";
}

// "heddle: ..." of the program, "heddle error: ..." of the libraries; warnings are no reason.
std::string heddle_says(const std::string& output) {
  static const std::regex line("^heddle( error)?: ");
  return cut(first_line(output, line));
}

std::string program_says(const std::string& output) {
  static const std::regex line("error|fail|mismatch|not support|n't support|waiv|cannot|unable|wrong",
                               std::regex::icase);
  return cut(first_line(output, line));
}

}  // namespace

const char* text_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::passed: return "passed";
    case Verdict::failed: return "failed";
    case Verdict::refused: return "refused";
    case Verdict::timed_out: return "timed out";
    case Verdict::crashed: return "crashed";
    case Verdict::left_out: return "left out";
  }
  return "?";
}

Judgement judge(const Program& program, const Ended& ended) {
  if (!ended.not_started.empty()) return {Verdict::failed, "it cannot be started: " + ended.not_started, 0};
  if (ended.timed_out) return {Verdict::timed_out, fmt::format("ended after {:.3g} s", ended.seconds), 0};
  std::string expected;
  if (ended.signal != 0)
    expected = fmt::format("signal {}, {}", ended.signal, ::strsignal(ended.signal));
  else if (ended.code != program.exit_code)
    expected = fmt::format("exit code {}", ended.code);
  else if (!program.fails.empty() && has_line(ended.output, program.fails))
    expected = cut(first_line(ended.output, std::regex(program.fails)));
  else if (!program.passes.empty() && !has_line(ended.output, program.passes))
    expected = fmt::format("no line fits {}", program.passes);
  if (expected.empty()) return {Verdict::passed, "", ended.seconds};

  const std::string heddle = heddle_says(ended.output);
  if (ended.signal != 0) return {Verdict::crashed, heddle.empty() ? expected : expected + "; " + heddle, 0};
  if (!heddle.empty()) return {Verdict::refused, heddle, 0};
  const std::string said = program_says(ended.output);
  return {Verdict::failed, said.empty() || said == expected ? expected : expected + ": " + said, 0};
}

}  // namespace heddle::bench
