// What happens when somebody ends the program with a signal (SIGINT, SIGTERM, SIGHUP).
#pragma once

namespace heddle::cli {

// From here on such a signal first removes the temporary folders of this process; then it ends the program as it would
// have without this. Signals that are ignored stay ignored. SIGXFSZ is ignored, so that a file over the limit is an
// error like a full disk. To be called once, before anything else runs.
void clean_up_on_signals();

// Does not return once such a signal has come: the program is about to end. What fails then (a compiler that got the
// same signal from the terminal) is no error to be reported.
void wait_if_interrupted();

}  // namespace heddle::cli
