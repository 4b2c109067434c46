// Random kernels from the command line:
//   heddle_random_kernel --seed N [--print]            the kernel's text, or whether the devices agree on it
//   heddle_random_kernel --seed N --reduce SECONDS     the smallest kernel found with the same difference
//   heddle_random_kernel --seed N --slice out32[169]   the lines that led to the interpreter's value there
//   heddle_random_kernel --range BEGIN:END             one line for each seed on which they do not agree
//   heddle_random_kernel --file F                      the same of a file
//   ... --instructions                                 kernels of single instructions instead
//   ... --for-gpu                                      without what GPUs are known to do otherwise
//   ... --together                                     without a process for each kernel
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "random/comparison.hpp"
#include "random/slice.hpp"

namespace heddle::test::random_kernel {
namespace {

constexpr unsigned seconds_a_kernel = 30;

struct Tool {
  const Run& run;
  bool apart = true, instructions = false, for_gpu = false;
  Program program(std::uint64_t seed) const {
    return instructions ? generate_instructions(seed, for_gpu) : generate(seed, for_gpu);
  }
  Comparison compare(const std::string& text, unsigned seconds = seconds_a_kernel) const {
    return apart ? compare_apart(text, run, seconds) : compare_with_interp(text, run);
  }
};

int run_range(const Tool& tool, const std::string& range) {
  const std::size_t colon = range.find(':');
  const std::uint64_t begin = std::stoull(range), end = std::stoull(range.substr(colon + 1));
  int bad = 0;
  for (std::uint64_t seed = begin; seed < end; ++seed) {
    const Comparison comparison = tool.compare(tool.program(seed).text());
    if (comparison.verdict == Verdict::equal) continue;
    ++bad;
    std::printf("seed %llu %s: %s\n", static_cast<unsigned long long>(seed), name(comparison.verdict),
                comparison.text.c_str());
    std::fflush(stdout);
  }
  return bad != 0;
}

int run_seed(const Tool& tool, std::uint64_t seed, bool print, unsigned reduce_seconds) {
  const Program program = tool.program(seed);
  if (print) return std::fputs(program.text().c_str(), stdout) < 0;
  Comparison comparison = tool.compare(program.text());
  if (comparison.verdict != Verdict::equal && reduce_seconds > 0) {
    const unsigned patience = comparison.verdict == Verdict::crashed ? 4 : 10;
    const auto judge = [&](const std::string& text) { return tool.compare(text, patience); };
    const std::string text = reduce(program, judge, comparison.verdict, reduce_seconds).text();
    comparison = tool.compare(text);
    std::fputs(text.c_str(), stdout);
  }
  std::printf("// %s: %s\n", name(comparison.verdict), comparison.text.c_str());
  return comparison.verdict != Verdict::equal;
}

std::string text_of(const std::string& file) {
  std::ifstream stream(file);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

int run_slice(const std::string& text, const std::string& element) {
  try {
    return std::fputs(slice(text, element).c_str(), stdout) < 0;
  } catch (const std::exception& error) {
    return std::fprintf(stderr, "%s\n", error.what()), 1;
  }
}

int run_file(const Tool& tool, const std::string& file) {
  const Comparison comparison = tool.compare(text_of(file));
  std::printf("%s: %s\n", name(comparison.verdict), comparison.text.c_str());
  return comparison.verdict != Verdict::equal;
}

}  // namespace

int tool_main(int argc, char** argv, const Run& run) {
  Tool tool{run};
  std::uint64_t seed = 0;
  std::string range, file, element;
  bool print = false;
  unsigned reduce_seconds = 0;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i], value = i + 1 < argc ? argv[i + 1] : "";
    if (word == "--range")
      range = value, ++i;
    else if (word == "--file")
      file = value, ++i;
    else if (word == "--seed")
      seed = std::strtoull(value.c_str(), nullptr, 0), ++i;
    else if (word == "--reduce")
      reduce_seconds = static_cast<unsigned>(std::atoi(value.c_str())), ++i;
    else if (word == "--slice")
      element = value, ++i;
    else if (word == "--print")
      print = true;
    else if (word == "--together")
      tool.apart = false;
    else if (word == "--for-gpu")
      tool.for_gpu = true;
    else if (word == "--instructions")
      tool.instructions = true;
    else
      return std::fprintf(stderr, "unknown option %s\n", word.c_str()), 2;
  }
  if (!range.empty()) return run_range(tool, range);
  if (!element.empty()) return run_slice(file.empty() ? tool.program(seed).text() : text_of(file), element);
  return file.empty() ? run_seed(tool, seed, print, reduce_seconds) : run_file(tool, file);
}

}  // namespace heddle::test::random_kernel
