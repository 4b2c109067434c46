// What happens when somebody ends the program with a signal (SIGINT, SIGTERM, SIGHUP).
#pragma once

namespace heddle::cli {

// After this call such a signal first ends the processes that this one has started, removes its temporary folders and
// the files that it has not finished, and gives old reports their names again. Then it ends the program as it would
// have without this. Signals that are ignored stay ignored. SIGXFSZ is ignored, so that a file over the limit is
// an error like a full disk. Call it once, before anything else runs.
void clean_up_on_signals();

// Does not return once such a signal has arrived: the program is about to end. A failure after that (a compiler that
// got the same signal from the terminal) is no error to report.
void wait_if_interrupted();

}  // namespace heddle::cli
