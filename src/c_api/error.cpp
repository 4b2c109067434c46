// heddle_last_error() and what leads there.
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>
#include <system_error>

#include "c_api/guard.hpp"
#include "c_api/thread_text.hpp"
#include "heddle/heddle.h"
#include "heddle/heddle.hpp"

namespace heddle::c_api {
namespace {

constexpr bool same(heddle_status status, ErrorCode code) {
  return static_cast<int>(status) == static_cast<int>(code) + 1;
}
static_assert(same(HEDDLE_INVALID_ARGUMENT, ErrorCode::invalid_argument));
static_assert(same(HEDDLE_NOT_FOUND, ErrorCode::not_found));
static_assert(same(HEDDLE_PARSE_ERROR, ErrorCode::parse_error));
static_assert(same(HEDDLE_COMPILE_ERROR, ErrorCode::compile_error));
static_assert(same(HEDDLE_UNSUPPORTED, ErrorCode::unsupported));
static_assert(same(HEDDLE_OUT_OF_MEMORY, ErrorCode::out_of_memory));
static_assert(same(HEDDLE_KERNEL_FAULT, ErrorCode::kernel_fault));
static_assert(same(HEDDLE_DEADLOCK, ErrorCode::deadlock));
static_assert(same(HEDDLE_DEVICE_LOST, ErrorCode::device_lost));
static_assert(same(HEDDLE_IO_ERROR, ErrorCode::io_error));
static_assert(same(HEDDLE_INTERNAL, ErrorCode::internal));
static_assert(static_cast<int>(HEDDLE_FAULT_OTHER) == static_cast<int>(KernelFault::other));
static_assert(static_cast<int>(HEDDLE_FAULT_TIMEOUT) == static_cast<int>(KernelFault::timeout));
static_assert(static_cast<int>(HEDDLE_FAULT_ASSERTION) == static_cast<int>(KernelFault::assertion));
static_assert(HEDDLE_VERSION_MAJOR == version_major && HEDDLE_VERSION_MINOR == version_minor &&
                  HEDDLE_VERSION_PATCH == version_patch,
              "heddle.h and version.hpp have one version");

// Of the calling thread's last failure.
ThreadText last_message;
constinit thread_local heddle_fault last_fault = HEDDLE_FAULT_NONE;

heddle_status keep(heddle_status status, heddle_fault fault, const char* message) noexcept {
  last_fault = fault;
  last_message.set(message);
  return status;
}

// The system lacked memory, or a thread for want of it.
bool is_no_memory(const std::error_code& code) {
  return code == std::errc::not_enough_memory || code == std::errc::resource_unavailable_try_again;
}

// With the limit of the process, where that is the reason. Asks for no memory itself but for the copy of the message.
heddle_status keep_no_memory(const char* what) noexcept {
  char text[256];
  rlimit space{}, data{};
  if (::getrlimit(RLIMIT_AS, &space) != 0) space.rlim_cur = RLIM_INFINITY;
  if (::getrlimit(RLIMIT_DATA, &data) != 0) data.rlim_cur = RLIM_INFINITY;
  // The lower one: data is a part of the address space.
  const rlim_t least = std::min(space.rlim_cur, data.rlim_cur);
  if (least != RLIM_INFINITY) {
    const bool is_small = least < 10 << 20;
    std::snprintf(text, sizeof text, "%s; the limit of this process (ulimit -%c) is %.0f %s", what,
                  data.rlim_cur < space.rlim_cur ? 'd' : 'v',
                  static_cast<double>(least) / (is_small ? 1 << 10 : 1 << 20), is_small ? "KiB" : "MiB");
    what = text;
  }
  return keep(HEDDLE_OUT_OF_MEMORY, HEDDLE_FAULT_NONE, what);
}

}  // namespace

heddle_status keep_error() noexcept {
  try {
    throw;
  } catch (const Error& error) {
    return keep(static_cast<heddle_status>(static_cast<int>(error.code()) + 1),
                static_cast<heddle_fault>(error.fault()), error.what());
  } catch (const std::bad_alloc&) {
    return keep_no_memory("the host has no memory left");
  } catch (const std::system_error& error) {
    if (is_no_memory(error.code())) return keep_no_memory(error.what());
    return keep(HEDDLE_INTERNAL, HEDDLE_FAULT_NONE, error.what());
  } catch (const std::exception& error) {
    return keep(HEDDLE_INTERNAL, HEDDLE_FAULT_NONE, error.what());
  } catch (...) {
    return keep(HEDDLE_INTERNAL, HEDDLE_FAULT_NONE, "something was thrown that is no exception of Heddle's");
  }
}

}  // namespace heddle::c_api

extern "C" {

const char* heddle_last_error(void) { return heddle::c_api::last_message.get(); }

heddle_fault heddle_last_fault(void) { return heddle::c_api::last_fault; }

const char* heddle_status_name(heddle_status status) {
  if (status == HEDDLE_OK) return "ok";
  if (status < HEDDLE_OK || status > HEDDLE_INTERNAL) return "unknown";
  return heddle::name(static_cast<heddle::ErrorCode>(static_cast<int>(status) - 1));
}

const char* heddle_version(void) { return heddle::version; }
}
