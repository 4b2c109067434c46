// What happens when somebody ends the program with a signal (SIGINT, SIGTERM, SIGHUP, SIGQUIT), or when nobody
// reads its output any more (SIGPIPE).
#pragma once

namespace heddle::cli {

// After this call such a signal first ends the processes that this one has started, removes its temporary folders and
// the files that it has not finished, and gives old reports their names again. Then it ends the program as it would
// have without this. SIGXFSZ does nothing, so that a file over the limit is an error like a full disk. Signals that are
// ignored stay ignored. Programs that this one starts or becomes find all signals as this one found them. Call it once,
// before anything else runs.
void clean_up_on_signals();

// Call it just before the program becomes another one, which would lose a signal that has just come: does not return
// then. One that comes later ends the program at once.
void hand_signals_over();

// Does not return once such a signal has arrived: the program is about to end. A failure after that (a compiler that
// got the same signal from the terminal) is no error to report.
void wait_if_interrupted();

}  // namespace heddle::cli
