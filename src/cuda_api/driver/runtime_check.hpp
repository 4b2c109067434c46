// The check that the CUDA runtime within a program makes of the driver's library before it uses it: both compute an
// authentication code of what they know of the process and of its devices. (Public in ZLUDA, which describes the
// messages; the code is HMAC, RFC 2104, with the hash MD2, RFC 1319.)
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "cuda_api/abi/driver.hpp"

namespace heddle::cuda_api {

using RuntimeCheckCode = std::array<std::uint64_t, 2>;

// The first part of the message, as the runtime lays it out.
struct RuntimeCheckProcess {
  std::uint32_t driver_version = 0;   // as cuDriverGetVersion has it
  std::uint32_t runtime_version = 0;  // the runtime's argument
  std::uint32_t process = 0, thread = 0;
  const void* runtime_table = nullptr;  // the tables of functions that the runtime was given
  const void* check_table = nullptr;
  const void* check_function = nullptr;
  std::uint64_t unix_seconds = 0;  // the runtime's argument
};
// Of each device.
struct RuntimeCheckDevice {
  CUuuid uuid = {};
  std::int32_t pci_domain = 0, pci_bus = 0, pci_device = 0;
};

RuntimeCheckCode runtime_check_code(const RuntimeCheckProcess& process, std::span<const RuntimeCheckDevice> devices);

// The hash of RFC 1319.
std::array<std::uint8_t, 16> md2(std::span<const std::uint8_t> message);

}  // namespace heddle::cuda_api
