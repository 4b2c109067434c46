// Runs a random kernel on the interpreter and on another device.
#pragma once

#include <functional>
#include <string>

#include "random/program.hpp"
#include "support/ptx_test.hpp"

namespace heddle::test::random_kernel {

enum class Verdict : int {
  equal,
  different,  // results differ
  failed,     // the device reports an error
  refused,    // it says that it does not do this: ErrorCode::unsupported
  invalid,    // the interpreter does: the kernel is not what a random kernel should be
  crashed,    // the process died, or ran out of time (compare_apart)
  endless,    // it ran out of time (differential)
};
constexpr int verdict_count = 7;
const char* name(Verdict verdict);

struct Comparison {
  Verdict verdict = Verdict::equal;
  std::string text;  // the first values that differ, or the error
};

// The device in question.
using Run = std::function<CaseResult(const PtxCase&)>;
CaseResult run_on_cpu(const PtxCase& c);
CaseResult run_on_interp(const PtxCase& c);

// A device's result against the interpreter's.
Comparison compare_results(const PtxCase& c, const CaseResult& want, const CaseResult& got);
Comparison compare_with_interp(const std::string& text, const Run& run);
// The same in a process of its own that is ended after `seconds`.
Comparison compare_apart(const std::string& text, const Run& run, unsigned seconds);

// Some instruction may read a register that was never written. Such a kernel tells nothing.
bool reads_uninitialised(const std::string& text);

// A smaller program with the same verdict: statements, arms and turns taken away for as long as that stays so.
using Judge = std::function<Comparison(const std::string& text)>;
Program reduce(Program program, const Judge& judge, Verdict verdict, unsigned seconds);

// The command line (cpu_main.cpp).
int tool_main(int argc, char** argv, const Run& run);

}  // namespace heddle::test::random_kernel
