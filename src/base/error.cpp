#include "heddle/error.hpp"

namespace heddle {

const char* name(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_argument: return "invalid_argument";
    case ErrorCode::not_found: return "not_found";
    case ErrorCode::parse_error: return "parse_error";
    case ErrorCode::compile_error: return "compile_error";
    case ErrorCode::unsupported: return "unsupported";
    case ErrorCode::out_of_memory: return "out_of_memory";
    case ErrorCode::kernel_fault: return "kernel_fault";
    case ErrorCode::deadlock: return "deadlock";
    case ErrorCode::device_lost: return "device_lost";
    case ErrorCode::io_error: return "io_error";
    case ErrorCode::internal: return "internal";
  }
  return "unknown";
}

}  // namespace heddle
