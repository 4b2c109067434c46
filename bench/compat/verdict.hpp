// What became of a program.
#pragma once

#include <string>

#include "compat/list.hpp"
#include "compat/process.hpp"

namespace heddle::bench {

enum class Verdict { passed, failed, refused, timed_out, crashed, left_out };

const char* text_of(Verdict verdict);  // "timed out"

struct Judgement {
  Verdict verdict = Verdict::failed;
  std::string reason;  // one line; empty when it passed
  double seconds = 0;  // median of the runs, of a program that passed
};

// Refused: it did not pass, and Heddle has said why in a line of its own. The reason is Heddle's first line, else what
// the program wrote about an error, else what was expected of it.
Judgement judge(const Program& program, const Ended& ended);

}  // namespace heddle::bench
