// What the figures were measured on.
#pragma once

#include <string>

namespace heddle::bench {

// "AMD EPYC 9B14, 2 cores, 24.0 GiB"
std::string machine_text();
// $HEDDLE_COMMIT, which script/bench sets; "unknown" without it.
std::string commit_text();

}  // namespace heddle::bench
