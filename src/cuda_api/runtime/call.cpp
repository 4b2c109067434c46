#include "cuda_api/runtime/call.hpp"

#include <new>
#include <string>
#include <utility>

#include "base/log.hpp"
#include "base/memory_limit.hpp"
#include "cuda_api/core/check_report.hpp"
#include "cuda_api/core/failed_calls.hpp"

namespace heddle::cuda_api {
namespace {

bool is_loud(cudaError_t code) {
  return is_sticky(code) || code == cudaErrorNotSupported || code == cudaErrorInvalidPtx ||
         code == cudaErrorNoKernelImageForDevice || code == cudaErrorNoDevice || code == cudaErrorUnknown;
}

}  // namespace

cudaError_t failed(const char* function, cudaError_t code, const char* message) noexcept {
  if (code == cudaErrorNotReady) return code;  // an answer, and no error
  ThreadState& thread = thread_state();
  // An error that has ended the context is told once, not by every call after it; so is that there is no device.
  const bool known = (is_sticky(code) || code == cudaErrorNoDevice) && thread.last_error == code;
  // Programs expect this code of calls that allocate, and may pass over it elsewhere.
  const bool launch_failed = std::exchange(thread.launch_lacked_memory, false) && code == cudaErrorMemoryAllocation;
  if (is_sticky(code) || launch_failed) report_finding(message);
  if (thread.driver_call)
    function = thread.driver_call;
  else
    thread.last_error = code;
  if (!is_sticky(code)) report_failed_call(function, code, message);
  try {
    const bool loud = (is_loud(code) && !known && !(is_sticky(code) && checks())) || (launch_failed && !checks());
    const bool limited = is_first_for_limit(code, message);
    if (loud || limited)
      say_failure(function, code, message);
    else
      base::log_info("{}: {} ({})", function, message, name_of(code));
  } catch (...) {  // the log is not what fails a call
  }
  return code;
}

cudaError_t failed_for_memory(const char* function) noexcept {
  constexpr const char* words = "the process has no more memory";
  std::string text;
  try {
    text = words + base::memory_limit_note();
  } catch (const std::bad_alloc&) {
    return failed(function, cudaErrorMemoryAllocation, words);
  }
  return failed(function, cudaErrorMemoryAllocation, text.c_str());
}

void not_supported(const std::string& what) {
  throw Failure(cudaErrorNotSupported, what + " is not supported by Heddle");
}

}  // namespace heddle::cuda_api
