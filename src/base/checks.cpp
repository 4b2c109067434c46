#include "heddle/checks.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/fail.hpp"
#include "base/nearest.hpp"

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

// The tools of compute-sanitizer have names of their own: memcheck, racecheck, initcheck, synccheck.
std::string_view of_tool(std::string_view name) {
  constexpr std::string_view end = "check";
  if (name == "memcheck") return "memory";
  return name.size() > end.size() && name.ends_with(end) ? name.substr(0, name.size() - end.size()) : name;
}

[[noreturn]] void refuse(std::string_view name) {
  std::vector<std::string> names{"all"};
  std::string list = "there are all";
  for (const Kind& kind : kinds) {
    names.emplace_back(kind.name);
    list += ", " + names.back();
  }
  base::fail(ErrorCode::invalid_argument, "'{}' is no kind of check{}", name,
             base::before_list(of_tool(name), names, list));
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
