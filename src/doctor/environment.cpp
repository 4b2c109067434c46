// The HEDDLE_ variables that are set.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/variables.hpp"
#include "doctor/checks.hpp"

namespace heddle::doctor {
namespace {

constexpr std::string_view prefix = "HEDDLE_";
constexpr std::size_t near = 3;  // changes of a letter

// Of the test programs, benchmarks and scripts; no mistake where somebody works on Heddle.
constexpr const char* of_tests[] = {
    "HEDDLE_COMMIT",     "HEDDLE_CUDA12_INCLUDE",   "HEDDLE_MATH_SAMPLES",    "HEDDLE_MATH_TABLE",
    "HEDDLE_OCELOT_PTX", "HEDDLE_PROGRAM",          "HEDDLE_RANDOM_SEEDS",    "HEDDLE_RANDOM_VARIANTS",
    "HEDDLE_RESULTS",    "HEDDLE_ROUNDS",           "HEDDLE_SM100",           "HEDDLE_SOURCE",
    "HEDDLE_TEST_GPU",   "HEDDLE_TEST_DATA",        "HEDDLE_TEST_ALL_WIDTHS", "HEDDLE_PROGRAM_SEEDS",
    "HEDDLE_JIT_FAULTS", "HEDDLE_JIT_OPTIMIZATION", "HEDDLE_UPDATE",          "HEDDLE_ZLUDA_KERNELS",
    "HEDDLE_ZLUDA_PTX",  "HEDDLE_CUDASTF"};

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

const base::Variable* find(std::string_view name) {
  for (const base::Variable& variable : base::variables())
    if (variable.name == name) return &variable;
  return nullptr;
}

std::string nearest(std::string_view name) {
  std::size_t best = near + 1;
  std::string found;
  for (const base::Variable& variable : base::variables()) {
    const std::size_t d = distance(name, variable.name);
    if (d < best) best = d, found = variable.name;
  }
  return found;
}

}  // namespace

Finding check_environment(const std::vector<std::string>& environment) {
  std::vector<std::string> set;
  std::string unknown, mend, refused;
  for (const std::string& entry : environment) {
    if (!entry.starts_with(prefix)) continue;
    const std::string name = entry.substr(0, entry.find('=')),
                      value = entry.substr(std::min(name.size() + 1, entry.size()));
    if (const base::Variable* const variable = find(name)) {
      const std::string why = base::complaint(*variable, value);
      refused += (refused.empty() || why.empty() ? "" : " ") + why;
      if (why.empty()) set.push_back(fmt::format("{} ({})", entry, base::effect_of(*variable, value)));
      continue;
    }
    if (std::find(std::begin(of_tests), std::end(of_tests), name) != std::end(of_tests)) {
      set.push_back(entry + " (read by tests and scripts)");
      continue;
    }
    unknown += (unknown.empty() ? "" : ", ") + name;
    if (const std::string meant = nearest(name); !meant.empty())
      mend += fmt::format("{}{} may be meant as {}.", mend.empty() ? "" : " ", name, meant);
  }
  std::sort(set.begin(), set.end());
  const std::string known = set.empty() ? "no HEDDLE_ variable is set" : fmt::format("{}", fmt::join(set, ", "));
  if (unknown.empty() && refused.empty()) return good("environment", known);
  std::string text =
      unknown.empty() ? refused : fmt::format("nothing reads {}.{}", unknown, refused.empty() ? "" : " " + refused);
  if (!set.empty()) text += " Set besides: " + known + ".";
  std::string names;
  for (const base::Variable& variable : base::variables())
    names += (names.empty() ? "" : ", ") + std::string(variable.name);
  if (mend.empty() && !unknown.empty()) mend = "There are " + names + ".";
  return {"environment", Mark::wrong, text, mend, false};
}

}  // namespace heddle::doctor
