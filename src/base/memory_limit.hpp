// The limit of this process's address space, for messages about memory that is not there.
#pragma once

#include <string>
#include <system_error>

namespace heddle::base {

// "; the limit of this process (ulimit -v) is 195 MiB", or nothing without a limit.
std::string memory_limit_note();

// Whether the system lacked memory, or a thread for want of it.
bool is_no_memory(const std::error_code& code);
// Whether a message of the system or of the dynamic linker says that memory is lacking.
bool says_no_memory(const std::string& message);

}  // namespace heddle::base
