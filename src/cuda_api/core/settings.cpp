#include "cuda_api/core/settings.hpp"

#include "base/fail.hpp"
#include "base/trace_claim.hpp"
#include "base/variables.hpp"
#include "heddle/runtime.hpp"

namespace heddle::cuda_api {
namespace {

std::string policy_variable() {
  constexpr const char* name = "HEDDLE_RUN_POLICY";
  std::string policy = base::text_variable(name).value_or("");
  try {
    check_policy(policy);
  } catch (const Error& error) {
    base::fail(error.code(), "{}={}: {}", name, policy, error.what());
  }
  return policy;
}

}  // namespace

bool sees_whole_device() { return base::text_variable("HEDDLE_TENANT_PROCESSORS") == "device"; }

Settings read_settings() {
  base::check_variables();
  Settings made;
  made.devices = base::text_variable("HEDDLE_RUN_DEVICE").value_or("");
  made.policy = policy_variable();
  made.check = base::checks_variable("HEDDLE_RUN_CHECK").value_or(false);
  made.slice = base::number_variable("HEDDLE_RUN_SLICE").value_or(0);
  made.timeout_ms = base::number_variable("HEDDLE_RUN_TIMEOUT_MS").value_or(0);
  // Last, as claiming writes to the file.
  made.trace = base::trace_of_environment();
  return made;
}

}  // namespace heddle::cuda_api
