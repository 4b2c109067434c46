// Packets on the daemon's socket. A tenant's process sends a hello, and gets its page; tools ask and set.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "sched/tenant.hpp"

namespace heddle::daemon {

struct Request {
  enum class Kind : std::uint32_t {
    hello = 1,   // the sender is this tenant from now on; the answer has its page
    set = 2,     // the settings of the tenant of that name
    status = 3,  // the answer is a text, in JSON
    stop = 4,
    look = 5  // the sender's page has changed; there is no answer
  };
  Kind kind = Kind::status;
  sched::TenantSettings settings;
};

constexpr std::size_t longest_name = 63;
constexpr std::size_t request_bytes = 96;
using RequestBytes = std::array<std::byte, request_bytes>;

// Throws invalid_argument for a name that is empty, too long, or has control characters.
RequestBytes encode(const Request& request);
// Nothing: no request of this version, or one whose values cannot be.
std::optional<Request> decode_request(std::span<const std::byte> bytes);

}  // namespace heddle::daemon
