// Which of the processes that a program starts writes the timeline of `heddle run --trace`.
#pragma once

#include <string>

namespace heddle::base {

// `path`, if this process is the first to claim it. Otherwise a name with the process's number in it (t.json becomes
// t.1234.json), and a line on standard error says so. `heddle run` has left the file empty (HEDDLE_RUN_TRACE_CLAIM=1).
// The process that claims the file holds a lock on it, and leaves something in it. A file that cannot be opened is
// returned as it is: the code that writes to it reports why. Call it once in a process.
std::string claim_trace(const std::string& path);

// The file of HEDDLE_RUN_TRACE, claimed where HEDDLE_RUN_TRACE_CLAIM asks for it; empty: no timeline is wanted. Throws
// as the functions of variables.hpp do. Call it once in a process.
std::string trace_of_environment();

}  // namespace heddle::base
