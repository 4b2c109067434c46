// The limits of this process's address space and data, for messages about memory that is not there.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <system_error>

namespace heddle::base {

// "; the limit of this process (ulimit -v) is 195 MiB", or nothing without a limit. A limit of data (ulimit -d) is
// named where it is the lower one, with that of the address space, as either may be what is short.
std::string memory_limit_note();
// The same without allocating, cut to fit; returns what `text` begins with.
const char* memory_limit_note(std::span<char> text) noexcept;
// Whether a message has such a note: what it is about lacks memory for the limit, too.
bool names_memory_limit(std::string_view message);

// Whether the system lacked memory, or a thread for want of it.
bool is_no_memory(const std::error_code& code);
// Whether a message of the system or of the dynamic linker says that memory is lacking.
bool says_no_memory(const std::string& message);

}  // namespace heddle::base
