// The one exception type of Heddle.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace heddle {

enum class ErrorCode {
  invalid_argument,  // a value the caller passed is wrong
  not_found,         // a file, kernel, device or symbol that does not exist
  parse_error,       // PTX text that is not PTX
  compile_error,     // CUDA C++ that does not compile
  unsupported,       // valid, but Heddle or this device does not do it; the message names it
  out_of_memory,
  kernel_fault,  // a kernel accessed memory it may not, trapped or failed an assertion
  deadlock,      // threads of a launch wait for something that can never happen
  device_lost,
  io_error,  // files, caches
  internal,  // a bug in Heddle
};
const char* name(ErrorCode code);

// What the kernel did, if the code is kernel_fault.
enum class KernelFault {
  none,           // no fault of a kernel
  memory_access,  // an address that it may not read or write
  misaligned,     // an address that is not a multiple of the access's size
  trap,
  assertion,
  other,    // a jump to nowhere, wrong use of a barrier or of free(), ...; the message states which
  timeout,  // it ran for longer than RuntimeOptions::launch_timeout_ms
};

// Thrown for every error a user can cause. what() is a full sentence (or several): what was wrong, where, what to do.
class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message)
      : std::runtime_error(message),
        code_(code),
        fault_(code == ErrorCode::kernel_fault ? KernelFault::other : KernelFault::none) {}
  Error(KernelFault fault, const std::string& message)
      : std::runtime_error(message), code_(ErrorCode::kernel_fault), fault_(fault) {}
  ErrorCode code() const noexcept { return code_; }
  KernelFault fault() const noexcept { return fault_; }

 private:
  ErrorCode code_;
  KernelFault fault_;
};

}  // namespace heddle
