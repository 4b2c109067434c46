#include "sched/policy_parameter.hpp"

#include <charconv>

#include "base/fail.hpp"

namespace heddle::sched {

PolicyText split_policy(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == text.npos) return {text, {}};
  const PolicyText split{text.substr(0, colon), text.substr(colon + 1)};
  if (split.parameter.empty())
    base::fail(ErrorCode::invalid_argument,
               "the policy '{}' ends with a colon, and no parameter follows; without the colon a policy has its usual "
               "parameter",
               text);
  return split;
}

std::uint64_t number_of(const NumberParameter& parameter, std::string_view text) {
  if (text.empty()) return parameter.otherwise;
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < parameter.least || value > parameter.most)
    base::fail(ErrorCode::invalid_argument,
               "the parameter of the policy '{}' is '{}'; it is {}, a whole number from {} to {} (without one: {})",
               parameter.policy, text, parameter.what, parameter.least, parameter.most, parameter.otherwise);
  return value;
}

}  // namespace heddle::sched
