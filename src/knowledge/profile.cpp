#include "knowledge/profile.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "base/fail.hpp"

namespace heddle::knowledge {

const char* name(Fission level) {
  switch (level) {
    case Fission::l1: return "L1";
    case Fission::l2: return "L2";
    case Fission::l3: return "L3";
    case Fission::numa: return "NUMA";
    case Fission::none: break;
  }
  return "none";
}

Fission fission_named(std::string_view text) {
  for (const Fission level : fission_levels)
    if (text == name(level)) return level;
  base::fail(ErrorCode::invalid_argument, "'{}' is no level of fission; there are L1, L2, L3, NUMA and none", text);
}

const char* name(Origin origin) {
  switch (origin) {
    case Origin::derived: return "derived";
    case Origin::built: return "built";
    case Origin::refined: break;
  }
  return "refined";
}

Origin origin_named(std::string_view text) {
  for (const Origin origin : {Origin::derived, Origin::built, Origin::refined})
    if (text == name(origin)) return origin;
  base::fail(ErrorCode::invalid_argument, "'{}' is no origin of a profile; there are derived, built and refined", text);
}

std::string text_of(const Workload& workload) {
  std::string text;
  for (const double extent : workload.extents) text += fmt::format("{}{:.17g}", text.empty() ? "" : "x", extent);
  return text + (workload.double_precision ? " double" : " single");
}

Workload workload_of(std::string_view text) {
  const auto refuse = [&] {
    base::fail(ErrorCode::invalid_argument, "'{}' is no workload; write one as \"4288x2848 single\"", text);
  };
  const std::size_t space = text.find(' ');
  if (space == text.npos) refuse();
  Workload workload;
  const std::string_view precision = text.substr(space + 1);
  if (precision != "single" && precision != "double") refuse();
  workload.double_precision = precision == "double";
  std::string_view extents = text.substr(0, space);
  while (!extents.empty()) {
    double extent = 0;
    const auto [end, error] = std::from_chars(extents.data(), extents.data() + extents.size(), extent);
    if (error != std::errc() || !(extent >= 1) || !std::isfinite(extent)) refuse();
    workload.extents.push_back(extent);
    extents.remove_prefix(static_cast<std::size_t>(end - extents.data()));
    if (extents.empty()) break;
    if (extents.front() != 'x' || extents.size() == 1) refuse();
    extents.remove_prefix(1);
  }
  if (workload.extents.empty()) refuse();
  return workload;
}

}  // namespace heddle::knowledge
