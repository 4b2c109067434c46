#include "daemon/protocol.hpp"

#include <algorithm>
#include <cstring>

#include "base/fail.hpp"
#include "heddle/error.hpp"

namespace heddle::daemon {
namespace {

constexpr std::uint64_t longest_window_ns = 86'400'000'000'000;
constexpr std::uint64_t magic = 0x32746e616e657468;  // and the version of the protocol

struct Wire {
  std::uint64_t magic = 0;
  std::uint32_t kind = 0, tenant_class = 0;
  double quota = 0;
  std::uint64_t window_ns = 0, name_bytes = 0;
  char name[64] = {};
};
static_assert(sizeof(Wire) == request_bytes);

bool is_plain(char c) { return static_cast<unsigned char>(c) >= 0x20 && c != 0x7f && c != '"' && c != '\\'; }

// Whether all characters are whole; names are printed and stand in JSON.
bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto first = static_cast<unsigned char>(text[i++]);
    const std::size_t more = first < 0x80 ? 0 : first >> 5 == 6 ? 1 : first >> 4 == 14 ? 2 : first >> 3 == 30 ? 3 : 4;
    if (more == 4 || more > text.size() - i) return false;
    std::uint32_t point = more == 0 ? first : first & (0x3fU >> more);
    for (std::size_t k = 0; k < more; ++k) {
      const auto next = static_cast<unsigned char>(text[i++]);
      if (next >> 6 != 2) return false;
      point = point << 6 | (next & 0x3fU);
    }
    constexpr std::uint32_t least[] = {0, 0x80, 0x800, 0x10000};
    if (point < least[more] || point > 0x10ffff || (point >= 0xd800 && point < 0xe000)) return false;
  }
  return true;
}

bool is_name(std::string_view name) {
  return !name.empty() && name.size() <= longest_name && std::all_of(name.begin(), name.end(), is_plain) &&
         is_utf8(name);
}

bool has_name(Request::Kind kind) {
  using Kind = Request::Kind;
  return kind == Kind::hello || kind == Kind::set || kind == Kind::policy || kind == Kind::explain;
}

}  // namespace

RequestBytes encode(const Request& request) {
  const bool named = has_name(request.kind);
  if (named && !is_name(request.settings.name))
    base::fail(ErrorCode::invalid_argument,
               "the name of a tenant or a policy has 1 to {} characters, in UTF-8, without quotes, backslashes and "
               "control characters",
               longest_name);
  Wire wire{.magic = magic,
            .kind = static_cast<std::uint32_t>(request.kind),
            .tenant_class = request.settings.kind == sched::TenantClass::latency ? 0u : 1u,
            .quota = request.settings.quota,
            .window_ns = request.window_ns,
            .name_bytes = named ? request.settings.name.size() : 0};
  std::memcpy(wire.name, request.settings.name.data(), wire.name_bytes);
  RequestBytes bytes;
  std::memcpy(bytes.data(), &wire, sizeof wire);
  return bytes;
}

std::optional<Request> decode_request(std::span<const std::byte> bytes) {
  Wire wire;
  if (bytes.size() != sizeof wire) return std::nullopt;
  std::memcpy(&wire, bytes.data(), sizeof wire);
  if (wire.magic != magic || wire.kind < 1 || wire.kind > 7 || wire.tenant_class > 1) return std::nullopt;
  if (!(wire.quota >= 0 && wire.quota <= 1) || wire.name_bytes > longest_name || wire.window_ns > longest_window_ns)
    return std::nullopt;
  Request request;
  request.kind = static_cast<Request::Kind>(wire.kind);
  request.settings.name.assign(wire.name, wire.name_bytes);
  const bool named = has_name(request.kind);
  if (named ? !is_name(request.settings.name) : !request.settings.name.empty()) return std::nullopt;
  request.settings.kind = wire.tenant_class == 0 ? sched::TenantClass::latency : sched::TenantClass::batch;
  request.settings.quota = wire.quota;
  request.window_ns = wire.window_ns;
  return request;
}

}  // namespace heddle::daemon
