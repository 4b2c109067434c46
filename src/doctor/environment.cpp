// The HEDDLE_ variables that are set.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/nearest.hpp"
#include "base/printable.hpp"
#include "base/variables.hpp"
#include "doctor/checks.hpp"

namespace heddle::doctor {
namespace {

constexpr std::string_view prefix = "HEDDLE_";

// Of the test programs, benchmarks and scripts; no mistake where somebody works on Heddle.
constexpr const char* of_tests[] = {
    "HEDDLE_COMMIT",     "HEDDLE_CUDA12_INCLUDE",   "HEDDLE_MATH_SAMPLES",    "HEDDLE_MATH_TABLE",
    "HEDDLE_OCELOT_PTX", "HEDDLE_PROGRAM",          "HEDDLE_RANDOM_SEEDS",    "HEDDLE_RANDOM_VARIANTS",
    "HEDDLE_RESULTS",    "HEDDLE_ROUNDS",           "HEDDLE_SM100",           "HEDDLE_SOURCE",
    "HEDDLE_TEST_GPU",   "HEDDLE_TEST_DATA",        "HEDDLE_TEST_ALL_WIDTHS", "HEDDLE_PROGRAM_SEEDS",
    "HEDDLE_JIT_FAULTS", "HEDDLE_JIT_OPTIMIZATION", "HEDDLE_UPDATE",          "HEDDLE_ZLUDA_KERNELS",
    "HEDDLE_ZLUDA_PTX",  "HEDDLE_CUDASTF"};

const base::Variable* find(std::string_view name) {
  for (const base::Variable& variable : base::variables())
    if (variable.name == name) return &variable;
  return nullptr;
}

std::vector<std::string> known_names(std::size_t without) {
  std::vector<std::string> names;
  for (const base::Variable& variable : base::variables()) names.emplace_back(variable.name.substr(without));
  return names;
}

// What may be meant by a name with the prefix. All names have that, so that it says nothing.
std::string meant_by(std::string_view name) {
  std::string text;
  const std::vector<std::string> all = base::meant_by(name.substr(prefix.size()), known_names(prefix.size()));
  for (std::size_t i = 0; i < all.size(); ++i)
    text += fmt::format("{}{}{}", i == 0 ? "" : i + 1 == all.size() ? " or " : ", ", prefix, all[i]);
  return text;
}

// A variable with a wrong prefix belongs to another program, unless it differs from one of Heddle's in one letter.
std::string mistyped(const std::string& name) {
  if (name.size() < prefix.size()) return {};
  const std::string meant = base::nearest(name, known_names(0));
  const auto upper = [](std::string text) {
    for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return text;
  };
  return !meant.empty() && base::edit_distance(upper(name), meant) <= 1 ? meant : "";
}

}  // namespace

Finding check_environment(const std::vector<std::string>& environment) {
  std::vector<std::string> set;
  std::string unknown, mend, refused;
  bool no_idea = false;  // of what some unknown one may mean
  for (const std::string& entry : environment) {
    const std::string name = entry.substr(0, entry.find('=')),
                      value = entry.substr(std::min(name.size() + 1, entry.size()));
    const bool has_prefix = name.starts_with(prefix);
    std::string meant = has_prefix ? std::string() : mistyped(name);
    if (!has_prefix && meant.empty()) continue;
    if (const base::Variable* const variable = find(name)) {
      const std::string why = base::complaint(*variable, value);
      refused += (refused.empty() || why.empty() ? "" : " ") + why;
      if (why.empty())
        set.push_back(
            fmt::format("{} ({})", base::printable(entry), base::printable(base::effect_of(*variable, value))));
      continue;
    }
    if (std::find(std::begin(of_tests), std::end(of_tests), name) != std::end(of_tests)) {
      set.push_back(base::printable(entry) + " (read by tests and scripts)");
      continue;
    }
    unknown += (unknown.empty() ? "" : ", ") + name;
    if (has_prefix) meant = meant_by(name);
    if (!meant.empty()) mend += fmt::format("{}{} may be meant as {}.", mend.empty() ? "" : " ", name, meant);
    no_idea = no_idea || meant.empty();
  }
  std::sort(set.begin(), set.end());
  const std::string known = set.empty() ? "no HEDDLE_ variable is set" : fmt::format("{}", fmt::join(set, ", "));
  if (unknown.empty() && refused.empty()) return good("environment", known);
  std::string text =
      unknown.empty() ? refused : fmt::format("nothing reads {}.{}", unknown, refused.empty() ? "" : " " + refused);
  if (!set.empty()) text += " Set besides: " + known + ".";
  if (no_idea) mend += fmt::format("{}There are {}.", mend.empty() ? "" : " ", fmt::join(known_names(0), ", "));
  return {"environment", Mark::wrong, text, mend, false};
}

}  // namespace heddle::doctor
