// Standard input, output and error that are closed when the program starts.
#pragma once

namespace heddle::cli {

// Puts something in the place of those that are closed: else the next file that is opened, a result or the pipe of a
// signal handler, would be standard output, and get what is printed. Reading and writing fail as before, and programs
// that this one becomes or starts find them closed. Call it once, before anything is opened.
void hold_standard_files();

}  // namespace heddle::cli
