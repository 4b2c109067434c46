#include "daemon/tenant_variable.hpp"

#include <fmt/format.h>

#include <charconv>

#include "base/fail.hpp"
#include "base/variables.hpp"
#include "daemon/protocol.hpp"

namespace heddle::daemon {
namespace {

constexpr const char* variable = "HEDDLE_TENANT";

}  // namespace

sched::TenantClass parse_class(std::string_view text) {
  if (text == "latency") return sched::TenantClass::latency;
  if (text == "batch") return sched::TenantClass::batch;
  base::fail(ErrorCode::invalid_argument,
             "there is no class '{}' of tenants; there are latency (somebody waits) and batch (only the rate counts)",
             text);
}

double parse_quota(std::string_view text) {
  const bool percent = text.ends_with('%');
  const std::string_view number = text.substr(0, text.size() - (percent ? 1 : 0));
  double value = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (percent) value /= 100;
  if (error != std::errc() || end != number.data() + number.size() || !(value >= 0 && value <= 1))
    base::fail(ErrorCode::invalid_argument, "the quota '{}' is no part of a device; expected 0% to 100%, or 0 to 1",
               text);
  return value;
}

std::string tenant_text(const sched::TenantSettings& settings) {
  return fmt::format("{}:{}:{}", settings.kind == sched::TenantClass::latency ? "latency" : "batch", settings.quota,
                     settings.name);
}

sched::TenantSettings parse_tenant(std::string_view text) {
  const std::size_t first = text.find(':'), second = first == text.npos ? first : text.find(':', first + 1);
  if (second == text.npos)
    base::fail(ErrorCode::invalid_argument, "'{}' is no tenant; expected CLASS:QUOTA:NAME, as latency:0.75:search",
               text);
  sched::TenantSettings made{.name = std::string(text.substr(second + 1)),
                             .kind = parse_class(text.substr(0, first)),
                             .quota = parse_quota(text.substr(first + 1, second - first - 1))};
  static_cast<void>(encode(Request{.kind = Request::Kind::hello, .settings = made}));  // refuses names that cannot be
  return made;
}

std::optional<sched::TenantSettings> tenant_of_environment() {
  const auto text = base::text_variable(variable);
  if (!text) return std::nullopt;
  try {
    return parse_tenant(*text);
  } catch (const Error& error) {
    base::fail(error.code(), "{}={}: {}", variable, *text, error.what());
  }
}

}  // namespace heddle::daemon
