// Limits of the process on descriptors, threads and stacks, for messages about what the system refuses.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace heddle::base {

// The system's text of an error number. Where no descriptor or no memory is left, also the limit: "Too many open files;
// the limit of this process (ulimit -n) is 5".
std::string system_message(int error);
// Whether the dynamic linker says that no descriptor was left for a library.
bool says_no_descriptors(const std::string& message);
// "; the limit of this process (ulimit -n) is 5", or nothing without a limit.
std::string descriptor_limit_note();
// "; the limit of this user's processes and threads (ulimit -u) is 5", or nothing without a limit.
std::string thread_limit_note();
// "; the limit of this process's stack (ulimit -s) is 64 KiB" where it is less than programs have as a rule, or
// nothing.
std::string stack_limit_note();

// What a program has as a rule, and a compiler needs.
constexpr std::size_t usual_stack_bytes = 8 << 20;
// The limit of the stack; nothing where there is no limit.
std::optional<std::size_t> stack_limit();

}  // namespace heddle::base
