// Amounts of memory as people write them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace heddle::base {

// "512", "64 KiB", "1.5GiB", "20g": k, m, g and t are powers of 1024, with or without "iB" or "B". Nothing: it is no
// such text, or more than 2^63 bytes.
std::optional<std::uint64_t> parse_bytes(std::string_view text);

}  // namespace heddle::base
