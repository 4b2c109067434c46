// What a tenant reports to the daemon in its ring. The reader checks each value.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/printable.hpp"
#include "daemon/ring.hpp"
#include "sched/policy/granted.hpp"

namespace heddle::daemon {

// Ranges that have ended since the last such message, and the time that they took together.
struct Ended {
  std::uint64_t ranges = 0;
  double seconds = 0;
};
// A range was submitted. Names come before they are used.
struct Decided {
  std::uint64_t now_ns = 0, waited_ns = 0;  // by the machine's monotonic clock; since the launch was made
  std::uint64_t begin = 0, end = 0, of_blocks = 0;
  std::uint32_t units = 0, of_units = 0;
  std::uint32_t name = 0;  // the number of a kernel's name
  sched::Submitted::Why why = sched::Submitted::Why::alone;
  std::optional<std::uint64_t> predicted_ns = {};
};
struct Name {
  std::uint32_t number = 0;
  std::string text;
};

constexpr std::uint32_t most_names = 256;  // of a tenant's process; the last number is for all others
constexpr std::size_t longest_kernel_name = 48;

inline Message encode(const Ended& ended) { return {1, ended.ranges, static_cast<std::uint64_t>(ended.seconds * 1e9)}; }
inline Message encode(const Decided& decided) {
  return {2,
          decided.now_ns,
          decided.waited_ns,
          decided.begin,
          decided.end,
          decided.of_blocks,
          decided.units | std::uint64_t{decided.of_units} << 16 |
              std::uint64_t{static_cast<std::uint8_t>(decided.why)} << 32 | std::uint64_t{decided.name} << 40,
          decided.predicted_ns ? *decided.predicted_ns + 1 : 0};
}
inline Message encode_name(std::uint32_t number, std::string_view text) {
  Message message{3, number};
  std::memcpy(&message[2], text.data(), std::min(text.size(), longest_kernel_name));
  return message;
}

namespace detail {

constexpr std::uint64_t day_ns = 86'400'000'000'000;

inline std::optional<Ended> ended_of(const Message& message) {
  constexpr std::uint64_t most_ranges = std::uint64_t{1} << 32;
  if (message[1] > most_ranges || message[2] > day_ns) return std::nullopt;
  for (std::size_t i = 3; i < message.size(); ++i)
    if (message[i] != 0) return std::nullopt;
  return Ended{message[1], static_cast<double>(message[2]) * 1e-9};
}

inline std::optional<Decided> decided_of(const Message& message) {
  const std::uint64_t why = message[6] >> 32 & 0xff, name = message[6] >> 40;
  if (message[2] > day_ns || message[3] > message[4] || message[7] > day_ns || name >= most_names ||
      why > static_cast<std::uint64_t>(sched::Submitted::Why::waited))
    return std::nullopt;
  Decided made{message[1],
               message[2],
               message[3],
               message[4],
               message[5],
               static_cast<std::uint32_t>(message[6] & 0xffff),
               static_cast<std::uint32_t>(message[6] >> 16 & 0xffff),
               static_cast<std::uint32_t>(name),
               static_cast<sched::Submitted::Why>(why),
               {}};
  if (message[7] != 0) made.predicted_ns = message[7] - 1;
  return made;
}

inline std::optional<Name> name_of(const Message& message) {
  if (message[1] >= most_names) return std::nullopt;
  char text[longest_kernel_name];
  std::memcpy(text, &message[2], sizeof text);
  const std::string_view all(text, ::strnlen(text, sizeof text));
  if (all.empty()) return std::nullopt;
  return Name{static_cast<std::uint32_t>(message[1]), base::printable(all)};
}

}  // namespace detail

using Event = std::variant<Ended, Decided, Name>;

// Nothing: no such message, or one with values that cannot be.
inline std::optional<Event> decode(const Message& message) {
  const auto any = [](auto made) { return made ? std::optional<Event>(std::move(*made)) : std::nullopt; };
  switch (message[0]) {
    case 1: return any(detail::ended_of(message));
    case 2: return any(detail::decided_of(message));
    case 3: return any(detail::name_of(message));
    default: return std::nullopt;
  }
}

}  // namespace heddle::daemon
