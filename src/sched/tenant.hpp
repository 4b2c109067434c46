// Tenants: programs, or parts of one, that share devices. Each has launch queues of its own.
#pragma once

#include <cstdint>
#include <string>

namespace heddle::sched {

enum class TenantClass : std::uint8_t {
  latency,  // somebody waits for each of its requests
  batch     // only the rate counts
};

// What its owner sets, at any time. A change takes effect with the next decision of the policy.
struct TenantSettings {
  std::string name;
  TenantClass kind = TenantClass::batch;
  // The part of each device's processors that is its own while it has work, 0 to 1.
  double quota = 0;
  // How much slower than with all of its processors a kernel may run, so that processors are saved: 1.1 is 10 %. Below
  // 1: never.
  double slip = 0;
  std::uint64_t memory_bytes = 0;  // of each device's memory; 0: not limited
};

// Guarded by the core's lock.
struct Tenant {
  std::uint32_t id = 0;
  TenantSettings settings = {};
  std::uint64_t held = 0;       // tasks that are not submitted completely
  std::uint32_t in_flight = 0;  // ranges
  // It has work, or had it until just now; its processors are its own.
  bool awake() const { return held > 0 || in_flight > 0; }
};

}  // namespace heddle::sched
