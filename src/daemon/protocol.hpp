// Packets on the daemon's socket. A tenant's process sends a hello, and gets its page; tools ask and set. A tenant may
// have several processes: all that say hello by its name.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sched/tenant.hpp"

namespace heddle::daemon {

struct Request {
  enum class Kind : std::uint32_t {
    hello = 1,   // the sender is this tenant from now on; the answer has its page
    set = 2,     // the settings of the tenant of that name
    status = 3,  // the answer is a text, in JSON
    stop = 4,
    look = 5,    // the sender's page has changed; there is no answer
    policy = 6,  // the policy of that name decides from now on
    explain = 7  // why the tenant of that name ran where and when it did, in the last window_ns; the answer is a text
  };
  Kind kind = Kind::status;
  sched::TenantSettings settings;
  std::uint64_t window_ns = 0;
};

// Answers to what is refused begin with this.
constexpr std::string_view refusal = "error: ";

constexpr std::size_t longest_name = 63;
constexpr std::size_t request_bytes = 104;
using RequestBytes = std::array<std::byte, request_bytes>;

// Throws invalid_argument for a name that is empty, too long, or has control characters.
RequestBytes encode(const Request& request);
// Nothing: no request of this version, or one whose values cannot be.
std::optional<Request> decode_request(std::span<const std::byte> bytes);

}  // namespace heddle::daemon
