// The options of `heddle run`, as the libraries of the program that it runs receive them: in the environment.
#pragma once

#include <cstdint>
#include <string>

#include "heddle/checks.hpp"

namespace heddle::cuda_api {

struct Settings {
  std::string devices;           // HEDDLE_RUN_DEVICE: ids; empty: the GPUs that are found, else the CPU
  std::uint64_t slice = 0;       // HEDDLE_RUN_SLICE: launches are cut into ranges of so many blocks
  std::uint64_t timeout_ms = 0;  // HEDDLE_RUN_TIMEOUT_MS: launches that run for longer are ended; 0: none is
  std::string policy;            // HEDDLE_RUN_POLICY: when launches are submitted (RuntimeOptions::policy)
  std::string trace;     // HEDDLE_RUN_TRACE: a file for the timeline, of this process alone (base/trace_claim.hpp)
  Checks check = false;  // HEDDLE_RUN_CHECK=memory,race: mistakes to look for (on: memory); ends with exit code 99
};

// HEDDLE_TENANT_PROCESSORS=device: programs of tenants see all of a device's processors, not those of their quota.
// Throws Error(invalid_argument) for other values than device and quota.
bool sees_whole_device();

// Throws Error(invalid_argument) for invalid values.
Settings read_settings();

}  // namespace heddle::cuda_api
