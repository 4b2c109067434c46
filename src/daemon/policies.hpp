// The policies between processes, for people.
#pragma once

#include <span>
#include <string_view>

namespace heddle::daemon {

// Of a daemon that was told none.
constexpr const char* default_policy = "lithos";

// A name that make_arbiter() takes, with what it does: "timeslice", "MICROSECONDS".
struct KnownPolicy {
  std::string_view name, parameter, rule;
};
std::span<const KnownPolicy> known_policies();

}  // namespace heddle::daemon
