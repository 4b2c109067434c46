// Which of the processes that a program starts writes the timeline of `heddle run --trace`.
#pragma once

#include <string>

namespace heddle::base {

// What HEDDLE_RUN_TRACE_CLAIM says for a program that this process becomes: the number of the process, and what stands
// at `path` now: nothing ("12:new"), or a file ("12:DEVICE:INODE:BYTES:SECONDS:NANOSECONDS", the time of its last
// change). The library that is loaded into each process (cuda_api/open/open.c) makes the same text.
std::string claim_of(const std::string& path);

// `path`, if this process is the first to claim it: what stands there is what `claim` says, and no other process holds
// it. Otherwise a name with the process's number in it (t.json becomes t.1234.json), and a line on standard error says
// so. The process that claims the file holds a lock on it, and leaves something in one that is empty or new; an older
// file it leaves as it is. A `claim` of another form, as "1", stands for an empty file, or none. A file that cannot be
// opened is returned as it is: the code that writes to it reports why. From then on the process says nothing at its end
// of a timeline that is not there. Call it once in a process.
std::string claim_trace(const std::string& path, const std::string& claim);

// The file of HEDDLE_RUN_TRACE, claimed where HEDDLE_RUN_TRACE_CLAIM asks for it; empty: no timeline is wanted. Throws
// as the functions of variables.hpp do. Call it once in a process.
std::string trace_of_environment();

}  // namespace heddle::base
