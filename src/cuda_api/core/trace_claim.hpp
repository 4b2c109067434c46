// Which of the processes that a program starts writes the timeline that `heddle run --trace` was asked for.
#pragma once

#include <string>

namespace heddle::cuda_api {

// `path`, where this process is the first to ask for it; else a name with the process's number in it (t.json becomes
// t.1234.json), which a line on standard error tells. `heddle run` has left the file empty (HEDDLE_RUN_TRACE_CLAIM=1);
// who has it holds a lock on it, and leaves it with something in it. A file that cannot be opened is returned as it is:
// who writes to it tells why. To be asked once in a process.
std::string claim_trace(const std::string& path);

}  // namespace heddle::cuda_api
