// The HEDDLE_ variables that are set.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "doctor/checks.hpp"

namespace heddle::doctor {
namespace {

constexpr std::string_view prefix = "HEDDLE_";
constexpr std::size_t near = 3;  // changes of a letter

// Of the test programs, benchmarks and scripts; no mistake where somebody works on Heddle.
constexpr const char* of_tests[] = {"HEDDLE_COMMIT",        "HEDDLE_CUDA12_INCLUDE",   "HEDDLE_MATH_SAMPLES",
                                    "HEDDLE_MATH_TABLE",    "HEDDLE_OCELOT_PTX",       "HEDDLE_PROGRAM",
                                    "HEDDLE_RANDOM_SEEDS",  "HEDDLE_RESULTS",          "HEDDLE_ROUNDS",
                                    "HEDDLE_SM100",         "HEDDLE_SOURCE",           "HEDDLE_TEST_GPU",
                                    "HEDDLE_TEST_DATA",     "HEDDLE_TEST_ALL_WIDTHS",  "HEDDLE_PROGRAM_SEEDS",
                                    "HEDDLE_JIT_FAULTS",    "HEDDLE_JIT_OPTIMIZATION", "HEDDLE_UPDATE",
                                    "HEDDLE_ZLUDA_KERNELS", "HEDDLE_ZLUDA_PTX",        "HEDDLE_CUDASTF"};

// Letters to insert, remove or replace.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t corner = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = corner + (a[i - 1] == b[j - 1] ? 0 : 1);
      corner = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

bool is_known(std::string_view name) {
  const auto same = [&](const Variable& variable) { return name == variable.name; };
  return std::any_of(known_variables().begin(), known_variables().end(), same) ||
         std::find(std::begin(of_tests), std::end(of_tests), name) != std::end(of_tests);
}

std::string nearest(std::string_view name) {
  std::size_t best = near + 1;
  std::string found;
  for (const Variable& variable : known_variables()) {
    const std::size_t d = distance(name, variable.name);
    if (d < best) best = d, found = variable.name;
  }
  return found;
}

}  // namespace

const std::vector<Variable>& known_variables() {
  static const std::vector<Variable> all = {
      {"HEDDLE_CACHE_DIR", "folder for compiled kernels"},
      {"HEDDLE_CLANG", "the clang that compiles CUDA C++"},
      {"HEDDLE_COMPILER", "what compiles CUDA C++: clang or nvrtc"},
      {"HEDDLE_CPU_FEATURES", "features of the processor to do without, as -avx512f"},
      {"HEDDLE_CPU_WORKERS", "threads of the CPU device"},
      {"HEDDLE_DEADLOCK_MS", "how long kernels may wait for nothing before that is a deadlock"},
      {"HEDDLE_DUMP_IR", "prints the LLVM IR of kernels"},
      {"HEDDLE_NVRTC", "NVIDIA's NVRTC: the library or its folder"},
      {"HEDDLE_PTXAS", "NVIDIA's assembler, which Heddle's own tests ask"},
      {"HEDDLE_RUN_CHECK", "heddle run --check, for the libraries of the program"},
      {"HEDDLE_RUN_DEVICE", "heddle run --device"},
      {"HEDDLE_RUN_POLICY", "heddle run --policy"},
      {"HEDDLE_RUN_PROGRESS", "1: CUDA programs show on a terminal that they wait; heddle run sets it"},
      {"HEDDLE_RUN_SLICE", "heddle run --slice"},
      {"HEDDLE_RUN_TRACE", "heddle run --trace"},
      {"HEDDLE_RUN_TRACE_CLAIM", "1: only the first process writes that file, others beside it; heddle run sets it"},
      {"HEDDLE_LOG", "messages: trace, debug, info, warn, error or off"},
  };
  return all;
}

Finding check_environment(const std::vector<std::string>& environment) {
  std::vector<std::string> set;
  std::string unknown, mend;
  for (const std::string& entry : environment) {
    if (!entry.starts_with(prefix)) continue;
    const std::string name = entry.substr(0, entry.find('='));
    if (is_known(name)) {
      set.push_back(entry);
      continue;
    }
    unknown += (unknown.empty() ? "" : ", ") + name;
    if (const std::string meant = nearest(name); !meant.empty())
      mend += fmt::format("{}{} may be meant as {}.", mend.empty() ? "" : " ", name, meant);
  }
  std::sort(set.begin(), set.end());
  const std::string known = set.empty() ? "no HEDDLE_ variable is set" : fmt::format("{}", fmt::join(set, ", "));
  if (unknown.empty()) return good("environment", known);
  std::string names;
  for (const Variable& variable : known_variables()) names += (names.empty() ? "" : ", ") + std::string(variable.name);
  if (mend.empty()) mend = "There are " + names + ".";
  return {"environment", Mark::wrong,
          fmt::format("nothing reads {}{}.", unknown, set.empty() ? "" : "; set besides: " + known), mend, false};
}

}  // namespace heddle::doctor
