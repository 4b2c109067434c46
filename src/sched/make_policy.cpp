#include "sched/make_policy.hpp"

#include <charconv>

#include "base/fail.hpp"
#include "sched/policy/bounded.hpp"
#include "sched/policy/slice.hpp"

namespace heddle::sched {
namespace {

constexpr std::uint64_t default_slice = 64, default_microseconds = 500;

std::uint64_t number_of(std::string_view name, std::string_view text, std::uint64_t otherwise) {
  if (text.empty()) return otherwise;
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value == 0)
    base::fail(ErrorCode::invalid_argument, "the parameter of the policy '{}' is '{}'; it must be a positive number",
               name, text);
  return value;
}

}  // namespace

std::unique_ptr<Policy> make_policy(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  const std::string_view parameter = colon == text.npos ? std::string_view() : text.substr(colon + 1);
  if (name.empty() || name == "direct") return nullptr;
  if (name == "slice") return std::make_unique<SlicePolicy>(number_of(name, parameter, default_slice));
  if (name == "bounded") {
    const std::uint64_t microseconds = number_of(name, parameter, default_microseconds);
    return std::make_unique<BoundedPolicy>(static_cast<double>(microseconds) * 1e-6);
  }
  base::fail(
      ErrorCode::invalid_argument,
      "there is no policy '{}'; there are direct, slice:BLOCKS (default {}) and bounded:MICROSECONDS (default {})",
      name, default_slice, default_microseconds);
}

}  // namespace heddle::sched
