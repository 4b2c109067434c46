#include "cuda_api/core/settings.hpp"

#include <charconv>
#include <cstdlib>
#include <cstring>

#include "base/fail.hpp"
#include "base/trace_claim.hpp"

namespace heddle::cuda_api {

namespace {

Checks checks_of(const std::string& value) {
  if (value.empty() || value == "0") return false;
  return value == "1" ? Checks(true) : Checks::parse(value);
}

}  // namespace

Settings read_settings() {
  Settings made;
  if (const char* devices = std::getenv("HEDDLE_RUN_DEVICE")) made.devices = devices;
  if (const char* trace = std::getenv("HEDDLE_RUN_TRACE"); trace && *trace) {
    const char* claim = std::getenv("HEDDLE_RUN_TRACE_CLAIM");
    made.trace = claim && std::strcmp(claim, "1") == 0 ? base::claim_trace(trace) : std::string(trace);
  }
  if (const char* policy = std::getenv("HEDDLE_RUN_POLICY")) made.policy = policy;
  if (const char* check = std::getenv("HEDDLE_RUN_CHECK")) made.check = checks_of(check);
  if (const char* slice = std::getenv("HEDDLE_RUN_SLICE"); slice && *slice) {
    const char* end = slice + std::strlen(slice);
    const auto [stop, error] = std::from_chars(slice, end, made.slice);
    if (error != std::errc{} || stop != end)
      base::fail(ErrorCode::invalid_argument, "HEDDLE_RUN_SLICE={}: expected a number of blocks", slice);
  }
  return made;
}

}  // namespace heddle::cuda_api
