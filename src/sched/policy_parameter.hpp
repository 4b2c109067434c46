// The text of a policy, "NAME" or "NAME:PARAMETER", and parameters that are whole numbers.
#pragma once

#include <cstdint>
#include <string_view>

namespace heddle::sched {

struct PolicyText {
  std::string_view name, parameter;
};
// Throws invalid_argument where nothing follows the colon.
PolicyText split_policy(std::string_view text);

// What a policy's parameter is.
struct NumberParameter {
  std::string_view policy;
  std::string_view what;  // "the number of blocks in a range"
  std::uint64_t least, most, otherwise;
};
// The number; `otherwise` for an empty text. Throws invalid_argument with the policy, the text and the range.
std::uint64_t number_of(const NumberParameter& parameter, std::string_view text);

}  // namespace heddle::sched
