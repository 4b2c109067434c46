#include "heddle/checks.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "base/fail.hpp"

namespace heddle {
namespace {

struct Kind {
  std::string_view name;
  bool Checks::* member;
};
constexpr std::array<Kind, 6> kinds = {{{"memory", &Checks::memory},
                                        {"race", &Checks::race},
                                        {"init", &Checks::init},
                                        {"sync", &Checks::sync},
                                        {"api", &Checks::api},
                                        {"leak", &Checks::leak}}};

// How many letters must be changed, added or left out to make one word of the other (Levenshtein, 1966).
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row[b.size()];
}

// The tools of compute-sanitizer have names of their own: memcheck, racecheck, initcheck, synccheck.
std::string_view without_check(std::string_view name) {
  constexpr std::string_view end = "check";
  return name.size() > end.size() && name.ends_with(end) ? name.substr(0, name.size() - end.size()) : name;
}

[[noreturn]] void refuse(std::string_view name) {
  constexpr std::size_t near = 3;
  std::string_view best;
  std::size_t least = near + 1;
  std::string list = "all";
  for (const Kind& kind : kinds) {
    list += ", " + std::string(kind.name);
    const std::size_t away = std::min(distance(name, kind.name), distance(without_check(name), kind.name));
    if (away >= least || away >= kind.name.size()) continue;
    least = away;
    best = kind.name;
  }
  base::fail(ErrorCode::invalid_argument, "'{}' is no kind of check{}; there are {}", name,
             best.empty() ? std::string() : ": did you mean '" + std::string(best) + "'?", list);
}

}  // namespace

Checks Checks::parse(std::string_view names) {
  if (names.empty()) return {true};
  Checks made;
  for (;;) {
    const std::size_t comma = names.find(',');
    const std::string_view name = names.substr(0, comma);
    const auto* const found = std::find_if(kinds.begin(), kinds.end(), [&](const Kind& k) { return k.name == name; });
    if (name == "all")
      made = all();
    else if (found == kinds.end())
      refuse(name);
    else
      made.*found->member = true;
    if (comma == std::string_view::npos) return made;
    names.remove_prefix(comma + 1);
  }
}

std::string Checks::names() const {
  std::string list;
  for (const Kind& kind : kinds)
    if (this->*kind.member) list += (list.empty() ? "" : ",") + std::string(kind.name);
  return list;
}

}  // namespace heddle
